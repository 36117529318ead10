"""Which proxy a server is reached through."""

from __future__ import annotations

import pytest

from pytest_loadtool.auth import Credentials
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.authentication import Proxy
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.recording.filter.domains import with_recorded_hosts
from pytest_loadtool.replay import Plan, compile_case
from pytest_loadtool.replay.compile.proxies import ProxyUrl

ENVIRONMENT = Proxy("environment")
HOSTS = (
    *("a.example", "b.a.example", "ba.example", "a.example:8080"),
    *("10.1.2.3", "localhost", "[::1]"),
)


def plan(proxy: Proxy | None, *targets: str, **environ: str) -> Plan:
    page = Page("p", tuple(Transaction(Request("GET", one)) for one in targets or ("/",)))
    case = TestCase("c", (page,), "http://shop.example", proxy=proxy)
    case = with_recorded_hosts(case)
    return compile_case(case, environ=environ)


def way(url: str, **environ: str) -> str | None:
    """The proxy to ``url`` as the environment has it."""
    via = plan(ENVIRONMENT, url, **environ).steps[0].origin.via
    return None if via is None else str(via.server)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("http://proxy:3128", ("http", "proxy", 3128, "", "")),
        ("https://proxy/", ("https", "proxy", 443, "", "")),
        ("proxy", ("http", "proxy", 80, "", "")),
        ("proxy:3128", ("http", "proxy", 3128, "", "")),
        ("HTTP://[::1]:3128", ("http", "::1", 3128, "", "")),
        ("http://EXAMPLE%5Calice:p%40ss@proxy:1", ("http", "proxy", 1, "EXAMPLE\\alice", "p@ss")),
        ("alice:a@b@proxy:1", ("http", "proxy", 1, "alice", "a@b")),
    ],
)
def test_urls(text: str, parts: tuple[object, ...]) -> None:
    """With and without a scheme, as people write them into variables; credentials are decoded."""
    url = ProxyUrl.parse(text)
    assert (url.scheme, url.host, url.port, url.username, url.password) == parts


@pytest.mark.parametrize(
    "text",
    [
        *("ftp://alice:secret@proxy", "http://alice:secret@", "http://alice:secret@proxy:x"),
        *("http://alice:secret@proxy:0", "alice:secret@proxy/path", "alice:secret@proxy?query"),
        *("socks5://alice:secret@proxy:1080", "alice:secret@:3128"),
    ],
)
def test_bad_urls(text: str) -> None:
    """They are refused in words that have no password in them."""
    with pytest.raises(ValueError, match=r"expected http://host:port|SOCKS") as refused:
        ProxyUrl.parse(text)
    assert "secret" not in str(refused.value)


def test_without_a_proxy_the_environment_is_not_read() -> None:
    """Whoever sets HTTP_PROXY for something else has asked for nothing here."""
    found = plan(None, "/", HTTP_PROXY="http://proxy", ALL_PROXY="http://proxy")
    assert found.steps[0].origin.via is None


def test_one_proxy_for_all() -> None:
    """Loopback addresses included. There is one `Origin` for each server, and one `Via`."""
    targets = ("/", "/a", "https://pay.example", "http://127.0.0.1:8000", "http://[::1]/")
    origins = [step.origin for step in plan(Proxy("http://proxy:3128"), *targets).steps]
    assert origins[0] is origins[1]
    assert [str(one) for one in origins[1:]] == [
        *("http://shop.example", "https://pay.example", "http://127.0.0.1:8000", "http://[::1]")
    ]
    [via] = {one.via for one in origins}
    assert via is not None
    assert str(via.server) == "http://proxy:3128"


@pytest.mark.parametrize(
    ("url", "expected", "environ"),
    [
        ("http://a", "http://p:1", {"HTTP_PROXY": "http://p:1"}),
        ("http://a", "http://p:1", {"http_proxy": "p:1", "HTTP_PROXY": "q:1"}),
        ("https://a", None, {"http_proxy": "p:1"}),
        ("https://a", "http://p:1", {"HTTPS_PROXY": "p:1", "all_proxy": "q:1"}),
        ("https://a", "https://q:1", {"http_proxy": "p:1", "ALL_PROXY": "https://q:1"}),
        ("http://a", None, {"http_proxy": ""}),
        ("http://a", None, {}),
    ],
)
def test_variables_of_the_environment(
    url: str, expected: str | None, environ: dict[str, str]
) -> None:
    """By the scheme of what is asked for; small letters first, all_proxy last."""
    assert way(url, **environ) == expected


@pytest.mark.parametrize(
    ("no_proxy", "directly"),
    [
        ("*", " ".join(HOSTS)),
        ("a.example", "a.example b.a.example a.example:8080"),
        (".a.example", "a.example b.a.example a.example:8080"),
        ("*.A.example", "a.example b.a.example a.example:8080"),
        ("a.example:8080", "a.example:8080"),
        ("x, localhost,,10.1.2.3", "10.1.2.3 localhost"),
        ("10.0.0.0/8 ::1", "10.1.2.3 [::1]"),
        ("[::1]", "[::1]"),
        ("[::1]:80", "[::1]"),
        ("example 0.1.2.3 .", "a.example b.a.example ba.example a.example:8080"),
        ("", ""),
    ],
)
def test_exceptions_of_the_environment(no_proxy: str, directly: str) -> None:
    """Names with all below them, addresses, networks, ports."""
    for name in ("no_proxy", "NO_PROXY"):
        environ = {"all_proxy": "p", name: no_proxy}
        found = [host for host in HOSTS if way(f"http://{host}", **environ) is None]
        assert sorted(found) == sorted(directly.split())


def test_a_variable_that_names_no_proxy() -> None:
    """Is named itself, and what it holds is not shown."""
    with pytest.raises(ReplayError, match="environment variable HTTP_PROXY: expected") as refused:
        way("http://a", HTTP_PROXY="http://alice:secret@p:x")
    assert "secret" not in str(refused.value)


def test_credentials_of_each_user() -> None:
    """Templates, like anything else: from a dataset, the environment, made of one another."""
    proxy = Proxy("http://proxy", "${who}", "${users.password}", "${users.domain}", "ntlm")
    case = TestCase(
        "c",
        (Page("p", (Transaction(Request("GET", "/")),)),),
        "https://shop.example",
        datasets=(DatasetUse("users", "users.csv"),),
        variables={"who": Variable("who", template="u-${users.name}")},
        proxy=proxy,
    )
    rows = Dataset(("name", "password", "domain"), (("ann", "x", "D"), ("bob", "y", "E")))
    found = compile_case(case, datasets={"users": rows})
    via = found.steps[0].origin.via
    assert via is not None
    assert via.account is not None
    assert via.account.rows == (("users", "users.csv"),)
    assert via.method == "ntlm"
    for row in rows.rows:
        values = list(found.initial)
        for column, slot in found.datasets[0].columns:
            values[slot] = row[column]
        assert via.account.credentials(values) == Credentials(f"u-{row[0]}", row[1], row[2])


def test_credentials_in_the_url() -> None:
    """They come before those of the test case, which are for the proxy that it names."""
    [step] = plan(Proxy("http://eve:%24%7Bx%7D@proxy", "alice", "${v}")).steps
    assert step.origin.via is not None
    assert step.origin.via.account is not None
    assert step.origin.via.account.credentials([]) == Credentials("eve", "${x}")


def test_tls_to_a_proxy() -> None:
    """Its certificate is judged like the servers'; what is for them alone is not used."""
    tls = TlsSettings(ca="ca.pem", client_certificate="me.pem", server_name="shop.example")
    page = Page("p", (Transaction(Request("GET", "/")),))
    case = TestCase("c", (page,), "https://a", proxy=Proxy("https://proxy"), tls=tls)
    origin = compile_case(case).steps[0].origin
    assert origin.tls == tls
    assert origin.via is not None
    assert origin.via.server.tls == TlsSettings(ca="ca.pem")


def test_an_application_in_this_process_needs_no_proxy() -> None:
    """But other servers do."""
    page = Page("p", tuple(Transaction(Request("GET", one)) for one in ("/", "http://other")))
    case = TestCase("c", (page,), app="a:b", hosts=("other",), proxy=Proxy("http://proxy"))
    assert [one.origin.via is None for one in compile_case(case).steps] == [True, False]
