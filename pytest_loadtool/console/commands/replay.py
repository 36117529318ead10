"""Replaying the test case for one user."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from pytest_loadtool.console.arguments import SelectionWord, TransactionName
from pytest_loadtool.console.commands.case_file import changed_outside
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.replays import failed_transactions, latest_replay
from pytest_loadtool.console.selection import select, transaction_index
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.case import in_doubt
from pytest_loadtool.console.views.replay import summary
from pytest_loadtool.console.wizards.consent import may_replay, planned
from pytest_loadtool.console.wizards.identity import needs_identity
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.control import Control
from pytest_loadtool.workflow.configuring import needs_configuration
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.keeping import keeping
from pytest_loadtool.workflow.replaying import breakpoint_of, held_before, replay
from pytest_loadtool.workflow.replays import why
from pytest_loadtool.workflow.rows import take_rows
from pytest_loadtool.workflow.telling import counted

if TYPE_CHECKING:
    from pytest_loadtool.replay import PagePlan, Plan, Response, Step


async def play(
    session: Console,
    *,
    fast: bool = False,
    server: str = "",
    row: int | None = None,
    to: TransactionName | None = None,
    step: bool = False,
    repeat: int = 1,
    loop: bool = False,
) -> None:
    """Play: replay the test case once, as one user, without a browser.

    Prints each transaction as it finishes, with how it differs from what was recorded if it passed,
    and says why the first failed. The replay is kept: `why`, `response`, `diff` and `variables`
    look at it, `replays` lists the last ones. --fast (Play Fast) leaves out the think times.
    --server replays against another base URL. --to ends after that transaction, --repeat plays so
    many times, --loop until you stop it. A page that did not come is not thought about, and three
    connections in a row that are refused end the replay.

    Each replay takes the next row of each dataset that is used; --row 2 takes that one,
    `dataset-reset` begins at the first again, where tests and load tests always begin.

    At a terminal keys hold it. Space pauses; Enter skips a think time, or does one transaction;
    e edits the request that goes next, c (or F8) goes on, q stops. --step holds before the first
    transaction, `break` before others.

    The first time, what was recorded is configured before, as by `configure`; and if it shows HTTP
    authentication, the Test Case Configuration Wizard asks who the users are, as by
    `test-case-configuration`. Of a test case that was not made here, what it reads and where it
    sends is shown, and you are asked.

    Example: `play --fast --to 15`
    """
    if repeat < 1:
        raise UsageError(f"--repeat must be 1 at least, not {repeat}")
    if step and not session.frontend.interactive:
        raise UsageError("--step needs a terminal: nobody is there to go on")
    last = None if to is None else transaction_index(session.opened(), to)
    if needs_configuration(session.opened()):
        await execute(session, "configure")
    if needs_identity(session.opened()):
        await execute(session, "test-case-configuration")
    if outside := changed_outside(session):
        shown = session.shown(session.case_path)
        session.say(f"{shown} was changed outside ({outside}): `reload` takes that, this does not.")
    await may_replay(session, server)
    document = session.opened()
    plan = planned(session, document, server=server, fast=fast)
    control = _control(session, document, to=last, step=step)
    failed = await _play_each(session, plan, control, row=row, times=None if loop else repeat)
    if failed:
        raise CommandError(f"{failed} of {counted(repeat, 'replay')} failed")


async def _play_each(
    session: Console, plan: Plan, control: Control, *, row: int | None, times: int | None
) -> int:
    """Replay so many times, with None until a person stops it; returns how many failed.

    Raises:
        CommandError: it was stopped, or the only one failed.
    """
    several, failed = times != 1, 0
    async with AsyncExitStack() as keys:
        # Between two replays, too: a short one leaves hardly any time for a key.
        await keys.enter_async_context(session.frontend.holding(control, plan))
        for number in count() if times is None else range(times):
            if number:
                control.again()
            if control.given_up:
                raise CommandError(f"stopped after {counted(number, 'replay')}")
            if several:
                session.say(f"Replay {number + 1}" + (f" of {times}" if times else ""))
            ended = await _play_once(session, plan, control, row=None if number else row, at=number)
            if not several:
                await keys.aclose()
            try:
                _judge(session, control, ended, len(plan.steps))
            except CommandError as error:
                failed += 1
                if control.moment.why == "stopped" or not several:
                    raise
                session.say(str(error))
    return failed


async def break_(session: Console, *selected: SelectionWord) -> None:
    """Break: hold `play` before transactions; said again, no more. Without any, list where.

    At a terminal, `play` is held there until you go on: Enter does the transaction, c goes on, e
    edits the request before. Breakpoints stay with their transactions when others are deleted, and
    are gone with the console. Scripts are not held.

    Example: `break 15`
    """
    document = session.opened()
    if not selected:
        await breakpoints(session)
        return
    transactions = list(document.case.transactions())
    for index in select(document, selected).transactions:
        key = breakpoint_of(transactions[index])
        session.breakpoints ^= {key}
        how = "is held" if key in session.breakpoints else "is no longer held"
        session.say(f"`play` {how} before {index + 1} {transactions[index].title}.")


async def breakpoints(session: Console, *, clear: bool = False) -> None:
    """List the breakpoints, the transactions that `play` is held before.

    --clear takes all of them away.

    Example: `breakpoints --clear`
    """
    document = session.opened()
    if clear:
        session.breakpoints.clear()
    titles = [one.title for one in document.case.transactions()]
    found = sorted(held_before(document.case, session.breakpoints))
    session.tell(f"{index + 1:5}  {titles[index]}" for index in found)
    if not found:
        session.say("There are no breakpoints: `break 3` holds `play` before transaction 3.")


def _control(session: Console, document: Document, *, to: int | None, step: bool) -> Control:
    """Return what holds the replay, where there is somebody to let it go on."""
    held = held_before(document.case, session.breakpoints) if session.frontend.interactive else ()
    return Control(breakpoints=held, to=to, paused=step)


async def _play_once(
    session: Console, plan: Plan, control: Control, *, row: int | None, at: int
) -> _Watch:
    """Replay once, as iteration ``at``; what was seen of it, which is kept if that is possible."""
    rows, said = take_rows(plan, session.case_path, row)
    session.tell(said)
    watched = _Watch(session, len(plan.steps))
    session.chosen = False
    try:
        with keeping(session.case_path, plan, watched) as keeper:
            await replay(plan, watched, rows=rows, number=at, control=control, keeper=keeper)
            early = watched.seen < len(plan.steps)
            if control.moment.why or (early and control.wanted.to is not None):
                keeper.close("stopped", control.moment.why)
    except asyncio.CancelledError:
        session.say(f"\n{summary(control.moment, len(plan.steps))} until then.")
        raise
    if keeper.problem:
        session.say(f"The replay is not kept, or not all of it: {keeper.problem}")
    watched.kept = keeper.path is not None
    return watched


def _judge(session: Console, control: Control, watched: _Watch, total: int) -> None:
    """Tell how a replay of ``total`` transactions went.

    Raises:
        CommandError: something failed, or it was stopped.
    """
    document = session.opened()
    if watched.failed and watched.kept:
        _explain(session, document)
    if control.moment.why:
        raise CommandError(f"{control.moment.why}: {summary(control.moment, total)}")
    if watched.failed:
        raise CommandError(f"{watched.failed} of {counted(watched.seen, 'transaction')} failed")
    but = f", but {watched.not_as_recorded} not as recorded" if watched.not_as_recorded else ""
    early = f"{watched.seen} of " if watched.seen < total else ""
    session.tell(in_doubt(document.case))
    session.say(f"{early}{counted(total, 'transaction')} passed{but}.")


def _explain(session: Console, document: Document) -> None:
    """Say why the replay that was just kept failed, as pytest does; the bodies are for `why`."""
    replay, path = latest_replay(session), session.case_path
    session.tell(["", why(document, replay, session.settings, path, brief=True)])
    first = min(failed_transactions(session)) + 1
    session.tell(["", f"`why` also shows what was sent and received, `diff {first}` what differs."])


@dataclass(slots=True)
class _Watch:
    """Prints each transaction, and counts. ``stopped`` ends the replay."""

    session: Console
    total: int
    seen: int = 0
    failed: int = 0
    not_as_recorded: int = 0
    kept: bool = False
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
            self.session.say(f"         {failure.told}")
        if response.not_as_recorded and not failures:
            self.not_as_recorded += 1
            self.session.say(f"         passed, but not as recorded: {response.not_as_recorded}")
        if failures:
            self.failed += 1

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
