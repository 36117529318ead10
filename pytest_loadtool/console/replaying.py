"""Replaying the open test case: its plan, and a replay beside the console."""

from __future__ import annotations

import os
import threading
from typing import Protocol

from pytest_loadtool.casefile import read_dataset
from pytest_loadtool.console.apart import apart
from pytest_loadtool.console.document import check
from pytest_loadtool.console.session import Session
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.replay import Observer, Plan, compile_case

__all__ = ["Stoppable", "plan_of", "replay"]


class Stoppable(Observer, Protocol):
    """An observer that ends a replay once ``stopped`` is set."""

    stopped: threading.Event


def plan_of(session: Session, case: TestCase, *, server: str = "", fast: bool = False) -> Plan:
    """The plan of ``case``, a version of the open test case; without think times if ``fast``.

    Raises:
        CommandError: a variable has no source.
        LoadToolError: it cannot be replayed.
    """
    from pytest_loadtool.transport.tls import check_tls

    check(case)
    folder = session.case_path.parent
    plan = compile_case(
        case,
        server=server,
        datasets={use.name: read_dataset(folder / use.file) for use in case.datasets},
        environ=os.environ,
        think_time=ThinkTime(scale=0.0) if fast else ThinkTime(),
        folder=str(folder),
    )
    check_tls(plan)
    if not case.tls.verify:
        session.say("Certificates are not verified: the test case says so.")
    return plan


async def replay(plan: Plan, observer: Stoppable) -> None:
    """Replay once in a thread; when this is cancelled, the replay ends with what is under way."""
    from pytest_loadtool.transport.functional import replay_once

    try:
        await apart(lambda: replay_once(plan, observer=observer))
    finally:
        observer.stopped.set()
