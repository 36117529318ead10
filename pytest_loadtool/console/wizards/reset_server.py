"""Bringing the server back between replays, by a command of the person who replays.

It stands in what that person types, never in a test case: files of others run nothing.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from pytest_loadtool.console.environment import ended
from pytest_loadtool.console.errors import NotGreenError, UsageError

#: Seconds that the command gets to end.
_PATIENCE = 60.0
#: Characters of what it said that a failure repeats: the last ones.
_MOST_SAID = 2000


def words_of(command: str) -> list[str]:
    """Return the program and its arguments.

    Raises:
        UsageError: they cannot be told apart, or there is none.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--reset: a quotation mark is left open ({error})") from None
    if not words:
        raise UsageError("--reset needs a command")
    return words


async def reset_by(command: str, directory: Path) -> None:
    """Run the command in ``directory``, without a shell, to its end.

    What it leaves running in the background, such as a server, stays.

    Raises:
        NotGreenError: it cannot be started, fails, or takes too long; with what it said.
        UsageError: it cannot be taken apart.
    """
    words = words_of(command)
    # A file and not a pipe: what stays in the background would keep that open.
    with tempfile.TemporaryFile() as said:
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                cwd=directory,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        except OSError as error:
            raise NotGreenError(
                f"--reset: {words[0]} cannot be started: {error.strerror}"
            ) from None
        try:
            async with asyncio.timeout(_PATIENCE):
                status = await process.wait()
        except TimeoutError:
            raise NotGreenError(
                f"--reset: {words[0]} did not end within {_PATIENCE:g} seconds{_last(said)}"
            ) from None
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        if status:
            raise NotGreenError(f"--reset: {words[0]} {ended(status)}{_last(said)}")


def _last(said: IO[bytes]) -> str:
    """Return the end of what the command said, on lines of its own."""
    said.seek(max(0, said.seek(0, os.SEEK_END) - _MOST_SAID))
    lines = said.read().decode(errors="replace").strip().splitlines()
    return "".join(f"\n  {line}" for line in lines)
