"""Through real proxies to a server over TLS: CONNECT, and what the proxies' own logs have of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from pytest_loadtool.load import LoadMetrics
from pytest_loadtool.model.authentication import Proxy
from pytest_loadtool.model.bandwidth import PROFILES
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.model.validator import TextValidator
from pytest_loadtool.replay import compile_case
from tests.authentication.accounts import DOMAIN, USERS, Account, many
from tests.authentication.apache import PAGE, PROXIES
from tests.authentication.peer import Peer
from tests.conformance.answers import reply
from tests.conformance.server import http2_only, serving
from tests.observed import Observed, replay, run_load

[ALICE, *_] = USERS
BOUND = ("negotiate", "ntlm")

#: What a proxy answers to the CONNECTs of two connections of a user, by its scheme.
STATUSES = {
    "none": [200, 200],
    "basic": [407, 200, 200],  # the second one brings what was accepted
    "digest": [407, 200, 200],
    "negotiate": [407, 407, 200] * 2,
    "ntlm": [407, 407, 200] * 2,
}


def login(scheme: str, password: str = ALICE[1]) -> dict[str, Any]:
    """Of alice, the password literally, as no file would have it."""
    if scheme == "none":
        return {}
    domain = DOMAIN if scheme in BOUND else ""
    return {"username": ALICE[0], "password": password, "domain": domain}


def page(target: str) -> Transaction:
    return Transaction(Request("GET", target), validators=(TextValidator(PAGE),))


def through(proxy: Proxy, apache: Peer, *targets: str, **settings: Any) -> Observed:
    tls = TlsSettings(ca=str(apache.folder / "ca.pem"))
    return replay(
        apache.url("https", "https"),
        *map(page, targets or ["/open/page"]),
        **{"tls": tls, "proxy": proxy, **settings},
    )


@pytest.fixture(params=["apache", "squid"])
def peer(request: pytest.FixtureRequest) -> Peer:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Peer)
    return found


@pytest.mark.promise(78, 80)
@pytest.mark.parametrize("transport", ["raw", "httpx"])
@pytest.mark.parametrize("scheme", PROXIES)
def test_tunnels(peer: Peer, apache: Peer, scheme: str, transport: str) -> None:
    """To two hosts, which is two tunnels: so many CONNECTs as the scheme needs, all of a tunnel on
    one connection; then every request of a host in its tunnel."""
    mark = peer.log.mark()
    other = apache.url("https", "https").replace("127.0.0.1", "localhost")
    found = through(
        Proxy(peer.url(scheme), **login(scheme)),
        apache,
        "/open/page",
        "/open/page?again",
        f"{other}/open/page",
        transport=transport,
    )
    assert found.failures == [(), (), ()]
    expected = STATUSES[scheme]
    # squid is where the pages are not
    entries = peer.log.since(mark, len(expected) + (3 if peer is apache else 0))
    asked = [one for one in entries if one.port == scheme]
    assert {one.method for one in asked} == {"CONNECT"}
    statuses = [one.status for one in asked]
    assert sorted(statuses) == sorted(expected)
    assert len({one.connection for one in asked}) == 2
    user = "\\".join(filter(None, [DOMAIN if scheme in BOUND else "", ALICE[0]]))
    logged_in = {one.user for one in asked if one.status == 200}
    assert logged_in == {"" if scheme == "none" else user}


@pytest.mark.promise(78)
@pytest.mark.parametrize("transport", ["raw", "httpx"])
@pytest.mark.parametrize("scheme", PROXIES[1:])
def test_a_wrong_password(peer: Peer, apache: Peer, scheme: str, transport: str) -> None:
    """It is said which proxy it is for, and what to do. The proxy is asked as often as the scheme
    needs and not once more: accounts are locked after a few attempts."""
    mark = peer.log.mark()
    found = through(Proxy(peer.url(scheme), **login(scheme, "wrong")), apache, transport=transport)
    name = {"ntlm": "NTLM"}.get(scheme, scheme.capitalize())
    assert found.failures == [
        (
            Failure(
                "auth",
                f"proxy {peer.url(scheme)}: wrong user name or password: it refuses the user in "
                f"[proxy] ({name})",
            ),
        )
    ]
    attempts = 3 if scheme in BOUND else 2
    entries = peer.log.since(mark, attempts)
    assert [one.status for one in entries] == [407] * attempts


@pytest.mark.promise(17)
@pytest.mark.parametrize(
    ("method", "port", "attempts"), [("ntlm", "negotiate", 3), ("basic", "basic", 2)]
)
def test_a_method(apache: Peer, method: Any, port: str, attempts: int) -> None:
    """Where the proxy would prefer another one; or offers this one alone."""
    mark = apache.log.mark()
    proxy = Proxy(apache.url(port), **login(port), method=method)
    assert through(proxy, apache).failures == [()]
    assert len(apache.log.since(mark, attempts + 1)) == attempts + 1
    refused = through(replace(proxy, method="digest"), apache)
    [[failed]] = refused.failures
    assert failed.cause == "auth"
    assert failed.message.endswith("and method in [proxy] allows Digest only")


def under_load(
    apache: Peer, scheme: str, users: tuple[Account, ...], iterations: int
) -> LoadMetrics:
    """Each user asks twice in each iteration, through the proxy, as itself."""
    use = DatasetUse("users", "users.csv", lifespan="virtual user", sharable=False)
    columns = ("username", "password")
    case = TestCase(
        "c",
        (Page("p", (page("/open/page"), page("/open/page"))),),
        apache.url("https", "https"),
        tls=TlsSettings(ca=str(apache.folder / "ca.pem")),
        datasets=(use,),
        proxy=Proxy(
            apache.url(scheme),
            f"{DOMAIN}\\${{users.username}}" if scheme == "ntlm" else "${users.username}",
            "${users.password}",
        ),
    )
    plan = compile_case(case, datasets={"users": Dataset(columns, users)})
    configuration = LoadConfiguration(
        name="load",
        cases=(CaseShare("c.case.toml"),),
        users=len(users),
        duration=None,
        iterations=iterations,
        keep_connections=True,
    )
    return run_load(plan, configuration)


@pytest.mark.promise(131)
@pytest.mark.parametrize("scheme", ["digest", "ntlm"])
def test_each_user_is_somebody_else(apache: Peer, scheme: str) -> None:
    """Four users, connected over three iterations: the log has each by its name, and two CONNECTs
    of overhead per connection with NTLM, one with Digest."""
    users = many(4)
    mark = apache.log.mark()
    metrics = under_load(apache, scheme, users, 3)
    assert metrics.failed_requests == 0
    assert [one.requests for one in metrics.transactions] == [12, 12]
    overhead = 2 if scheme == "ntlm" else 1
    entries = apache.log.since(mark, 24 + (overhead + 1) * len(users))
    tunnels = [one for one in entries if one.port == scheme]
    prefix = f"{DOMAIN}\\" if scheme == "ntlm" else ""
    assert Counter(one.user for one in tunnels if one.status == 200) == {
        f"{prefix}{name}": 1 for name, _ in users
    }
    assert [one.status for one in tunnels].count(407) == overhead * len(users)
    assert len({one.connection for one in tunnels}) == len(users)
    assert metrics.negotiation.count == overhead * len(users)
    assert metrics.connect.count == len(users)


@pytest.mark.parametrize("scheme", ["digest", "ntlm"])
def test_one_wrong_password_in_a_dataset(apache: Peer, scheme: str) -> None:
    """Its row is named, and the others are not disturbed. Who is refused tries no second time, and
    goes on with neither of its iterations."""
    users = [*many(3)]
    users[1] = (users[1][0], "wrong")
    mark = apache.log.mark()
    metrics = under_load(apache, scheme, tuple(users), 2)
    name = {"ntlm": "NTLM", "digest": "Digest"}[scheme]
    assert [(one.cause, one.message, one.count) for one in metrics.errors] == [
        (
            "auth",
            f"proxy {apache.url(scheme)}: wrong user name or password: it refuses row 2 of "
            f"users.csv ({name})",
            2,
        )
    ]
    assert [one.requests for one in metrics.transactions] == [6, 4]
    attempts = 3 if scheme == "ntlm" else 2
    # one login that is refused, and a CONNECT without credentials in the other iteration
    count = attempts + 1 + 2 * attempts
    assert len(apache.log.since(mark, count, scheme)) == count


@pytest.mark.parametrize("scheme", ["digest", "ntlm"])
def test_users_who_share_a_wrong_password(apache: Peer, scheme: str) -> None:
    """One of them tries it, at one connection; to the others the proxy is as it was to that."""
    mark = apache.log.mark()
    metrics = under_load(apache, scheme, ((ALICE[0], "wrong"),) * 20, 2)
    assert {one.cause for one in metrics.errors} == {"auth"}
    assert metrics.failed_requests == 40
    tries = 2 if scheme == "ntlm" else 1
    log = apache.log.since(mark, 40 + tries, scheme)
    assert [one.status for one in log] == [407] * (40 + tries)


def test_over_a_slow_line(apache: Peer) -> None:
    """The line is below everything: the tunnel, its challenges and TLS go over it."""
    case = TestCase(
        "c",
        (Page("p", (page("/open/page"),)),),
        apache.url("https", "https"),
        tls=TlsSettings(ca=str(apache.folder / "ca.pem")),
        proxy=Proxy(apache.url("ntlm"), **login("ntlm")),
    )
    plan = compile_case(case)
    configuration = LoadConfiguration(
        "load", (CaseShare("c.case.toml"),), 1, None, iterations=1, bandwidth=PROFILES["3G"]
    )
    metrics = run_load(plan, configuration)
    assert metrics.failed_requests == 0
    assert metrics.requests == 1


@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_a_proxy_that_wants_tls(apache: Peer, transport: str) -> None:
    """Its certificate is judged by the same authority; then there is TLS in TLS."""
    proxy = Proxy(apache.url("secured", "https"), **login("digest"))
    mark = apache.log.mark()
    assert through(proxy, apache, transport=transport).failures == [()]
    # A CONNECT is logged when its tunnel has ended, which may be after other requests are.
    entries = apache.log.since(mark, 2, "secured")
    assert sorted(one.status for one in entries) == [200, 407]
    [[failed]] = through(proxy, apache, tls=TlsSettings(), transport=transport).failures
    assert failed.cause == "tls"
    assert failed.message.startswith(f"proxy {proxy.url}: certificate not trusted")
    plain = replace(proxy, url=apache.url("secured"))
    [[failed]] = through(plain, apache, transport=transport).failures
    assert failed.message.startswith(f"proxy {plain.url}: ")


@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_tls_settings_hold_in_a_tunnel(apache: Peer, transport: str) -> None:
    """The server's certificate is judged as ever."""
    proxy = Proxy(apache.url("none"))
    [[failed]] = through(proxy, apache, transport=transport, tls=TlsSettings()).failures
    assert failed.cause == "tls"
    assert failed.message.startswith("certificate not trusted")
    ca = str(apache.folder / "ca.pem")
    [[failed]] = through(
        proxy, apache, transport=transport, tls=TlsSettings(ca=ca, server_name="shop.example")
    ).failures
    assert "certificate is not valid for 'shop.example'" in f"certificate is not {failed.message}"
    assert through(proxy, apache, transport=transport, tls=TlsSettings(verify=False)).failures == [
        ()
    ]


@pytest.mark.parametrize("scheme", ["none", "ntlm"])
def test_http2_in_a_tunnel(squid: Peer, scheme: str) -> None:
    """What is agreed on in the handshake is between client and server."""
    proxy = Proxy(squid.url(scheme), **login(scheme))
    with serving([reply("hi")], tls=http2_only(), http2=True) as server:
        found = replay(
            server.url,
            *("/one", "/two"),
            proxy=proxy,
            tls=TlsSettings(verify=False),
            transport="httpx",
        )
    assert found.failures == [(), ()]
    assert [one.head.split(b"\r\n")[0] for one in found.responses] == [b"HTTP/2 200"] * 2
    assert server.connections == 1


@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_absolute_form(squid: Peer, apache: Peer, transport: str) -> None:
    """Plain http goes to the proxy as one whole address, cookies as they would to the server."""
    mark = squid.log.mark()
    proxy = Proxy(squid.url("none"))
    found = replay(apache.url("http"), page("/open/page"), proxy=proxy, transport=transport)
    assert found.failures == [()]
    [entry] = squid.log.since(mark, 1)
    assert (entry.method, entry.target) == ("GET", f"{apache.url('http')}/open/page")


def test_a_port_that_the_proxy_does_not_allow(apache: Peer) -> None:
    """Its own status, and what it usually means."""
    server = f"https://127.0.0.1:{apache.ports['http']}"
    [[failed]] = replay(server, "/", proxy=Proxy(apache.url("none"))).failures
    assert failed == Failure(
        "connect",
        f"proxy {apache.url('none')}: no tunnel to 127.0.0.1:{apache.ports['http']}: 403 Proxy "
        "Error: do its rules allow tunnels to this port (Apache: AllowCONNECT, squid: SSL_ports)?",
    )
