"""`record`: the recording proxy in a process of its own, beside the program that is recorded.

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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace as with_changes
from itertools import count
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, Self

import pytest_loadtool
from pytest_loadtool import listeners
from pytest_loadtool.capture import RecordingProxy
from pytest_loadtool.codec.suffixes import har_path
from pytest_loadtool.errors import LoadToolError, RecordingError
from pytest_loadtool.recording import Domain, DomainFilter
from pytest_loadtool.replay.compile.proxies import ProxyUrl
from pytest_loadtool.workflow.files import as_case_path
from pytest_loadtool.workflow.project import Project
from pytest_loadtool.workflow.unattended import End, RecordedCase, RecordingSeries

#: Seconds that it gets to end.
_PATIENCE = 10.0


class RecordingProcess:
    """A `RecordingSeries` of recordings, blocking. It runs while entered.

    Raises:
        RecordingError: on entering, when it cannot start.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._numbers = count()
        self._gone = False
        self.proxy = RecordingProxy()

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
            self.proxy = self._ask(self._project)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    @property
    def alive(self) -> bool:
        """Return whether the recorder has not ended, as far as is known."""
        return not self._gone and self._process.poll() is None

    def begin(self, case_path: Path) -> None:
        """Begin, as `Series.begin` does."""
        self._ask(case_path)

    def end(self, how: End) -> RecordedCase | None:
        """End, as `Series.end` does."""
        result: RecordedCase | None = self._ask(how)
        return result

    def __exit__(self, *_error: object) -> None:
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

    def _ask(self, request: Project | Path | End) -> Any:
        """Send a request, and return the answer.

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
    number, project = requests.recv()
    try:
        async with RecordingSeries(project) as series:
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


async def _answer(
    series: RecordingSeries, request: Path | End
) -> RecordedCase | LoadToolError | None:
    try:
        if isinstance(request, End):
            return await series.end(request)
        series.begin(request)
    except LoadToolError as error:
        return RecordingError(str(error))
    return None


@contextmanager
def record(
    file: str | Path,
    *,
    replace: bool = False,
    only: Sequence[str] = (),
    block: Sequence[str] = (),
    proxy: str = "",
    say: Callable[[str], None] | None = None,
) -> Iterator[RecordingProxy]:
    """Record what goes through a proxy, and make a test case of it: ``file`` and its traffic.

    The value says how clients reach the proxy: `Proxy.url`, `Proxy.ca`, and ready-made settings for
    Playwright, Selenium, httpx and requests. At the end the test case is configured for replay
    and written; ``say`` is called with each line of a summary. If the block raises, no test case is
    made: the traffic is kept, and a note on the exception says where.

    ``only`` and ``block`` are domains to record and to block, with their subdomains. ``proxy`` is
    the URL of a proxy that servers are reached through, with a user name and password if it asks.
    A test case that exists is written over only with ``replace``; what a person set in it stays.

    Raises:
        RecordingError: on entering, when the file exists or recording cannot start; on leaving,
            when no test case can be made of what came, or nothing came.
        LoadToolError: on entering, when the file's name is not one of a test case.
        ValueError: a domain is none, or the proxy's URL.
    """
    path = as_case_path(Path(file).absolute())
    domains = DomainFilter(tuple(map(Domain.parse, only)), tuple(map(Domain.parse, block)))
    if proxy:
        ProxyUrl.parse(proxy)
    if (existing := existing_case(path)) and not replace:
        raise RecordingError(f"{existing} exists: record(…, replace=True) writes over it")
    with RecordingProcess(Project(Path.cwd(), domains=domains, proxy=proxy)) as process:
        process.begin(path)
        try:
            yield process.proxy
        except BaseException as error:
            kept = process.end(End(keep=False))
            if kept is not None:
                _tell(with_changes(kept, reason="the block raised an exception"))
                error.add_note(f"loadtool: what was recorded is in {kept.file}")
            raise
        recorded = process.end(End(keep=True))
    if recorded is None:
        raise RecordingError(f"nothing was recorded for {path}: no client used the proxy")
    if recorded.reason:
        raise RecordingError(
            f"no test case was made: {recorded.reason}. The traffic is in {recorded.file}"
        )
    _tell(recorded)
    if say is not None:
        for line in (f"{recorded.file}: {recorded.summary}", *recorded.notes):
            say(line)


def existing_case(case_path: Path) -> Path | None:
    """Return a file that recording this test case would write over, if there is one."""
    return next((one for one in (case_path, har_path(case_path)) if one.exists()), None)


def _tell(recorded: RecordedCase) -> None:
    for heard in listeners[-1:]:
        heard(recorded)


if __name__ == "__main__":
    asyncio.run(_serve(*(Connection(int(end)) for end in sys.argv[1:])))
