"""Replaying the open test case: its plan, and a replay beside the console."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Protocol

from pytest_loadtool.console.apart import apart
from pytest_loadtool.console.document import check
from pytest_loadtool.console.reaching import check_server
from pytest_loadtool.console.session import Session
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.replay import Observer, Plan, Step
from pytest_loadtool.replay.compile.proxies import through


class Stoppable(Observer, Protocol):
    """An observer that ends a replay once ``stopped`` is set, and is told of tunnels, too."""

    stopped: threading.Event

    def challenged(self, step: Step, seconds: float) -> None:
        """A proxy wanted to know who asks for the tunnel that the step goes through."""


def plan_of(session: Session, case: TestCase, *, server: str = "", fast: bool = False) -> Plan:
    """The plan of ``case``, a version of the open test case, through the proxy that ``--proxy-url``
    names; without think times if ``fast``.

    Raises:
        CommandError: a variable has no source, or nobody has named the only server.
        LoadToolError: it cannot be replayed.
    """
    from pytest_loadtool.engine.prepare.resources import compile_from
    from pytest_loadtool.transport.wire.tls import check_tls

    check(case)
    check_server(session, server)
    think_time = ThinkTime(scale=0.0) if fast else ThinkTime()
    case = through(case, session.settings.proxy)
    case = replace(case, strict=case.strict or session.settings.strict)
    uploads = session.opened().uploads
    unsaved = {name: uploads[name].content for name in case.files if name in uploads}
    plan = compile_from(
        session.case_path,
        case,
        server=server,
        think_time=think_time,
        unsaved=unsaved,
        trust=session.settings.trust,
    )
    check_tls(plan)
    if not case.tls.verify:
        session.say("Certificates are not verified: the test case says so.")
    return plan


async def replay(plan: Plan, observer: Stoppable) -> None:
    """Replay once in a thread; when this is cancelled, the replay ends with what is under way."""
    from pytest_loadtool.engine.functional import replay_once

    try:
        await apart(lambda: replay_once(plan, observer=observer, challenged=observer.challenged))
    finally:
        observer.stopped.set()
