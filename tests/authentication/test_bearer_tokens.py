"""Bearer tokens that expire: recorded, configured and replayed on a server with OAuth2.

What its tokens are good for is counted in requests, or renewed for by what the server says: nothing
here depends on how quick the machine is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlencode

import pytest

from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.case import Page, TestCase, Transaction
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.hook import Hook, HookFunction, Hooks
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.model.result import Failure
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import compile_case
from pytest_loadtool.replay.hook_arguments import HookRequest
from tests.authentication.token_server import TokenServer, token_server
from tests.correlation.client import Client
from tests.correlation.talk import configure
from tests.observed import Observed, run_load

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def running() -> Iterator[TokenServer]:
    """The server."""
    with token_server() as server:
        yield server


class _Browser:
    """What an application's script does, recorded."""

    def __init__(self, url: str) -> None:
        self.client = Client(url)
        self.refresh_token = ""
        self._take("/token", grant_type="password", username="kim", password="kim's")

    def _take(self, path: str, **form: str) -> None:
        answer = self.client.send("POST", path, urlencode(form).encode(), FORM).json()
        self.client.headers["Authorization"] = f"Bearer {answer['access_token']}"
        self.refresh_token = answer["refresh_token"]

    def refresh(self) -> None:
        self._take("/token/refresh", grant_type="refresh_token", refresh_token=self.refresh_token)

    def case(self, name: str) -> TestCase:
        """Its test case, configured."""
        self.client.close()
        exchanges = self.client.exchanges
        return configure(build_case(exchanges, name=name).case, exchanges).case


@pytest.fixture(scope="module")
def recorded(running: TokenServer) -> TestCase:
    """A session with a refresh in the middle of it, configured."""
    browser = _Browser(running.url)
    browser.client.send("GET", "/me")
    browser.refresh()
    browser.client.send("GET", "/me")
    browser.client.send("POST", "/orders")
    return browser.case("orders")


@pytest.fixture
def server(running: TokenServer) -> TokenServer:
    """The server, which has done nothing yet."""
    running.counts = Counter()
    running.lives, running.uses, running.failing = None, 1_000_000, False
    return running


def paged(case: TestCase, *pages: tuple[int, ...], think_time: float = 0.0) -> TestCase:
    """The case with the transactions of these numbers on its pages."""
    every = tuple(case.transactions())
    return replace(
        case,
        pages=tuple(
            Page(f"{n}", tuple(_alone(every[index]) for index in indexes), think_time)
            for n, indexes in enumerate(pages)
        ),
    )


def _alone(transaction: Transaction) -> Transaction:
    """Not overlapping others, wherever it has gone."""
    return replace(transaction, recorded=None)


LOGIN, ME, REFRESH, ME_2, ORDER = range(5)
ALL = (LOGIN, ME, ME, REFRESH, ME_2, ME_2, ORDER)


def replayed(case: TestCase) -> Observed:
    """What one user saw."""
    observed = Observed()
    replay_once(compile_case(case), observer=observed)
    return observed


def test_the_recorded_refresh_is_marked(recorded: TestCase) -> None:
    """And tokens are in the headers, not in the text."""
    assert [one.refreshes for one in recorded.transactions()] == ["", "", "bearer_token[1]", "", ""]


@pytest.mark.parametrize("uses", [1, 1_000_000])
def test_a_token_that_expired_while_recording(server: TokenServer, uses: int) -> None:
    """The request that was refused is no transaction: it is made once, whether it is refused again
    or not."""
    server.uses = 1
    browser = _Browser(server.url)
    browser.client.send("GET", "/me")
    browser.client.send("POST", "/orders", expected=401)
    browser.refresh()
    browser.client.send("POST", "/orders")
    case = browser.case("expired")
    titles = ["POST /token", "GET /me", "POST /token/refresh", "POST /orders"]
    assert [one.title for one in case.transactions()] == titles
    server.counts, server.uses = Counter(), uses
    assert replayed(case).failures == [()] * 4
    assert server.counts["orders"] == 1


@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_tokens_that_expire(recorded: TestCase, server: TokenServer, transport: str) -> None:
    """Each request that is refused is sent once more with a new token: nothing fails, and what
    changes something happens once."""
    server.uses = 1
    observed = replayed(replace(paged(recorded, ALL), transport=transport))
    assert observed.failures == [()] * len(ALL)
    assert server.counts == {
        "login": 1, "refresh": 4, "401": 3, "kim": 5, "orders": 1
    }  # fmt: skip
    # Each page's own requests, each of the 401s, each renewal; the recorded refresh is no renewal.
    assert len(observed.challenges) == 3 + 3


@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_tokens_that_expire_with_functions(
    recorded: TestCase, server: TokenServer, transport: str
) -> None:
    """A function that signs sees each request that is sent, also again with a new token, and the
    renewals: its signature is always of the token beside it."""
    server.uses = 1
    sent: list[tuple[str, str]] = []

    def sign(request: HookRequest, user: object) -> None:
        token = request.headers.get("Authorization", "nobody")
        sent.append((request.transaction, request.headers.get("X-Signed", "")))
        request.headers["X-Signed"] = token[::-1]

    hooks = Hooks(request=Hook("sign", sign, (HookFunction(__file__, "conftest.py", 1),)))
    case = replace(paged(recorded, ALL), transport=transport)
    observed = Observed()
    replay_once(compile_case(case, hooks=hooks), observer=observed)
    assert observed.failures == [()] * len(ALL)
    assert server.counts["refresh"] == 4
    assert len(sent) == len(ALL) + 3 + 3
    assert {signed for _, signed in sent} == {""}, "nothing is left of the first try"
    for response in (*observed.responses, *observed.challenges):
        head = response.send.data.partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
        headers = dict(one.split(": ", 1) for one in head if ": " in one)
        if "X-Signed" in headers:
            assert headers["X-Signed"] == headers.get("Authorization", "nobody")[::-1]


@pytest.mark.slow
def test_tokens_are_renewed_in_time(recorded: TestCase, server: TokenServer) -> None:
    """The server says how long they live: no request goes out that it would refuse."""
    server.lives = 1
    case = paged(recorded, (LOGIN,), (ME,), (REFRESH, ME_2), (ORDER,), think_time=1.1)
    observed = replayed(case)
    assert observed.failures == [()] * 5
    assert server.counts["401"] == 0
    assert server.counts["refresh"] >= 3
    assert len(observed.challenges) == server.counts["refresh"] - 1


def test_a_refresh_that_fails(recorded: TestCase, server: TokenServer) -> None:
    """The first request that is refused says why; the server is asked for a token just once more,
    where the recording does."""
    server.uses, server.failing = 1, True
    observed = replayed(paged(recorded, (LOGIN, ME, ME, ME, REFRESH)))
    why = Failure(
        "auth",
        "the token ${bearer_token[1]} has expired, and POST /token/refresh, which should refresh "
        "it, failed: Status Code is 400, expected 200-399",
    )
    assert observed.failures[:4] == [(), (), (why,), (why,)]
    assert server.counts["refused refresh"] == 2


def test_many_users_with_tokens_of_their_own(recorded: TestCase, server: TokenServer) -> None:
    """Under load, with a token for every two requests: no error, no token of another's, no refresh
    token twice, and every request of the server's is in the results."""
    server.uses = 2
    users = tuple((f"user{n}", f"user{n}'s") for n in range(8))
    case = paged(recorded, (LOGIN, *[ME] * 5, REFRESH, *[ME_2] * 5))
    login, *others = case.pages[0].transactions
    form = "grant_type=password&username=${users.username}&password=${users.password}"
    login = replace(login, request=replace(login.request, body=form))
    case = replace(
        case,
        pages=(replace(case.pages[0], transactions=(login, *others)),),
        datasets=(DatasetUse("users", "users.csv"),),
    )
    plan = compile_case(case, datasets={"users": Dataset(("username", "password"), users)})
    configuration = LoadConfiguration(
        "load", (CaseShare("c.case.toml"),), users=8, duration=None, iterations=2
    )
    metrics = run_load(plan, configuration)
    counts = server.counts
    assert metrics.failed_requests == 0
    assert counts["refused refresh"] == 0
    assert {counts[name] for name, _ in users} == {2 * 10}
    own = metrics.transactions[6].requests
    assert counts["refresh"] - own > 8
    assert metrics.cut == 0
    assert metrics.renewals == counts["refresh"] - own
    assert metrics.negotiation.count == counts["401"] + metrics.renewals
    assert metrics.requests + metrics.negotiation.count == sum(counts.values())
