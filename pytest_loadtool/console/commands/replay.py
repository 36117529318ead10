"""Replaying the test case for one user."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.replays import latest_replay
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.wizards.configure import configure_for_replay
from pytest_loadtool.console.wizards.consent import may_replay, planned
from pytest_loadtool.console.wizards.credentials import Given
from pytest_loadtool.console.wizards.identity import configure_identity, needs_identity
from pytest_loadtool.model.result import Failure
from pytest_loadtool.workflow.configuring import needs_configuration
from pytest_loadtool.workflow.keeping import keeping
from pytest_loadtool.workflow.replaying import replay
from pytest_loadtool.workflow.replays import why
from pytest_loadtool.workflow.rows import take_rows
from pytest_loadtool.workflow.telling import counted

if TYPE_CHECKING:
    from pytest_loadtool.replay import PagePlan, Response, Step


async def play(
    session: Console, *, fast: bool = False, server: str = "", row: int | None = None
) -> None:
    """Play: replay the test case once, as one user, without a browser.

    Prints each transaction as it finishes, with how it differs from what was recorded if it passed,
    and says why the first failed. The replay is kept: `response`, `diff`, `variables` and `why`
    look at it, `replays` lists the last ones. --fast (Play Fast) leaves out the think times.
    Each replay takes the next row of each dataset that is used; --row 2 takes that one,
    `dataset-reset` begins at the first again, where tests and load tests always begin. --server
    replays against another base URL. The first time, what was recorded is configured before, as by
    `configure`; and if it shows HTTP authentication, the Test Case Configuration Wizard asks who
    the users are, as by `test-case-configuration`. Of a test case that was not made here, what it
    reads and where it sends is shown, and you are asked.
    """
    if needs_configuration(session.opened()):
        await configure_for_replay(session)
    if needs_identity(session.opened()):
        await configure_identity(session, Given(), first=True)
    await may_replay(session, server)
    document = session.opened()
    plan = planned(session, document, server=server, fast=fast)
    rows, said = take_rows(plan, session.case_path, row)
    session.tell(said)
    watched = _Watch(session, len(plan.steps))
    session.chosen = False
    with keeping(session.case_path, plan, watched) as keeper:
        try:
            await replay(plan, watched, rows, keeper)
        except asyncio.CancelledError:
            session.say(f"\nStopped: {watched.counts}")
            raise
    if keeper.problem:
        session.say(f"The replay is not kept, or not all of it: {keeper.problem}")
    if not watched.failed:
        session.say(watched.counts)
        return
    if keeper.path is not None:
        opened = latest_replay(session)
        shown = session.shown(session.case_path)
        session.tell(["", why(document, opened, path=shown, brief=True)])
        session.tell(["", "`why` also shows what was sent, received and recorded."])
    raise CommandError(f"{watched.failed} of {counted(watched.seen, 'transaction')} failed")


@dataclass(slots=True)
class _Watch:
    """Prints each transaction and keeps the first failure. ``stopped`` ends the replay."""

    session: Console
    total: int
    seen: int = 0
    failed: int = 0
    otherwise: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        if self.stopped.is_set():
            raise CommandError("stopped")
        self.seen += 1
        verdict = "failed" if failures else "passed"
        status = response.status or "---"
        took = (response.finished - response.sent) * 1000
        self.session.say(f"{step.index + 1:5}  {status}  {took:6.0f} ms  {verdict}  {step.title}")
        for failure in failures:
            self.session.say(f"         {failure.message}")
        if response.otherwise and not failures:
            self.otherwise += 1
            self.session.say(f"         passed, but not as recorded: {response.otherwise}")
        if failures:
            self.failed += 1

    @property
    def counts(self) -> str:
        """What became of how many transactions."""
        left = self.total - self.seen
        parts = [
            f"{counted(self.seen - self.failed, 'transaction')} passed",
            f"but {self.otherwise} not as recorded" if self.otherwise else "",
            f"{self.failed} failed" if self.failed else "",
            f"{left} had no answer yet" if left else "",
        ]
        return f"{', '.join(filter(None, parts))}."

    def negotiation(self, step: Step, response: Response) -> None:
        self._can(response.status, response.finished - response.sent, step)

    def challenged(self, step: Step, seconds: float) -> None:
        self._can(407, seconds, step)

    def _can(self, status: int, seconds: float, step: Step) -> None:
        if self.session.opened().case.show_negotiation:
            self.session.say(f"  CAN  {status}  {seconds * 1000:6.0f} ms          {step.title}")

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None:
        pass

    def iteration(self, started: float, finished: float, failed: bool) -> None:
        pass
