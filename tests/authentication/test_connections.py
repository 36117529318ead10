"""How often what is large is sent, and how often each connection logs in, through proxies too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.load import LoadMetrics
from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.case import Kind, Page, Recorded, Request, TestCase, Transaction
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay import Plan, compile_case
from tests.authentication.access_log import Entry
from tests.authentication.accounts import DOMAIN, USERS, many
from tests.authentication.matrix import BOUND, OVERHEAD, PATHS
from tests.authentication.peer import Peer
from tests.observed import Observed, replay, run_load

(ALICE, PASSWORD), (BOB, BOBS) = USERS
WHO = Identity(ALICE, PASSWORD, DOMAIN)

SCHEMES = [one for one in OVERHEAD if one != "none"]


def load(plan: Plan, users: int = 1, **settings: Any) -> LoadMetrics:
    """What becomes of these users."""
    configuration = LoadConfiguration(
        "load", (CaseShare("case.case.toml"),), users, duration=None, **settings
    )
    return run_load(plan, configuration)


def _by_connection(log: list[Entry]) -> Mapping[int, list[int]]:
    """The statuses of each connection."""
    return {
        connection: [one.status for one in log if one.connection == connection]
        for connection in {one.connection for one in log}
    }


@pytest.mark.promise(87)
@pytest.mark.parametrize("proxy", OVERHEAD)
@pytest.mark.parametrize("server", SCHEMES)
def test_a_large_post_through_a_proxy(apache: Peer, squid: Peer, server: str, proxy: str) -> None:
    """It goes out with the question and with the answer, at either gate; what begins NTLM has no
    body. The next one goes out once."""
    body = "x" * 300_000
    at_server, at_proxy = apache.log.mark(), squid.log.mark()
    who = (BOB, BOBS, DOMAIN) if proxy != "none" else ()
    observed = replay(
        apache.url("http"),
        Transaction(Request("POST", f"{PATHS[server]}/echo", body=body)),
        Transaction(Request("POST", f"{PATHS[server]}/echo", body=body)),
        identities=(WHO,),
        proxy=Proxy(squid.url(proxy), *who),
    )
    assert observed.failures == [(), ()]
    assert [one.body for one in observed.responses] == [body.encode()] * 2
    asked = [True, *[False] * (OVERHEAD[server] - 1)]
    log = apache.log.since(at_server, len(asked) + 2, "http")
    assert [one.received > len(body) for one in log] == [*asked, True, True]
    # squid counts no more of what it refuses than it has read by then.
    log = squid.log.since(at_proxy, OVERHEAD[proxy] + len(asked) + 2, proxy)
    assert [one.status for one in log] == [
        *[407] * OVERHEAD[proxy], *[401] * len(asked), 200, 200,
    ]  # fmt: skip
    empty = [one.received < 1000 for one in log]
    assert empty[: OVERHEAD[proxy]] == [False, True][: OVERHEAD[proxy]]
    assert [not one for one in empty[OVERHEAD[proxy] :]] == [*asked, True, True]


@pytest.mark.promise(86)
@pytest.mark.parametrize("proxy", BOUND)
@pytest.mark.parametrize("server", BOUND)
@pytest.mark.parametrize("port", ["http", "https"])
def test_six_connections_through_a_proxy(
    apache: Peer, squid: Peer, server: str, proxy: str, port: str
) -> None:
    """Each logs in once at the proxy, as one user, and once at the server behind it, as another."""
    path = f"{PATHS[server]}/page"
    document = Transaction(Request("GET", path), recorded=Recorded(200, Kind.HTML, took=1.0))
    resources = tuple(
        Transaction(Request("GET", f"{path}?{n}"), recorded=Recorded(200, at=1.1, took=1.0))
        for n in range(18)
    )
    case = TestCase(
        "c",
        (Page("p", (document, *resources)),),
        apache.url(port, port),
        identities=(WHO,),
        proxy=Proxy(squid.url(proxy), BOB, BOBS, DOMAIN),
        tls=TlsSettings(ca=f"{apache.folder}/ca.pem"),
    )
    at_server, at_proxy, observed = apache.log.mark(), squid.log.mark(), Observed()
    replay_once(compile_case(case), observer=observed)
    assert observed.failures == [()] * 19

    asked, log = 2 * 6, apache.log.since(at_server, 19 + 2 * 6, port)
    assert Counter(one.status for one in log) == {401: asked, 200: 19}
    for statuses in _by_connection(log).values():  # squid may ask several first questions on one
        assert statuses == sorted(statuses, reverse=True)
        assert port == "http" or statuses.count(401) == 2

    passed = 6 if port == "https" else 19 + asked
    log = squid.log.since(at_proxy, asked + passed, proxy)
    connections = _by_connection(log)
    assert (len(connections), len(log)) == (6, asked + passed)
    for statuses in connections.values():
        assert statuses[:2] == [407, 407]
        assert 407 not in statuses[2:]


@pytest.mark.parametrize(
    ("at", "port", "transport"),
    [
        ("server", "http", "raw"),
        ("server", "https", "httpx"),
        ("proxy", "http", "raw"),
        ("proxy", "https", "raw"),
        ("proxy", "https", "httpx"),
    ],
)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_wrong_password_on_six_connections(
    apache: Peer, squid: Peer, scheme: str, at: str, port: str, transport: Any
) -> None:
    """It is tried on one of them, in the first of three iterations, and then no more: the other
    requests are refused before they have said who asks."""
    wrong = Identity(ALICE, "wrong", DOMAIN)
    path = f"{PATHS[scheme if at == 'server' else 'none']}/page"
    resources = tuple(
        Transaction(Request("GET", f"{path}?{n}"), recorded=Recorded(200, at=1.1, took=1.0))
        for n in range(6)
    )
    document = Transaction(Request("GET", "/open/page"), recorded=Recorded(200, took=1.0))
    case = TestCase(
        "case",
        (Page("p", (document, *resources) if at == "server" else resources),),
        apache.url(port, port),
        identities=(wrong,) if at == "server" else (),
        proxy=Proxy(squid.url(scheme), ALICE, "wrong", DOMAIN) if at == "proxy" else None,
        tls=TlsSettings(ca=f"{apache.folder}/ca.pem"),
        transport=transport,
    )
    peer, status = (apache, 401) if at == "server" else (squid, 407)
    mark = peer.log.mark()
    metrics = load(compile_case(case), iterations=3)
    ((cause, message),) = {(one.cause, one.message) for one in metrics.errors}
    assert cause == "auth"
    assert "wrong user name or password" in message
    assert metrics.failed_requests == 3 * 6
    asked = 3 * 6 + OVERHEAD[scheme]
    where = port if at == "server" else scheme
    log = peer.log.since(mark, asked + (3 if at == "server" else 0), where)
    assert Counter(one.status for one in log) == {
        status: asked,
        **({200: 3} if at == "server" else {}),
    }


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_user_keeps_what_it_has_entered(apache: Peer, scheme: str) -> None:
    """With its connections and its state kept, a virtual user is asked once in its life."""
    get = Transaction(Request("GET", f"{PATHS[scheme]}/page"))
    post = Transaction(Request("POST", f"{PATHS[scheme]}/echo", body="posted"))
    case = TestCase(
        "case",
        (Page("one", (get,)), Page("two", (post,))),
        apache.url("http"),
        identities=(Identity("${users.username}", "${users.password}", DOMAIN),),
        datasets=(DatasetUse("users", "users.csv", "virtual user", sharable=False),),
    )
    dataset = Dataset(("username", "password"), many(3))
    plan = compile_case(case, datasets={"users": dataset})
    mark = apache.log.mark()
    metrics = load(plan, users=3, iterations=4, keep_connections=True, keep_state=True)
    assert (metrics.requests, metrics.failed_requests) == (24, 0)
    log = apache.log.since(mark, 24 + 3 * OVERHEAD[scheme])
    assert Counter(one.status for one in log) == {401: 3 * OVERHEAD[scheme], 200: 24}
