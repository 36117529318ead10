"""Polling that was recorded becomes one transaction that is asked until its answer has come."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from pytest_loadtool.casefile import format_case, parse_case
from pytest_loadtool.editing.polling import poll_decisions, with_polling, without_polling
from pytest_loadtool.model.case import Page, TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Extractor, JsonPath
from pytest_loadtool.model.flow import Until
from pytest_loadtool.model.validator import (
    JsonValidator,
    RegexValidator,
    ResponseValidator,
    TextValidator,
    Validator,
)
from tests.correlation.exchanges import JSON, answered, case_of, exchange, json_body

POST = answered("POST", "/jobs", json_body({"id": 7}))
AFTER = answered("GET", "/report", json_body({}))


def polled(
    answers: Sequence[Any], method: str = "GET", statuses: Sequence[int] = ()
) -> list[Exchange]:
    """A job, these answers about it, and what comes after, half a second apart."""
    asked = [answered(method, "/jobs/7", json_body(one)) for one in answers]
    asked = [
        replace(one, status=status)
        for one, status in zip(asked, statuses or [200] * 99, strict=False)
    ]
    found = [POST, *asked, AFTER]
    return [replace(one, started=at * 0.5, took=0.1) for at, one in enumerate(found)]


def states(*names: Any, key: str = "status") -> list[dict[str, Any]]:
    return [{"id": 7, key: name} for name in names]


AAB, ACCEPTED = states("A", "A", "B"), [202, 202, 200]


@pytest.mark.promise(140)
@pytest.mark.parametrize(
    ("exchanges", "check"),
    [
        (polled(states("queued", "running", "running", "done")), JsonValidator("$.status", "done")),
        (polled(states(False, False, True, key="ready")), JsonValidator("$.ready", True)),
        (polled(states(10, 60, 100, key="percent")), JsonValidator("$.percent", at_least=100)),
        (polled([{"job": one} for one in AAB]), JsonValidator("$.job.status", "B")),
        (polled(states(None, None, {"total": 3}, key="result")), JsonValidator("$.result.total")),
        (polled(states(1, 2, 3), statuses=ACCEPTED), ResponseValidator("status", equals=200)),
        (polled(states("queued", "done")), None),
        (polled(states("queued", "queued", "queued")), None),
        (polled(states("queued", "done", "done")), None),
        (polled(states(1, 2, 3, key="seconds")), None),
        (polled(states("queued", "queued", "done"), method="POST"), None),
        (polled(states("queued", "queued", "done"), method="DELETE"), None),
        (polled(states("queued", "queued", "done"), statuses=[200, 0, 200]), None),
    ],
)  # fmt: skip
def test_what_it_is_asked_for(exchanges: list[Exchange], check: Validator | None) -> None:
    """What only the last of at least three answers has, whatever says so: a state, a boolean, a
    result, the status. Anything else is sent as recorded."""
    case = with_polling(case_of(*exchanges), exchanges)
    rules = [one.rule for one in case.flows.values()]
    if check is None:
        assert case == case_of(*exchanges)
        return
    assert rules == [Until(check, 0.4, 60.0)]
    asked = [one.request.target for one in case.transactions()]
    assert asked == ["/jobs", "/jobs/7", "/report"]
    assert parse_case(format_case(case), "x") == case


QUEUED = polled(states("queued", "queued", "queued", "done"))


def texts(*bodies: str, media: str = "text/html", target: str = "/jobs/7") -> list[Exchange]:
    """As `polled`."""
    received = (("Content-Type", f"{media}; charset=utf-8"),)
    asked = [
        answered("GET", target, exchange(received=received, answer=one.encode())) for one in bodies
    ]
    return [
        replace(one, started=at * 0.5, took=0.1) for at, one in enumerate([POST, *asked, AFTER])
    ]


def page(title: str, text: str, head: str = "") -> str:
    return f"<html><head><title>{title}</title>{head}</head><body><p id=a>{text}</p></body></html>"


RELOADING = '<META content="2" HTTP-EQUIV=refresh>'
RELOADS = r"""(?i)<meta\b[^>]*\bhttp-equiv\s*=\s*["']?refresh\b"""
PLAIN = {"media": "text/plain"}


@pytest.mark.promise(140)
@pytest.mark.parametrize(
    ("exchanges", "check"),
    [
        (texts("queued", "running", "done\n", **PLAIN), RegexValidator(r"^\s*done\s*$")),
        (texts("not done", "not done", "done", **PLAIN), RegexValidator(r"^\s*done\s*$")),
        (texts("3 of 9", "5 of 9", "9 of 9", **PLAIN), None),
        (texts("a", "b", "c", media="text/css"), None),
        (texts(*[page("Job", "Wait 1", RELOADING)] * 2, page("Job", "Wait 1")),
         RegexValidator(RELOADS, absent=True)),
        (texts(*[page("Job", "Wait", RELOADING)] * 2, page("Done", "x", RELOADING)), None),
        (texts(page("Wait", "1 s"), page("Wait", "2 s"), page("Ready", "3 s")),
         TextValidator(">Ready<")),
        (texts(*[page("Job", "Working …")] * 2, page("Job", "Your report is ready")),
         TextValidator(">Your report is ready<")),
        (texts(*[page("Job", "Working")] * 2, page("Job", "Report 17 is ready")), None),
        (texts(page("Job", "a b"), page("Job", "c d"), page("Job", "e f")), None),
    ],
)  # fmt: skip
def test_texts_and_pages_are_waited_for(exchanges: list[Exchange], check: Validator | None) -> None:
    """A word, a page that reloads no more, another title or text; those before were alike."""
    case = with_polling(case_of(*exchanges), exchanges)
    assert [one.rule for one in case.flows.values()] == ([Until(check, 0.4, 60.0)] if check else [])
    assert parse_case(format_case(case), "x") == case


@pytest.mark.promise(140)
@pytest.mark.parametrize(
    ("target", "body", "merged"),
    [
        ("/jobs/search", '{"id": 7}', True),
        ("/jobs/status", '{"id": 7}', True),
        ("/graphql", '{"query": "query Job { job(id: 7) { status } }"}', True),
        ("/graphql", '{"query": "mutation Next { next(id: 7) { status } }"}', False),
        ("/rpc", '{"jsonrpc": "2.0", "id": 1, "method": "getJob", "params": [7]}', True),
        ("/rpc", '{"jsonrpc": "2.0", "id": 1, "method": "addJob", "params": [7]}', False),
        ("/jobs", '{"id": 7}', False),
    ],
)
def test_what_is_posted_is_asked_again_if_it_reads(target: str, body: str, merged: bool) -> None:
    """By its name, or what it calls; what may change something is sent as often as recorded."""
    asked = [
        answered("POST", target, json_body(one), sent=(JSON,), body=body.encode())
        for one in states("queued", "queued", "done")
    ]
    exchanges = [POST, *asked, AFTER]
    exchanges = [replace(one, started=at * 0.5, took=0.1) for at, one in enumerate(exchanges)]
    case = with_polling(case_of(*exchanges), exchanges)
    assert bool(case.flows) == merged
    if merged:
        [told] = poll_decisions(case, exchanges)
        assert "was asked 3 times, until status is done" in told.reason
        assert with_polling(back := without_polling(case, exchanges, told.value), exchanges) == back


@pytest.mark.promise(140)
def test_it_is_told_and_taken_back() -> None:
    """As a decision with its evidence; taken back, it is asked as often as recorded."""
    before = case_of(*QUEUED)
    case = with_polling(before, QUEUED)
    [told] = poll_decisions(case, QUEUED)
    assert told.producer == "2 GET /jobs/7"
    assert told.reason == (
        '"2 GET /jobs/7" was asked 4 times, until status is done: it is asked every 0.4 s until '
        "that is so, for 60 s at most."
    )
    back = without_polling(case, QUEUED, told.value)
    entries = [one.recorded.entry for one in back.transactions() if one.recorded is not None]
    assert entries == list(range(6))
    assert not back.flows
    assert with_polling(back, QUEUED) == back
    with pytest.raises(ValueError, match="is no polling"):
        without_polling(back, QUEUED, told.value)


def test_over_pages() -> None:
    """An interface without pages has each request on its own; what is taken from the answers stays,
    and of requests that differ in nothing but their time each is the same."""
    every = list(case_of(*QUEUED).transactions())
    early = Extractor("host", JsonPath("$.host"))
    every[1] = replace(every[1], extractors=(early,))
    pages = tuple(Page(str(at), (one,), at / 4) for at, one in enumerate(every))
    case = with_polling(TestCase("x", pages, "http://shop.test"), QUEUED)
    assert [(one.name, one.think_time) for one in case.pages] == [("0", 0), ("1", 1), ("5", 1.25)]
    assert case.pages[1].transactions[0].extractors == (early,)
    assert json.loads(QUEUED[4].response_body)["status"] == "done"
    assert case.pages[1].transactions[0].recorded.entry == 4  # type: ignore[union-attr]  # it has
