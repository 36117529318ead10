"""A replay that is held, over real sockets and each transport."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.replay import Plan, compile_case
from pytest_loadtool.replay.control import Control, ReplayMoment
from tests.observed import Observed
from tests.plugin.serving import Server, serving


def plan_for(server: Server, transport: str, think: float = 3600.0) -> Plan:
    """Two pages of two, an hour of think time between."""
    pages = tuple(
        Page(name, tuple(Transaction(Request("GET", f"/{name}{n}")) for n in (1, 2)), think)
        for name in ("a", "b")
    )
    case = TestCase("case", pages, server.url, transport=transport)
    return compile_case(replace(case, hosts=("127.0.0.1",)))


@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_held_stepped_skipped_and_edited(transport: str) -> None:
    """Whoever is told of where it is says what comes next, from the replay's own thread; an hour of
    think time is skipped."""
    seen: list[str] = []

    def told(moment: ReplayMoment) -> None:
        if moment.state == "thinking":
            control.skip()
        elif moment.next is not None and moment.next.title not in seen:
            seen.append(moment.next.title)
            if moment.next.title == "GET /b2":
                control.edit(3, moment.request.replace(b"/b2", b"/edited"))
            control.step() if moment.next.title == "GET /a1" else control.go_on()

    control = Control(paused=True, breakpoints={3}, told=told)
    observed = Observed()
    with serving() as server:
        replay_once(plan_for(server, transport), observer=observed, control=control)
        assert server.requests == ["GET /a1", "GET /a2", "GET /b1", "GET /edited"]
    assert seen == ["GET /a1", "GET /a2", "GET /b2"]
    assert observed.failures == [()] * 4
    assert (control.moment.state, control.moment.done) == ("over", 4)


@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_stopped_with_a_request_under_way(transport: str) -> None:
    """It is cut: nobody waits for an answer that never comes."""
    observed = Observed()
    with serving() as server:
        silent = TestCase(
            "case", (Page("page", (Transaction(Request("GET", "/silence")),)),), server.url,
            transport=transport,
        )  # fmt: skip
        control = Control(told=lambda moment: control.stop() if moment.page else None)
        replay_once(compile_case(silent), observer=observed, control=control)
    assert control.moment.why == "stopped"
    assert observed.responses == []
