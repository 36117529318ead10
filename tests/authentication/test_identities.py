"""Virtual users log in at a real server; its own log counts the requests and the connections."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from pytest_loadtool.load import LoadMetrics
from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.case import Page, Recorded, Request, TestCase, Transaction
from pytest_loadtool.model.dataset import Dataset, DatasetUse, Lifespan
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.model.validator import StatusCodes, TextValidator
from pytest_loadtool.replay import compile_case
from tests.authentication.accounts import USERS, many
from tests.authentication.apache import PAGE
from tests.authentication.peer import Peer
from tests.observed import replay, run_load

ALICE, BOB = (Identity(name, password) for name, password in USERS)
NTLM_ALICE = replace(ALICE, username=r"EXAMPLE\alice")
BOUND = ("/negotiate", "/ntlm")


def page(target: str, **recorded: float) -> Transaction:
    """A transaction that wants the server's page."""
    times = Recorded(200, **recorded) if recorded else None  # type: ignore[arg-type]
    return Transaction(Request("GET", target), validators=(TextValidator(PAGE),), recorded=times)


@pytest.mark.promise(74)
@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_nonces_that_are_good_for_one_request(apache: Peer, transport: str) -> None:
    """Each answer has the next one (RFC 7616 §3.5), so one challenge is enough."""
    mark = apache.log.mark()
    pages = [page(f"/once/page?{number}") for number in range(5)]
    found = replay(apache.url("http"), *pages, identities=(ALICE,), transport=transport)
    assert found.failures == [()] * 5
    assert [one.status for one in apache.log.since(mark, 6)] == [401, *[200] * 5]
    told = [one.header("authentication-info") or "" for one in found.responses]
    assert all("nextnonce=" in one for one in told)


@pytest.mark.promise(82)
def test_realms_of_one_server_have_each_their_own(apache: Peer) -> None:
    """Whoever is known in realm One stays unknown to realm Two."""
    mark = apache.log.mark()
    identities = (replace(BOB, realm="Two"), replace(ALICE, realm="One"))
    targets = ["/basic/one/page", "/basic/two/page", "/basic/one/page?2", "/basic/two/page?2"]
    found = replay(apache.url("http"), *map(page, targets), identities=identities)
    assert found.failures == [()] * 4
    log = apache.log.since(mark, 6)
    assert [one.status for one in log] == [401, 200, 401, 200, 200, 200]
    assert [one.user for one in log if one.status == 200] == ["alice", "bob"] * 2
    mark = apache.log.mark()
    found = replay(apache.url("http"), *map(page, targets[:2]), identities=identities[1:])
    assert [[one.cause for one in some] for some in found.failures] == [[], ["status", "text"]]
    assert len(apache.log.since(mark, 3)) == 3


@pytest.mark.promise(87)
@pytest.mark.parametrize("transport", ["raw", "httpx"])
@pytest.mark.parametrize("path", BOUND)
def test_a_large_post_first_on_a_connection_goes_out_twice(
    apache: Peer, path: str, transport: str
) -> None:
    """The server has read its body in the first request and in the last, and nothing between."""
    body = "a large form " * 50_000
    mark = apache.log.mark()
    post = Transaction(Request("POST", f"{path}/echo", body=body))
    found = replay(apache.url("http"), post, identities=(NTLM_ALICE,), transport=transport)
    assert found.failures == [()]
    assert found.responses[0].text == body
    log = apache.log.since(mark, 3)
    assert [one.status for one in log] == [401, 401, 200]
    assert [one.received // len(body) for one in log] == [1, 0, 1]


@pytest.mark.promise(86)
@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_six_connections_log_in_once_each(apache: Peer, transport: str) -> None:
    """As a browser's: what comes later on a connection costs one request."""
    pages = [page("/ntlm/page", took=0.1)]
    pages += [page(f"/ntlm/page?{number}", at=0.1, took=0.1) for number in range(24)]
    mark = apache.log.mark()
    found = replay(apache.url("http"), *pages, identities=(NTLM_ALICE,), transport=transport)
    assert found.failures == [()] * 25
    assert len(found.challenges) == 2 * 6
    log = apache.log.since(mark, 25 + 2 * 6)
    assert Counter(one.status for one in log) == {200: 25, 401: 2 * 6}
    inside = Counter(one.connection for one in log if one.status == 200)
    assert len(inside) == 6


@pytest.mark.parametrize("transport", ["raw", "httpx"])
@pytest.mark.parametrize("status", [400, 403, 503])
@pytest.mark.parametrize("path", BOUND)
def test_an_answer_in_the_middle_of_a_handshake(
    apache: Peer, path: str, status: int, transport: str
) -> None:
    """It is the transaction's, and nobody is logged in: the next request begins anew."""
    targets = [f"{path}/page?first={status}", f"{path}/page", f"{path}/page?2"]
    mark = apache.log.mark()
    found = replay(
        apache.url("http"), *map(page, targets), identities=(NTLM_ALICE,), transport=transport
    )
    (failure, _), *others = found.failures
    name = "NTLM" if path == "/ntlm" else "Negotiate"
    assert failure.message == (
        f"Status Code is {status}, expected 200-399, "
        f"in the middle of the {name} handshake: nobody is logged in"
    )
    assert others == [(), ()]
    log = apache.log.since(mark, 6)
    assert [one.status for one in log] == [401, status, 401, 401, 200, 200]


@pytest.mark.parametrize("path", ["/basic/one", "/digest", "/ntlm"])
def test_an_answer_that_does_not_say_whether_credentials_are_right(apache: Peer, path: str) -> None:
    """What was answered so is not taken for known, unless the transaction expects it."""
    first = page(f"{path}/page?last=503")
    mark = apache.log.mark()
    identities = (NTLM_ALICE if path == "/ntlm" else ALICE,)
    pages = (first, page(f"{path}/page"), page(f"{path}/page?2"))
    found = replay(apache.url("http"), *pages, identities=identities)
    (failure, _), *others = found.failures
    assert failure.message.startswith("Status Code is 503, expected 200-399, in answer to cred")
    assert others == [(), ()]
    asked = [401, 401] if path in BOUND else [401]
    log = apache.log.since(mark, 3 + 2 * len(asked))
    assert [one.status for one in log] == [*asked, 503, *asked, 200, 200]


@pytest.mark.parametrize("path", ["/basic/one", "/digest"])
def test_a_refusal_that_the_transaction_expects(apache: Peer, path: str) -> None:
    """Whoever may not see a page is known all the same: the credentials go ahead."""
    forbidden = Transaction(
        Request("GET", f"{path}/page?last=403"), status=StatusCodes(((403, 403),))
    )
    mark = apache.log.mark()
    found = replay(apache.url("http"), forbidden, page(f"{path}/page"), identities=(ALICE,))
    assert found.failures == [(), ()]
    assert [one.status for one in apache.log.since(mark, 3)] == [401, 403, 200]


OF_DATASET = Identity(r"EXAMPLE\${users.username}", "${users.password}")


def load(
    apache: Peer, rows: tuple[tuple[str, str], ...], who: Identity = OF_DATASET, **settings: Any
) -> LoadMetrics:
    """Three pages, with the case's own order of rows: the first user has the first, and so on."""
    case = TestCase(
        "shop",
        tuple(Page(name, (page(f"/ntlm/page?{name}"),)) for name in ("one", "two", "three")),
        apache.url("http"),
        identities=(who,),
        datasets=(DatasetUse("users", "users.csv"),),
    )
    dataset = Dataset(("username", "password"), rows)
    plan = compile_case(case, datasets={"users": dataset})
    configuration = LoadConfiguration(
        **{
            "name": "load",
            "cases": (CaseShare("shop.case.toml"),),
            "users": len(rows),
            "duration": None,
            "iterations": 1,
            **settings,
        }
    )
    return run_load(plan, configuration)


@pytest.mark.promise(86)
@pytest.mark.promise(92)
def test_500_users_with_a_login_of_their_own(apache: Peer) -> None:
    """No errors, two requests more for each connection, on which nobody else ever is; they are
    timed apart, and pages take them along."""
    users = many(500)
    mark = apache.log.mark()
    metrics = load(apache, users)
    assert metrics.failed_requests == 0
    assert metrics.requests == 3 * 500
    assert metrics.negotiation.count == 2 * 500
    log = apache.log.since(mark, (3 + 2) * 500)
    assert Counter(one.status for one in log) == {200: 3 * 500, 401: 2 * 500}
    seen = {(one.connection, one.user) for one in log if one.status == 200}
    assert len(seen) == len({connection for connection, _ in seen}) == 500
    assert {user for _, user in seen} == {rf"EXAMPLE\{name}" for name, _ in users}
    assert sum(one.service.count for one in metrics.transactions) == 3 * 500
    first = metrics.pages[0].durations.total
    assert first >= metrics.transactions[0].service.total + metrics.negotiation.total


def sharing(apache: Peer, path: str, password: str) -> LoadMetrics:
    """200 users are alice, twice each, and all begin at once."""
    who = Identity(r"EXAMPLE\alice" if path in BOUND else "alice", password)
    case = TestCase(
        "shop", (Page("p", (page(f"{path}/page"),)),), apache.url("http"), identities=(who,)
    )
    configuration = LoadConfiguration(
        "load", (CaseShare("shop.case.toml"),), 200, duration=None, iterations=2
    )
    return run_load(compile_case(case), configuration)


@pytest.mark.parametrize("path", ["/basic/one", "/digest", "/ntlm"])
def test_200_users_who_share_a_wrong_password(apache: Peer, path: str) -> None:
    """It is tried once, so that no account is locked; all of them fail with the cause, in one line
    of errors."""
    mark = apache.log.mark()
    metrics = sharing(apache, path, "wrong")
    (error,) = metrics.errors
    assert (error.cause, error.count) == ("auth", 400)
    refused = "wrong user name or password: the server refuses the user"
    assert error.message.startswith(refused)
    tries = 2 if path in BOUND else 1
    assert metrics.negotiation.count == tries
    assert len(apache.log.since(mark, 400 + tries)) == 400 + tries


@pytest.mark.parametrize("path", ["/digest", "/ntlm"])
def test_200_users_who_share_a_right_password(apache: Peer, path: str) -> None:
    """The others wait until one is let in, and each logs in for itself, once per iteration."""
    mark = apache.log.mark()
    metrics = sharing(apache, path, USERS[0][1])
    assert not list(metrics.errors)
    asked = 400 * (2 if path in BOUND else 1)
    log = apache.log.since(mark, 400 + asked)
    assert Counter(one.status for one in log) == {401: asked, 200: 400}


@pytest.mark.parametrize("kept", [False, True])
def test_a_wrong_password_in_one_row(apache: Peer, kept: bool) -> None:
    """One line of errors, which names the row; all others get in."""
    rows = [*many(30)]
    rows[16] = (rows[16][0], "wrong")
    mark = apache.log.mark()
    metrics = load(apache, tuple(rows), iterations=3, keep_connections=kept)
    (error,) = metrics.errors
    assert error.cause == "auth"
    assert error.message == (
        "wrong user name or password: the server refuses row 17 of users.csv (NTLM)"
    )
    assert error.count == 3
    assert "wrong user" not in error.example
    assert metrics.requests == (29 * 3 + 1) * 3
    # Who is refused has said so once: then its requests end with the first question.
    asked = 29 * 2 * (1 if kept else 3) + 3 + 2
    log = apache.log.since(mark, 29 * 3 * 3 + asked)
    assert Counter(one.status for one in log) == {200: 29 * 3 * 3, 401: asked}


@pytest.mark.parametrize(("lifespan", "logins"), [("virtual user", 1), ("test case", 3)])
def test_kept_connections_stay_with_who_they_are_of(
    apache: Peer, lifespan: Lifespan, logins: int
) -> None:
    """Somebody else, in the next iteration, begins with new connections."""
    case = TestCase(
        "shop",
        (Page("one", (page("/ntlm/page"), page("/ntlm/page?2"))),),
        apache.url("http"),
        identities=(OF_DATASET,),
        datasets=(DatasetUse("users", "users.csv", lifespan),),
    )
    dataset = Dataset(("username", "password"), many(3))
    plan = compile_case(case, datasets={"users": dataset})
    configuration = LoadConfiguration(
        "load", (CaseShare("shop.case.toml"),), 1, None, iterations=3, keep_connections=True
    )
    mark = apache.log.mark()
    metrics = run_load(plan, configuration)
    log = apache.log.since(mark, 6 + 2 * logins)
    assert metrics.failed_requests == 0
    assert Counter(one.status for one in log) == {200: 6, 401: 2 * logins}
    seen = [(one.user, one.connection) for one in log if one.status == 200]
    assert len({user for user, _ in seen}) == len({where for _, where in seen}) == logins
