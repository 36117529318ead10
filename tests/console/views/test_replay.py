"""The two lines below a replay that runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.console.views.replay import status, summary
from pytest_loadtool.replay import Plan
from pytest_loadtool.replay.control import ReplayMoment
from tests.replay.test_holding import plan_of


def plan(name: str = "Log in") -> Plan:
    made = plan_of(("/a",), ("/b", "/c"))
    return replace(made, pages=(made.pages[0], replace(made.pages[1], name=name)))


def line(moment: ReplayMoment, width: int = 80) -> list[str]:
    return status(moment, plan(), now=100.0, started=38.0, width=width)


def test_think_time_is_seen_going_by() -> None:
    """How much of it is over, and how to skip it."""
    page = plan().pages[1]
    shown = status(
        ReplayMoment("thinking", page=page, done=1, thinking=57.4, until=145.0),
        plan(), now=100.0, started=38.0, width=80,
    )  # fmt: skip
    assert shown == [
        "page 2 of 2  Log in  1 of 3  errors 0  thinking 12.4 of 57.4 s  elapsed 1:02",
        "Enter skips the think time  Space pauses  q stops",
    ]


def test_held_before_a_transaction() -> None:
    """Which, and why."""
    held = ReplayMoment("held", "breakpoint", next=plan().steps[1], done=1, failed=1)
    first, keys = line(held)
    assert "errors 1  held before 2 (breakpoint)" in first
    assert keys == "Enter sends it  e edits it  c goes on  q stops"


def test_think_time_that_is_held_stands_still() -> None:
    """As long as it is held."""
    first, keys = line(ReplayMoment("held", "paused", thinking=10.0, frozen=4.0))
    assert "thinking 6.0 of 10.0 s (paused)" in first
    assert "c goes on" in keys


@pytest.mark.parametrize("width", [40, 60, 80, 160])
def test_it_never_takes_more_than_the_terminal_has(width: int) -> None:
    """The name of the page gives way first."""
    long = plan("A page with a very long name that nobody could read in a line like this")
    moment = ReplayMoment("thinking", page=long.pages[1], done=1, thinking=57.4, until=145.0)
    shown = status(moment, long, now=100.0, started=38.0, width=width)
    assert all(len(one) <= width for one in shown)
    assert shown[0].startswith("page 2 of 2  ")


def test_summary_of_what_was_done() -> None:
    """Of a replay that was cut short."""
    assert summary(ReplayMoment(done=14, failed=1), 24) == "13 of 24 transactions passed, 1 failed"
    assert summary(ReplayMoment(), 1) == "0 of 1 transaction passed"
