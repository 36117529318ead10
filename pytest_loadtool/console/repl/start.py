"""Opening and closing the console: one event loop for prompt, script and recorder."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
import time
from collections.abc import Coroutine

from pytest_loadtool import CASE_SUFFIX
from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.execution import ABANDONED, execute
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.repl.interrupting import ENDING, Interruptible
from pytest_loadtool.console.repl.script import (
    PlainFrontend,
    check_script,
    lines_as_they_come,
    lines_of,
    read_script,
    run_script,
)
from pytest_loadtool.console.session import Console, Frontend, Settings
from pytest_loadtool.console.session_log import SessionLog, log_file
from pytest_loadtool.workflow.files import as_case_path, untitled


def run(settings: Settings) -> int:
    """Open the console, blocking, and return its exit status (docs/recording.md lists them).

    Raises:
        UsageError: there is neither a terminal nor a script, or a line of the script is wrong.
        PathError: the file's name is not one of a test case.
        FileError: the test case file cannot be read.
    """
    return _script(settings) if settings.script else _terminal(settings)


def _script(settings: Settings) -> int:
    session = _session(settings, PlainFrontend())
    if settings.script == "-":
        name, lines = "<stdin>", lines_as_they_come(sys.stdin)
    else:
        name, read = settings.script, read_script(settings.directory / settings.script)
        check_script(session, name, read)
        lines = lines_of(read)
    open_file(session)

    async def work() -> int:
        if first := _first_line(session):
            try:
                await execute(session, first)
            except CommandError as error:
                session.say(f"{first}: {error}")
                return error.status
        return await run_script(session, name, lines)

    async def interruptibly() -> int:
        with Interruptible(signal.SIGINT, *ENDING) as running:
            task, _ = await running.run(work())
        return ABANDONED if task.cancelled() else task.result()

    return asyncio.run(_closing(session, interruptibly()))


def _terminal(settings: Settings) -> int:
    from prompt_toolkit.application import get_app_session
    from prompt_toolkit.input.base import PipeInput

    from pytest_loadtool.console.repl.prompt import TerminalFrontend, interact

    if not sys.stdin.isatty() and not isinstance(get_app_session().input, PipeInput):
        raise UsageError(
            "--record opens a console and needs a terminal; "
            "without one, give it commands with --record-script FILE"
        )
    frontend = TerminalFrontend(settings.colour)
    session = _session(settings, frontend)
    session.waiting = frontend.typed_ahead
    open_file(session)
    began = time.strftime("%Y-%m-%d %H:%M:%S")
    session.log = SessionLog(log_file(session.case_path, began))
    return asyncio.run(_closing(session, interact(session, _first_line(session))))


def _session(settings: Settings, frontend: Frontend) -> Console:
    given = settings.case_path
    if given is None:
        path = untitled(settings.directory)
    elif _traffic(settings):
        path = given.with_name(given.name.removesuffix(".har") + CASE_SUFFIX)
    else:
        path = as_case_path(given)
    return Console(settings, frontend, COMMANDS, path)


def _traffic(settings: Settings) -> bool:
    """Return whether a traffic file was named instead of a test case."""
    given = settings.case_path
    return given is not None and given.suffix == ".har" and given.is_file()


def _first_line(session: Console) -> str:
    """Return what is run at once: the recording that was asked for, or the import of a traffic file
    that has no test case yet."""
    settings = session.settings
    if settings.url:
        return f"record {shlex.quote(settings.url)}"
    if settings.case_path is not None and _traffic(settings) and session.document is None:
        return f"import {shlex.quote(session.shown(settings.case_path))}"
    return ""


async def _closing(session: Console, work: Coroutine[None, None, int]) -> int:
    """Do ``work``, which signals end, then end the browser and the proxy; return what ``work``
    does.

    A signal that comes while these end is as hard as it would be without this.
    """
    try:
        return await work
    finally:
        running, session.live = session.live, None
        if running is not None:
            await running.stop()
            session.say(f"Not saved; the traffic is in {session.shown(running.evidence.path)}.")
