"""Servers that are not there: users of the closed model wait before they try again."""

from __future__ import annotations

import pytest

from pytest_loadtool.load import LoadMetrics
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.replay import compile_case
from tests.faults.server import by_path, cut, once, serving, well
from tests.observed import run_load
from tests.ports import free_port

TRANSPORTS = pytest.mark.parametrize("transport", ["raw", "httpx"])


def load(url: str, transport: str, *targets: str, users: int, **settings: object) -> LoadMetrics:
    """One page of requests, again and again."""
    page = Page("p", tuple(Transaction(Request("GET", target)) for target in targets))
    plan = compile_case(TestCase("case", (page,), url, transport=transport))
    configuration = LoadConfiguration("load", (CaseShare("c.case.toml"),), users, **settings)  # type: ignore[arg-type]
    return run_load(plan, configuration)


@TRANSPORTS
def test_refused_users_back_off(transport: str) -> None:
    """They begin 0, 10, 30, 70, 150, 310, 630 and 1,270 ms after the start, or later: who takes
    longer than that to be refused need not wait."""
    url = f"http://127.0.0.1:{free_port()}"
    refused = load(url, transport, "/", users=3, duration=None, iterations=8)
    assert {error.cause for error in refused.errors} == {"connect"}
    assert refused.requests == 3 * 8
    assert 0 < refused.backed_off_us <= 3 * 2_550_000


@TRANSPORTS
def test_arrivals_come_when_they_are_due(transport: str) -> None:
    """In the open model nobody backs off."""
    refused = load(
        f"http://127.0.0.1:{free_port()}", transport, "/", users=20, duration=0.5, rate=100.0
    )
    assert refused.requests + refused.dropped == 50
    assert refused.backed_off_us == 0


@TRANSPORTS
def test_an_answer_ends_it(transport: str) -> None:
    """The wait begins anew with the shortest: 10, 20 and 40 ms before it, 10 ms after."""
    hang_up = once(cut())
    answer = once(cut(b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"))
    with serving(hang_up, hang_up, hang_up, answer, hang_up, well) as server:
        metrics = load(server.http, transport, "/", users=1, duration=None, iterations=6)
    assert metrics.total().statuses == {0: 4, 500: 1, 200: 1}
    assert metrics.backed_off_us <= 80_000


@TRANSPORTS
@pytest.mark.parametrize("targets", [("/well", "/cut"), ("/cut", "/well")])
def test_who_is_answered_does_not_back_off(transport: str, targets: tuple[str, str]) -> None:
    """A server that answers some of it is there, and gets its load."""
    with serving(by_path({"/cut": cut()})) as server:
        metrics = load(server.http, transport, *targets, users=2, duration=None, iterations=5)
    assert metrics.failed_requests == 10
    assert metrics.backed_off_us == 0
