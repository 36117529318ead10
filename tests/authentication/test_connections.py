"""What authentication belongs to: a connection, a realm, a user. Counted in Apache's log."""

from __future__ import annotations

import time
from collections import Counter, defaultdict

import pytest

from pytest_loadtool.load.metrics import LoadMetrics
from pytest_loadtool.load.share import Share
from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.case import Kind, Page, Recorded, Request, TestCase, Transaction
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay import compile_case
from pytest_loadtool.transport.functional import replay_once
from pytest_loadtool.transport.load import LoadRunner, metrics_for
from tests.authentication.access_log import Entry
from tests.authentication.accounts import DOMAIN, USERS, Account, many
from tests.authentication.matrix import BOUND, OVERHEAD, PATHS
from tests.authentication.peer import Peer
from tests.observed import Observed, replay

(ALICE, PASSWORD), (BOB, BOBS) = USERS

#: Of a dataset ``users``, as the test cases of load tests have it.
FROM_DATASET = Identity("${users.username}", "${users.password}", DOMAIN)

SCHEMES = [one for one in OVERHEAD if one != "none"]


def _by_connection(log: list[Entry]) -> list[list[Entry]]:
    found: defaultdict[int, list[Entry]] = defaultdict(list)
    for one in log:
        found[one.connection].append(one)
    return list(found.values())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_large_post_goes_out_twice(apache: Peer, scheme: str) -> None:
    """As the first request of a connection: once to be asked, once with the credentials. What
    begins NTLM between the two has no body."""
    body = "x" * 300_000
    mark = apache.log.mark()
    observed = replay(
        apache.url("http"),
        Transaction(Request("POST", f"{PATHS[scheme]}/echo", body=body)),
        Transaction(Request("POST", f"{PATHS[scheme]}/echo", body=body)),
        identities=(Identity(ALICE, PASSWORD, DOMAIN),),
    )
    assert [one.body for one in observed.responses] == [body.encode()] * 2
    log = apache.log.since(mark, OVERHEAD[scheme] + 2)
    large = [one.received > len(body) for one in log]
    assert large == [True, *[False] * (OVERHEAD[scheme] - 1), True, True]


@pytest.mark.parametrize("scheme", BOUND)
@pytest.mark.parametrize("port", ["http", "https"])
@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_each_of_six_connections_logs_in_once(
    apache: Peer, scheme: str, port: str, transport: str
) -> None:
    """A page's resources go out over six connections, and each has two requests more."""
    path = PATHS[scheme]
    document = Transaction(
        Request("GET", f"{path}/page"), recorded=Recorded(200, Kind.HTML, took=1.0)
    )
    resources = tuple(
        Transaction(Request("GET", f"{path}/page?{n}"), recorded=Recorded(200, at=1.1, took=1.0))
        for n in range(18)
    )
    case = TestCase(
        "c",
        (Page("p", (document, *resources)),),
        apache.url(port, port),
        identities=(Identity(ALICE, PASSWORD, DOMAIN),),
        transport=transport,
        tls=TlsSettings(ca=f"{apache.folder}/ca.pem"),
    )
    mark, observed = apache.log.mark(), Observed()
    replay_once(compile_case(case), observer=observed)
    assert observed.failures == [()] * 19
    assert len(observed.challenges) == 12
    log = apache.log.since(mark, 19 + 12)
    assert len(log) == 19 + 12
    let_in = [one for one in _by_connection(log) if one[-1].status == 200]
    assert len(let_in) == 6
    # httpx asks on connections that it shares, and logs in on others.
    asked = [401, 401] if transport == "raw" else [401]
    for one in let_in:
        assert [entry.status for entry in one] == asked + [200] * (len(one) - len(asked))


def test_credentials_stay_in_their_realm(apache: Peer) -> None:
    """Each realm is answered by its own identity. Basic goes ahead at and below the directory that
    was asked for, and nowhere else."""
    mark = apache.log.mark()
    targets = ["one/page", "two/page", "one/page?2", "two/page?2", "one/page?3"]
    observed = replay(
        apache.url("http"),
        *[f"/basic/{one}" for one in targets],
        identities=(
            Identity(BOB, BOBS, realm="Two"),
            Identity(ALICE, PASSWORD, realm="One"),
        ),
    )
    assert observed.failures == [()] * 5
    log = apache.log.since(mark, 7)
    assert [(one.target.split("/")[2], one.status, one.user) for one in log] == [
        ("one", 401, ""), ("one", 200, ALICE), ("two", 401, ""), ("two", 200, BOB),
        ("one", 200, ALICE), ("two", 200, BOB), ("one", 200, ALICE),
    ]  # fmt: skip


def test_no_identity_for_the_realm(apache: Peer) -> None:
    """Then nobody answers: the 401 is a response, and no credentials have gone out."""
    mark = apache.log.mark()
    observed = replay(
        apache.url("http"), "/basic/two/page", identities=(Identity(ALICE, PASSWORD, realm="One"),)
    )
    assert [one.status for one in observed.responses] == [401]
    assert [one.status for one in apache.log.since(mark, 1)] == [401]


def run_load(
    apache: Peer, port: str, scheme: str, accounts: tuple[Account, ...], **settings: object
) -> LoadMetrics:
    """A load test whose users ask for a page twice, each iteration as the next of ``accounts``."""
    case = TestCase(
        "case",
        (
            Page("one", (Transaction(Request("GET", f"{PATHS[scheme]}/page")),)),
            Page("two", (Transaction(Request("POST", f"{PATHS[scheme]}/echo", body="posted")),)),
        ),
        apache.url(port, port),
        identities=(FROM_DATASET,),
        datasets=(DatasetUse("users", "users.csv", sharable=False),),
        tls=TlsSettings(ca=f"{apache.folder}/ca.pem"),
    )
    plan = compile_case(case, datasets={"users": Dataset(("username", "password"), accounts)})
    metrics = metrics_for([plan])
    cases = (CaseShare("case.case.toml"),)
    configuration = LoadConfiguration("load", cases, duration=None, **settings)  # type: ignore[arg-type]  # by name
    LoadRunner([plan], configuration, Share(), metrics).run(time.time())
    return metrics


@pytest.mark.parametrize("scheme", BOUND)
def test_a_connection_is_of_one_user_alone(apache: Peer, scheme: str) -> None:
    """Also where a virtual user keeps its connections and is somebody else in each iteration: what
    a connection has authenticated is never used by another."""
    accounts = many(12)
    mark = apache.log.mark()
    metrics = run_load(
        apache, "http", scheme, accounts, users=3, iterations=4, keep_connections=True
    )
    assert (metrics.requests, metrics.failed_requests) == (24, 0)
    log = apache.log.since(mark, 48)
    users = [{one.user for one in each} - {""} for each in _by_connection(log)]
    assert Counter(name for each in users for name in each) == {
        rf"{DOMAIN}\{name}": 1 for name, _ in accounts
    }
    assert all(len(each) == 1 for each in users)
    assert [one.status for one in log].count(401) == 24


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_user_keeps_what_it_has_entered(apache: Peer, scheme: str) -> None:
    """With its connections and its state kept, a virtual user is asked once in its life."""
    mark = apache.log.mark()
    metrics = run_load(
        apache, "http", scheme, many(3),
        users=3, iterations=4, keep_connections=True, keep_state=True,
    )  # fmt: skip
    assert (metrics.requests, metrics.failed_requests) == (24, 0)
    log = apache.log.since(mark, 24)
    assert [one.status for one in log].count(401) == 3 * OVERHEAD[scheme]
