"""From a test case to a load test, and running it."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_loadtool.casefile import format_load, parse_load, save_load
from pytest_loadtool.casefile.quantities import format_duration
from pytest_loadtool.console.arguments import Duration
from pytest_loadtool.console.errors import CommandError, InconclusiveError, UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.wizards.consent import agree_to_replay, check_server
from pytest_loadtool.console.wizards.identity import needs_identity
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.replay.compile.length import length_of
from pytest_loadtool.replay.compile.proxies import through
from pytest_loadtool.workflow.files import absolute, as_load_path, load_name, load_path
from pytest_loadtool.workflow.known import fingerprint
from pytest_loadtool.workflow.replaying import apart
from pytest_loadtool.workflow.telling import counted

if TYPE_CHECKING:
    from pytest_loadtool.load import Progress, Summary

#: Seconds until the first line about a run, and between two of them.
_FIRST_LINE, _BETWEEN_LINES = 1.0, 5.0

#: What nobody needs to say, in seconds.
_DURATION = Duration(60.0)

#: The longest ramp-up (seconds) that nobody asked for, and its share of a short run.
_RAMP_UP, _RAMP_UP_SHARE = 10.0, 0.2


async def create_load_configuration(
    session: Console,
    file: Path | None = None,
    *,
    users: int = 20,
    duration: Duration = _DURATION,
    ramp_up: Duration | None = None,
    replace: bool = False,
) -> None:
    """Create Load Configuration: write a file that says how many users replay the test case.

    It has 20 users for 1m, who begin over the first 10s (of a short run, over the first fifth).
    --users, --duration and --ramp-up change that, in short: `create-load users=50 duration=10m`.
    FILE is a name for it; without one it stands beside the test case: shop.load.toml for
    shop.case.toml. A file that is there is written over only with --replace, or if you agree.
    The test case must be saved, because the load configuration names its file. Whatever else a
    load test can do is a line to add to the file. `start` runs it.

    Example: `create-load users=50 duration=10m ramp-up=1m`
    """
    _saved(session)
    if needs_identity(session.opened()):
        raise CommandError(
            "the recording shows HTTP authentication, and the test case does not say who the users "
            "are: `test-case-configuration` does, then `save`"
        )
    path = load_path(session.case_path) if file is None else as_load_path(absolute(file))
    if ramp_up is None:
        ramp_up = Duration(min(_RAMP_UP, round(duration * _RAMP_UP_SHARE, 3)))
    shares = (CaseShare(_relative(session.case_path, path.parent)),)
    configuration = LoadConfiguration(load_name(path), shares, users, duration, ramp_up)
    _check(configuration, path)
    shown = session.shown(path)
    if path.exists() and not replace:
        await session.agree(
            f"{shown} would be written over. Replace?",
            f"{shown} would be written over: give --replace, or another name",
            "--replace",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    save_load(path, configuration)
    session.load_path = path
    session.say(
        f"Wrote {shown}: {counted(users, 'user')} for {format_duration(duration)}, "
        f"ramp-up {format_duration(ramp_up)}. `start` runs it."
    )
    case = session.opened().case
    _hint(session, configuration, [(case.name, length_of(case, configuration.think_time))])


async def start(session: Console, file: Path | None = None, *, server: str = "") -> None:
    """Start: run a load configuration in this process, as `pytest --load FILE` does.

    Without FILE it is the one created last, or the one beside the test case that is named like it.
    A line every 5 seconds tells how it gets on; at the end comes the report. Ctrl-C ends the run,
    and what was measured until then is reported. --server puts the load on another base URL. What
    is in the files is run, so the test case that is open must be saved. A load test that does not
    pass fails this command.

    Example: `start rush.load.toml`
    """
    from pytest_loadtool.engine.local import run_alone
    from pytest_loadtool.engine.prepare.share import prepare, read_test
    from pytest_loadtool.load import Share

    if session.live is not None:
        raise CommandError("a recording is running, and has this process for itself: `stop` first")
    path = _chosen(session, file)
    test = read_test(path, session.settings.trust)
    strict = session.settings.strict
    cases = tuple(
        dataclasses.replace(through(case, session.settings.proxy), strict=case.strict or strict)
        for case in test.cases
    )
    test = dataclasses.replace(test, cases=cases)
    if session.case_path.resolve() in (test.path_of(n).resolve() for n in range(len(test.cases))):
        _saved(session)
    configuration = test.configuration
    check_server(session, server)
    server = server or configuration.server
    for number, case in enumerate(cases):
        await agree_to_replay(session, case, fingerprint(test.path_of(number)), server)
    share = prepare(test, [server] * len(test.cases), Share())
    session.say(f"Load test {configuration.name}, {session.shown(path)}. Ctrl-C stops it.")
    lengths = test.lengths
    _hint(session, configuration, lengths)
    for case in test.cases:
        if not case.tls.verify:
            session.say(f"Certificates are not verified: the test case {case.name} says so.")
        if case.server_fixture and not server:
            session.say(
                f"The fixture {case.server_fixture} is for pytest; {case.name} goes to "
                f"{case.server}, where it was recorded. --server names another."
            )
    interrupted, show = threading.Event(), _lines(session, configuration)
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
    if verdict.outcome != "passed":
        kind = InconclusiveError if verdict.outcome == "inconclusive" else CommandError
        raise kind(f"load test {verdict.outcome}: {verdict.reasons[0]}")


def _hint(
    session: Console, configuration: LoadConfiguration, lengths: Iterable[tuple[str, Length]]
) -> None:
    """Say which test cases take longer than the load lasts."""
    from pytest_loadtool.load.verdict.unfinished import too_short

    for name, length in lengths:
        hint = too_short(name, length, configuration)
        if hint:
            session.say(f"  {hint}")


def _saved(session: Console) -> None:
    """Make sure that the file of the open test case is what is open.

    Raises:
        CommandError: it is not, or none is open.
    """
    session.opened()
    if session.unsaved:
        shown = session.shown(session.case_path)
        raise CommandError(
            f"a load test runs {shown}, and the test case is not saved: `save` first"
        )


def _chosen(session: Console, file: Path | None) -> Path:
    """The load configuration to run.

    Raises:
        CommandError: none is named, and there is none for the open test case.
    """
    if file is not None:
        return as_load_path(absolute(file))
    if session.load_path is not None:
        return session.load_path
    session.opened()
    path = load_path(session.case_path)
    if not path.exists():
        raise CommandError(
            f"there is no {session.shown(path)}: `create-load-configuration` makes one"
        )
    return path


def _check(configuration: LoadConfiguration, path: Path) -> None:
    """Refuse what could not be read again.

    Raises:
        UsageError: a number is out of its range.
    """
    try:
        parse_load(format_load(configuration), str(path))
    except FileError as error:
        first = error.message.partition("\n")[0]
        raise UsageError(": ".join(part for part in (error.key, first) if part)) from None


def _relative(path: Path, folder: Path) -> str:
    """A file as a load configuration in ``folder`` names it."""
    return Path(os.path.relpath(path, folder)).as_posix()


def _lines(session: Console, configuration: LoadConfiguration) -> Callable[[Progress], None]:
    """What shows how a run that begins now is getting on."""
    from pytest_loadtool.report.load.status import status_line

    started = time.monotonic()
    due = _FIRST_LINE

    def show(seen: Progress) -> None:
        nonlocal due
        elapsed = time.monotonic() - started
        if elapsed >= due:
            due += _BETWEEN_LINES
            session.say(f"  {status_line(seen, elapsed, configuration)}")

    return show


def _report(session: Console, summary: Summary) -> None:
    from pytest_loadtool.report.load.sparkline import glyphs_for
    from pytest_loadtool.report.load.text import load_text

    width = shutil.get_terminal_size().columns
    session.say()
    session.tell(load_text(summary, width, glyphs_for(sys.stdout.encoding)))
    session.say()
