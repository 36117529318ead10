"""``--proxy-url`` in runs of pytest, through a real proxy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.authentication.peer import Peer
from tests.authentication.squid import serving
from tests.plugin.loading import load
from tests.plugin.serving import Server, case, write

PROXY = '\n[proxy]\nurl = "http://127.0.0.1:9"\n'


@pytest.fixture(scope="module")
def squid() -> Iterator[Peer]:
    with serving() as running:
        yield running


@pytest.fixture
def project(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, server: Server
) -> pytest.Pytester:
    """A folder with a test case whose own proxy nobody listens at."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    write(pytester, "shop", case(server.url, "GET /") + PROXY)
    once = load("shop.case.toml", users=1, duration="20s", more="iterations = 1")
    (pytester.path / "shop.load.toml").write_text(once, encoding="utf-8")
    return pytester


def passes(project: pytest.Pytester, *arguments: str) -> str:
    found = project.runpytest(*arguments)
    found.assert_outcomes(passed=1)
    return found.stdout.str()


@pytest.mark.parametrize("load_test", [(), ("--load",)])
def test_in_place_of_the_test_cases_own(
    project: pytest.Pytester, squid: Peer, server: Server, load_test: tuple[str, ...]
) -> None:
    """In tests and in load tests; the head of the report says so."""
    mark = squid.log.mark()
    proxy = squid.url("none")
    assert f"proxy {proxy}" in passes(project, f"--proxy-url={proxy}", *load_test)
    [entry] = squid.log.since(mark, 1)
    assert entry.target == f"{server.url}/"


def test_of_the_configuration_file(project: pytest.Pytester, squid: Peer) -> None:
    """For a project; the command line comes before it."""
    project.makeini(f"[pytest]\nloadtool_proxy = {squid.url('none')}\n")
    mark = squid.log.mark()
    passes(project)
    squid.log.since(mark, 1)
    passes(project, "--proxy-url=none")
    assert len(squid.log.since(mark, 1)) == 1


def test_of_the_environment(
    project: pytest.Pytester, squid: Peer, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it is asked for, and not else; loopback addresses included unless no_proxy has them."""
    monkeypatch.setenv("HTTP_PROXY", squid.url("none"))
    mark = squid.log.mark()
    project.runpytest().assert_outcomes(failed=1)  # the test case's own
    assert len(squid.log.since(mark, 0)) == 0
    assert "proxy environment" in passes(project, "--proxy-url=environment")
    assert len(squid.log.since(mark, 1)) == 1
    asked = len(server.requests)
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")
    passes(project, "--proxy-url=environment")
    assert len(server.requests) == asked + 1
    assert len(squid.log.since(mark, 1)) == 1


@pytest.mark.parametrize("where", ["command line", "environment"])
def test_a_password_is_shown_nowhere(
    project: pytest.Pytester,
    squid: Peer,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
) -> None:
    """Neither that which is used and refused, nor in the reports that are kept."""
    url = squid.url("digest").replace("//", "//alice:wr0ng-secret@")
    if where == "environment":
        monkeypatch.setenv("https_proxy", url)
        url = where
    write(project, "shop", case(server.url.replace("http:", "https:"), "GET /"))
    for kind in ((), ("--load", "--load-json=out.json")):
        found = project.runpytest(f"--proxy-url={url}", "-vv", "--junitxml=out.xml", *kind)
        found.assert_outcomes(failed=1)
        shown = found.stdout.str()
        kept = [one.read_text() for one in project.path.glob("out.*")]
        assert any(
            "wrong user name or password: it refuses the user in the URL of the proxy (Digest)"
            in one
            for one in (shown, *kept)
        )
        assert len(kept) == 1 + bool(kind)
        assert not [one for one in (shown, *kept) if "wr0ng" in one]
