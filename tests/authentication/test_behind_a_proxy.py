"""Recording where servers are reached through a proxy only, which wants to know who asks."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import httpx
import pytest

from pytest_loadtool import record
from pytest_loadtool.casefile import read_case, read_har
from pytest_loadtool.console.program import recorded_so_far
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.authentication import Proxy
from pytest_loadtool.replay import compile_case
from tests.authentication.accounts import USERS
from tests.authentication.peer import Peer
from tests.console.running import recording, run, run_script
from tests.observed import Observed

USER, PASSWORD = USERS[0]
CURL = "curl -sS -o {file} {url}"


def url_of(peer: Peer, port: str, credentials: str = "") -> str:
    """The URL of a proxy, with who asks it."""
    return peer.url(port).replace("://", f"://{credentials}@" if credentials else "://")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_recorded_and_replayed_through_it(
    scheme: str, apache: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test case goes through it, too, in the console and as a test; its files are without the
    password, and nothing in them says that the recorder had to log in."""
    page = f"{apache.url(scheme, scheme)}/open/page"
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    script = recording(CURL.format(file="page", url=page), "configure", "play --fast", "save")
    mark = apache.log.mark()
    proxy = url_of(apache, "basic", f"{USER}:{PASSWORD}")
    done = run_script(tmp_path, script, "--proxy-url", proxy)
    assert "Set SHOP_PROXY_PASSWORD wherever it is replayed" in done.stdout
    assert "text of the page" in (tmp_path / "page").read_text()
    case = read_case(tmp_path / "shop.case.toml")
    assert case.proxy == Proxy(apache.url("basic"), USER, "${SHOP_PROXY_PASSWORD}")
    assert [one.url for one in read_har(tmp_path / "shop.har")] == [page]
    for file in ("shop.case.toml", "shop.har"):
        text = (tmp_path / file).read_text()
        assert PASSWORD not in text
        assert "proxy-authorization" not in text.lower()
    monkeypatch.setenv("SHOP_PROXY_PASSWORD", PASSWORD)
    run(tmp_path)
    asked = apache.log.since(mark, 6, "basic")
    assert [one.status for one in asked] == [407, 200] * 3  # of the recorder, and two replays
    assert {one.user for one in asked if one.status == 200} == {USER}


@pytest.mark.parametrize(
    ("scheme", "port", "credentials", "expected"),
    [
        ("http", "basic", "", "it wants to know who asks (Basic): say so in its URL, http://USER"),
        ("http", "ntlm", "alice:mistaken", "wrong user name or password: it refuses the user in"),
        ("https", "basic", "alice:mistaken", "wrong user name or password: it refuses the user"),
    ],
)
def test_refused(
    scheme: str, port: str, credentials: str, expected: str, apache: Peer, tmp_path: Path
) -> None:
    """It is said at once, by whom, to the person and to the client; no test case is made."""
    page = f"{apache.url(scheme, scheme)}/open/page"
    script = recording(f"sh -c '{CURL.format(file='page', url=page)} || true'")
    proxy = url_of(apache, port, credentials)
    done = run_script(tmp_path, script, "--proxy-url", proxy, status=5)
    refusal = f"  proxy {apache.url(port)}: "
    (line,) = [one for one in done.stdout.splitlines() if one.startswith(refusal)]
    assert expected in line
    assert "mistaken" not in done.stdout
    if scheme == "http":
        assert refusal.strip() in (tmp_path / "page").read_text()


def test_the_environment_is_not_read(apache: Peer, tmp_path: Path) -> None:
    """Nor is anything else but a URL understood; it is said that servers are asked directly."""
    page = f"{apache.url('http')}/open/page"
    script = recording(CURL.format(file="page", url=page), "save")
    done = run_script(tmp_path, script, "--proxy-url", "environment")
    assert "Recorded directly: only the URL of a proxy (--proxy-url) counts here." in done.stdout
    assert read_case(tmp_path / "shop.case.toml").proxy is None


@pytest.mark.parametrize("scheme", ["digest", "ntlm"])
def test_a_part_of_a_program(scheme: str, apache: Peer, tmp_path: Path) -> None:
    """It names the proxy itself; the test case goes through it, too."""
    who = f"EXAMPLE%5C{USER}" if scheme == "ntlm" else USER
    page = f"{apache.url('https', 'https')}/open/page"
    with (
        record(
            tmp_path / "shop.case.toml", proxy=url_of(apache, scheme, f"{who}:{PASSWORD}")
        ) as proxy,
        httpx.Client(**proxy.httpx) as client,
    ):
        assert "text of the page" in client.get(page).text
    recorded_so_far.clear()
    case = read_case(tmp_path / "shop.case.toml")
    assert case.proxy == Proxy(apache.url(scheme), unquote(who), "${SHOP_PROXY_PASSWORD}")
    observed = Observed()
    replay_once(compile_case(case, environ={"SHOP_PROXY_PASSWORD": PASSWORD}), observer=observed)
    assert observed.failures == [()]
    with pytest.raises(ValueError, match="expected http://host:port"):
        record(tmp_path / "other.case.toml", proxy="ftp://proxy").__enter__()


def test_tests(apache: Peer, tmp_path: Path) -> None:
    """Those that are recorded go through the proxy that the command line names."""
    (tmp_path / "test_page.py").write_text(f"""\
import httpx

def test_page(loadtool_recorder):
    with httpx.Client(**loadtool_recorder.httpx) as client:
        assert "text of the page" in client.get("{apache.url("http")}/open/page").text
""")
    mark = apache.log.mark()
    proxy = url_of(apache, "digest", f"{USER}:{PASSWORD}")
    run(tmp_path, "--record-from-tests", "cases", "--proxy-url", proxy, "test_page.py")
    (file,) = (tmp_path / "cases").rglob("*.case.toml")
    case = read_case(file)
    assert case.proxy is not None
    assert case.proxy.url == apache.url("digest")
    assert [one.status for one in apache.log.since(mark, 2, "digest")] == [407, 200]
