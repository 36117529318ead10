"""Recording what an outside program does, and how long to go on."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path

from pytest_loadtool.console.environment import ended, variables
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.workflow.files import there
from pytest_loadtool.workflow.recording import Live
from pytest_loadtool.workflow.telling import counted

#: Seconds between two looks for a file.
_POLL_INTERVAL = 0.2
#: Seconds after a program's end: its last response passes the proxy a moment before it is noted.
_SETTLING = 0.1
#: Seconds that a program gets to end after it was asked to.
_PATIENCE = 5.0


async def run(session: Console, *command: str) -> None:
    """Run a program whose traffic is recorded, such as a curl command or a Playwright test.

    It is started with HTTP_PROXY, HTTPS_PROXY and the certificate variables of common clients set,
    and with LOADTOOL_PROXY, LOADTOOL_CA and, if the recorder's browser runs, LOADTOOL_CDP (the
    address of its developer tools, for Playwright's connect_over_cdp). Recording goes on meanwhile.
    An exit status other than 0 fails this command. There is no shell: for pipes, run sh -c '…'.

    Example: `run curl -s http://127.0.0.1:8000/api/items`
    """
    live = session.live
    if live is None:
        raise CommandError("nothing is being recorded: `record` first")
    before, others = len(live.evidence.exchanges), _group()
    sys.stdout.flush()
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=session.settings.directory,
            env=os.environ | variables(live),
            stdin=None if sys.stdin.isatty() else asyncio.subprocess.DEVNULL,
        )
    except OSError as error:
        raise CommandError(f"{command[0]} cannot be started: {error.strerror}") from None
    try:
        status = await process.wait()
        await asyncio.sleep(_SETTLING)
    except asyncio.CancelledError:
        await _end(process)
        await _gone(others)
        raise
    session.say(f"{counted(len(live.evidence.exchanges) - before, 'exchange')} recorded.")
    if status:
        raise CommandError(f"{command[0]} {ended(status)}")


async def wait(session: Console, seconds: float | None = None, *, file: Path | None = None) -> None:
    """Keep recording: for so many SECONDS, until FILE exists, or until the browser is closed.

    Without SECONDS and --file it waits for the browser. With both, the file must come in that time.

    Example: `wait 30 --file done.txt`
    """
    live = session.live
    if live is None:
        raise CommandError("nothing is being recorded: `record` first")
    if seconds is not None and not 0 <= seconds < float("inf"):
        raise UsageError("SECONDS must be a number from 0 on")
    if file is None and seconds is None and live.browser is None:
        raise UsageError("no browser is running: say how many SECONDS, or --file FILE")
    session.say("Recording goes on; Ctrl-C ends the waiting.")
    await _until(live, seconds, file)
    session.say(f"{counted(len(live.evidence.exchanges), 'exchange')} recorded so far.")


async def _until(live: Live, seconds: float | None, file: Path | None) -> None:
    """Return when ``file`` is there, else after ``seconds``, else when the browser is gone."""
    if file is not None:
        try:
            async with asyncio.timeout(seconds):
                # Nothing that works on every system tells when a file appears.
                while not there(file):  # noqa: ASYNC110
                    await asyncio.sleep(_POLL_INTERVAL)
        except TimeoutError:
            raise CommandError(f"{file} did not appear in {seconds:g} seconds") from None
    elif seconds is not None:
        await asyncio.sleep(seconds)
    elif reason := await live.browser_closed():
        raise CommandError(reason)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Do not leave the program behind when the command is interrupted."""
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(_PATIENCE):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def _group() -> frozenset[int]:
    """Return the processes that Ctrl-C reaches with this one, where the system tells."""
    own, found = os.getpgrp(), set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            # Behind the name, which may have blanks: state, parent, group (proc_pid_stat(5)).
            if int(stat.read_text().rpartition(")")[2].split()[2]) == own:
                found.add(int(stat.parent.name))
    return frozenset(found)


async def _gone(others: frozenset[int]) -> None:
    """Wait for what an interrupted program has started, and does not wait for itself: it may still
    set the terminal back, and the prompt would not have its keys then."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            # Nothing tells when a process ends that is no child of this one.
            while not _group() <= others:  # noqa: ASYNC110
                await asyncio.sleep(_POLL_INTERVAL)
