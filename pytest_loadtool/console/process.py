"""The recording proxy in a process of its own, beside the program whose traffic it records.

A test may stop the clock, forbid sockets, be interrupted or have an event loop that runs: nothing
of that reaches the recorder. Requests and answers are Python objects over two pipes, each answer
with its request's number: who was interrupted while it waited must not take the answer that comes
late for the next one. When the program dies, its pipe ends, and the recorder leaves what it has on
the disk and ends too.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from itertools import count
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest_loadtool
from pytest_loadtool.capture import Proxy
from pytest_loadtool.console.session import Settings
from pytest_loadtool.console.unattended import End, Recorded, Series
from pytest_loadtool.errors import LoadToolError, RecordingError

#: Seconds that it gets to end.
_PATIENCE = 10.0


class RecordingProcess:
    """A `Series` of recordings, blocking. It runs while entered.

    Raises:
        RecordingError: on entering, when it cannot start.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._numbers = count()
        self._gone = False
        self.proxy = Proxy()

    def __enter__(self) -> Self:
        theirs_in, self._requests = Pipe(duplex=False)
        self._answers, theirs_out = Pipe(duplex=False)
        self._errors = tempfile.TemporaryFile()
        package = Path(pytest_loadtool.__file__).parents[1]
        path = os.pathsep.join(filter(None, (str(package), os.environ.get("PYTHONPATH"))))
        ends = (theirs_in.fileno(), theirs_out.fileno())
        self._process = subprocess.Popen(  # noqa: S603  this very module
            [sys.executable, "-m", __name__, *map(str, ends)],
            pass_fds=ends,
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            start_new_session=True,  # Ctrl-C in the terminal is for the program
        )
        theirs_in.close()
        theirs_out.close()
        try:
            self.proxy = self._ask(self._settings)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    @property
    def alive(self) -> bool:
        """Whether the recorder has not ended, as far as is known."""
        return not self._gone and self._process.poll() is None

    def begin(self, case_path: Path) -> None:
        """As `Series.begin`."""
        self._ask(case_path)

    def end(self, how: End) -> Recorded | None:
        """As `Series.end`."""
        result: Recorded | None = self._ask(how)
        return result

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with suppress(OSError):  # it has ended
            # Processes that the program has forked may keep the pipe open for longer.
            self._requests.send(None)
        self._requests.close()
        self._answers.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()

    def _ask(self, request: Settings | Path | End) -> Any:
        """Send a request; the answer.

        Raises:
            RecordingError: the answer is one, or the process is gone.
        """
        number, answered, answer = next(self._numbers), -1, None
        try:
            self._requests.send((number, request))
            while answered != number:
                answered, answer = self._answers.recv()
        except (EOFError, OSError):
            self._gone = True
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip()
            last = said.rpartition("\n")[2] or "no reason given"
            raise RecordingError(f"the recorder has ended: {last}") from None
        if isinstance(answer, LoadToolError):
            raise RecordingError(str(answer))
        return answer


async def _serve(requests: Connection[Any, Any], answers: Connection[Any, Any]) -> None:
    """Answer requests until the last, which is None, or until nobody is left who makes them."""
    number, settings = requests.recv()
    try:
        async with Series(settings) as series:
            answers.send((number, series.proxy))
            while (received := await asyncio.to_thread(_received, requests)) is not None:
                number, request = received
                answers.send((number, await _answer(series, request)))
    except LoadToolError as error:
        answers.send((number, RecordingError(str(error))))


def _received(requests: Connection[Any, Any]) -> tuple[int, Path | End] | None:
    try:
        received: tuple[int, Path | End] | None = requests.recv()
    except EOFError:
        return None
    return received


async def _answer(series: Series, request: Path | End) -> Recorded | LoadToolError | None:
    try:
        if isinstance(request, End):
            return await series.end(request)
        series.begin(request)
    except LoadToolError as error:
        return RecordingError(str(error))
    return None


if __name__ == "__main__":
    asyncio.run(_serve(*(Connection(int(end)) for end in sys.argv[1:])))
