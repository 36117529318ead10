"""Commands from a file or a pipe: no terminal, no questions, an exit status."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TextIO

from pytest_loadtool.console.errors import CommandError, NotGreenError, UsageError
from pytest_loadtool.console.execution import execute, outcome
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.unattended import Unattended
from pytest_loadtool.model.progress import Told


class PlainFrontend(Unattended):
    """Prints to standard output and has nobody to ask."""

    def say(self, text: str) -> None:
        """Print, and do not keep it back: a log is read while the recording runs.

        When its reader goes away (``| head``), the recording goes on without one.
        """
        encoding = sys.stdout.encoding or "utf-8"
        try:
            sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def progress(self) -> AbstractContextManager[Told]:
        """Return a line that is written anew, at a terminal."""
        return told_at(sys.stdout) if sys.stdout.isatty() else super().progress()


def read_script(path: Path) -> list[str]:
    """Return the lines of a script file.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text") from None


def check_script(session: Console, name: str, lines: list[str]) -> None:
    """Understand every line before the first one runs: no recording is lost to a slip at the end.

    Raises:
        UsageError: a line is wrong; the text says which.
    """
    for number, line in enumerate(lines, 1):
        try:
            session.registry.parse(line)
        except UsageError as fault:
            raise UsageError(f"{name}:{number}: {fault}") from None


async def run_script(session: Console, name: str, lines: AsyncIterator[str]) -> int:
    """Run lines until one fails, `quit` or the end, and return the exit status.

    Each command is printed before it runs, so that the output reads like a session. When
    `configure --replay` has ended red, the next `save` is still done: what it found is kept.
    """
    number = status = 0
    async for line in lines:
        number += 1
        text = line.strip()
        if status and not text.startswith("save"):
            continue
        if text and not text.startswith("#"):
            session.say(f"> {text}")
        try:
            await execute(session, text)
        except CommandError as error:
            session.say(f"{name}:{number}: {error}")
            if status or not isinstance(error, NotGreenError):
                return error.status
            status = error.status
        else:
            if status:
                return status
        if session.done:
            break
    if session.live is not None and not session.done:
        session.say(f"{name}: the script ended while recording: `stop` and `save` are missing.")
    elif session.unsaved and not session.done:
        session.say(f"{name}: the script ended without `save`.")
    return status or outcome(session)


async def lines_of(lines: list[str]) -> AsyncIterator[str]:
    """Yield the lines of a script that has been read."""
    for line in lines:
        yield line


async def lines_as_they_come(stream: TextIO) -> AsyncIterator[str]:
    """Yield the lines of standard input. Recording goes on while none comes.

    A daemon thread reads, because files, pipes and terminals have no other way in common; it must
    not keep the process from ending.
    """
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[str | None] = asyncio.Queue()

    def read() -> None:
        try:
            for line in stream:
                loop.call_soon_threadsafe(arrived.put_nowait, line)
            loop.call_soon_threadsafe(arrived.put_nowait, None)
        except RuntimeError:  # the console has ended and its loop is closed
            return

    threading.Thread(target=read, daemon=True, name="script").start()
    while (line := await arrived.get()) is not None:
        yield line


#: Seconds before the line comes, and between two of its states.
_FIRST, _NEXT = 1.0, 0.2
#: ECMA-48 §8.3.41: erases the line, from its beginning on.
_ERASED = "\r\x1b[K"


@contextmanager
def told_at(terminal: TextIO) -> Iterator[Told]:
    """Show there what is told. What is done in no time is not shown.

    A thread writes, so that what takes long is seen even while nothing is told of it.
    """
    line, shown, over = "", False, threading.Event()

    def told(doing: str, done: int, of: int) -> None:
        nonlocal line
        line = f"{doing}: {done:,} of {of:,}" if of else doing

    def write() -> None:
        nonlocal shown
        seconds = _FIRST
        while not over.wait(seconds):
            terminal.write(f"{_ERASED}{line}")
            terminal.flush()
            shown, seconds = bool(line), _NEXT

    writer = threading.Thread(target=write, daemon=True, name="progress")
    writer.start()
    try:
        yield told
    finally:
        over.set()
        writer.join()
        if shown:
            terminal.write(_ERASED)
            terminal.flush()
