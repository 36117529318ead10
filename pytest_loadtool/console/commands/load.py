"""Running a load configuration in this process."""

from __future__ import annotations

import asyncio
import shutil
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_loadtool.console.arguments import LoadFile
from pytest_loadtool.console.commands.load_configuration import hints
from pytest_loadtool.console.errors import CommandError, InconclusiveError
from pytest_loadtool.console.load_files import chosen, saved
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.case import in_doubt
from pytest_loadtool.console.wizards.consent import agree_to_replay, check_server
from pytest_loadtool.model.load import LoadConfiguration, ThinkTime
from pytest_loadtool.replay.compile.proxies import through
from pytest_loadtool.workflow.known import fingerprint
from pytest_loadtool.workflow.replaying import apart

if TYPE_CHECKING:
    from pytest_loadtool.engine.load import LoadRunner
    from pytest_loadtool.engine.prepare.share import LoadTest
    from pytest_loadtool.load import Progress, Summary

#: Seconds until the first line about a run, and between two of them.
_FIRST_LINE, _BETWEEN_LINES = 1.0, 5.0


async def start(session: Console, file: LoadFile | None = None, *, server: str = "") -> None:
    """Start: run a load configuration in this process, as `pytest --load FILE` does.

    Without FILE it is the one created last, or the one beside the test case that is named like it.
    A line every 5 seconds tells how it gets on, and in the end what it still waits for; then comes
    the report. Ctrl-C ends the run,
    and what was measured until then is reported. --server puts the load on another base URL. What
    is in the files is run, so the test case that is open must be saved. A load test that does not
    pass fails this command.

    Example: `start rush.load.toml`
    """
    await _run(session, _read(session, chosen(session, file)), server)


async def load_trial(
    session: Console, file: LoadFile | None = None, *, server: str = "", fast: bool = False
) -> None:
    """Load Trial: run each test case of a load configuration once, with one user.

    All else is as `start` has it: files, rows, connections, think times and the report. --fast
    leaves the think times out. --server puts it on another base URL. What must hold of a whole run
    (thresholds) is not asked of one iteration.

    Example: `load trial rush.load.toml --fast`
    """
    test = _read(session, chosen(session, file))
    load = test.configuration
    once = replace(
        load,
        cases=tuple(replace(one, weight=1) for one in load.cases),
        users=len(load.cases),
        iterations=1,
        think_time=ThinkTime(scale=0.0) if fast else load.think_time,
        **_WHOLE_RUN,
    )
    await _run(session, replace(test, configuration=once), server)


#: What is about more than an iteration, as it is for one.
_WHOLE_RUN: Mapping[str, Any] = {
    "duration": None, "ramp_up": 0.0, "rate": None, "stages": (), "pacing": None, "patience": 0.0,
    "thresholds": (),
}  # fmt: skip


def _read(session: Console, path: Path) -> LoadTest:
    """Return the load configuration with its test cases, as they would be replayed from here.

    Raises:
        CommandError: a recording is running, or what is open is not saved.
        FileError: one of the files is wrong.
    """
    from pytest_loadtool.engine.prepare.share import read_test

    if session.live is not None:
        raise CommandError("a recording is running, and has this process for itself: `stop` first")
    test = read_test(path, session.settings.trust)
    strict = session.settings.strict
    cases = tuple(
        replace(through(case, session.settings.proxy), strict=case.strict or strict)
        for case in test.cases
    )
    if session.case_path.resolve() in (test.path_of(n).resolve() for n in range(len(cases))):
        saved(session)
    hooks = tuple(
        session.settings.hooks(case, test.path_of(number), test.path)
        for number, case in enumerate(cases)
    )
    return replace(test, cases=cases, hooks=hooks)


async def _run(session: Console, test: LoadTest, server: str) -> None:
    """Run it, and report.

    Raises:
        CommandError: it did not pass.
    """
    from pytest_loadtool.engine.local import run_alone
    from pytest_loadtool.engine.prepare.share import prepare
    from pytest_loadtool.load import Share

    configuration = test.configuration
    check_server(session, server)
    server = server or configuration.server
    for number, case in enumerate(test.cases):
        await agree_to_replay(session, case, fingerprint(test.path_of(number)), server)
    share = prepare(test, [server] * len(test.cases), Share())
    session.say(f"Load test {configuration.name}, {session.shown(test.path)}. Ctrl-C stops it.")
    lengths = test.lengths
    session.tell(hints(configuration, lengths))
    for case in test.cases:
        session.tell(in_doubt(case))
        if not case.tls.verify:
            session.say(f"Certificates are not verified: the test case {case.name} says so.")
        if case.server_fixture and not server:
            session.say(
                f"The fixture {case.server_fixture} is for pytest; {case.name} goes to "
                f"{case.server}, where it was recorded. --server names another."
            )
    interrupted, show = threading.Event(), _lines(session, configuration, share.runner)
    run = apart(
        lambda: run_alone(
            share,
            configuration,
            interrupted=interrupted.is_set,
            show=show,
            lengths=[length for _, length in lengths],
        )
    )
    try:
        summary = await asyncio.shield(run)
    except asyncio.CancelledError:
        interrupted.set()
        share.runner.stop()
        _report(session, await run)  # it ends at once; another Ctrl-C does not wait for that
        raise
    _report(session, summary)
    verdict = summary.verdict
    session.concluded(f"load test {verdict.outcome}")
    if verdict.outcome != "passed":
        kind = InconclusiveError if verdict.outcome == "inconclusive" else CommandError
        raise kind(f"load test {verdict.outcome}: {verdict.reasons[0]}")


def _lines(
    session: Console, configuration: LoadConfiguration, runner: LoadRunner
) -> Callable[[Progress], None]:
    """Return what shows how a run that begins now is getting on, and what it waits for in the
    end."""
    from pytest_loadtool.report.load.status import status_line, waiting

    started = time.monotonic()
    due = _FIRST_LINE

    def show(seen: Progress) -> None:
        nonlocal due
        elapsed = time.monotonic() - started
        if elapsed >= due:
            due += _BETWEEN_LINES
            session.say(f"  {status_line(seen, elapsed, configuration)}")
            if text := waiting(runner.waits(), elapsed, configuration):
                session.say(f"    {text}")

    return show


def _report(session: Console, summary: Summary) -> None:
    from pytest_loadtool.report.load.chart import glyphs_for
    from pytest_loadtool.report.load.text import load_text

    width = shutil.get_terminal_size().columns
    session.say()
    session.tell(load_text(summary, width, glyphs_for(sys.stdout.encoding)))
    session.say()
