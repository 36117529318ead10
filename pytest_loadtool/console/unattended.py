"""Recording with nobody at the console: one proxy, and one recording after another through it.

A program says where each begins and ends. What a person does with ``stop``, ``configure`` and
``save`` is then done by itself, by the same code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from pytest_loadtool.capture import Proxy
from pytest_loadtool.console.behind_proxy import upstream_of, way_through
from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.commands.files import save
from pytest_loadtool.console.commands.record import stop
from pytest_loadtool.console.configuring import configured
from pytest_loadtool.console.files import new_recording_path
from pytest_loadtool.console.live import Live, evidence_in
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.seen import keep_credentials
from pytest_loadtool.console.session import Session, Settings
from pytest_loadtool.console.views.text import counted
from pytest_loadtool.console.wizard import Question
from pytest_loadtool.errors import FileError, LoadToolError, RecordingError
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.recording import HostUse, hostnames, restrict

#: Seconds that exchanges get to end after the program has said that its recording is over.
_PATIENCE = 1.0
#: Seconds between two looks whether they have.
_LOOK = 0.01


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one recording.

    ``file`` is the test case, or where none was made, for ``reason``, the traffic. ``notes`` are
    lines on what is not in the test case, or not as it was.
    """

    file: str
    pages: int = 0
    transactions: int = 0
    dynamic: int = 0
    notes: tuple[str, ...] = ()
    reason: str = ""

    @property
    def summary(self) -> str:
        """``3 pages, 14 transactions, 2 dynamic values``, or why there are none."""
        if self.reason:
            return self.reason
        return ", ".join(
            (
                counted(self.pages, "page"),
                counted(self.transactions, "transaction"),
                counted(self.dynamic, "dynamic value"),
            )
        )


@dataclass(frozen=True, slots=True)
class End:
    """How a recording ends: with ``keep`` its test case is made, else its traffic stays in a file.

    ``servers`` are fixtures by the base URLs that they gave. The one that gave the server is in the
    test case then, unless a person has chosen another.
    """

    keep: bool
    servers: Mapping[str, str] = field(default_factory=dict)


class Series:
    """Recordings one after another. While entered its proxy listens; between two recordings what
    comes is forwarded and forgotten.

    Raises:
        RecordingError: on entering, when the proxy cannot start.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._resources = AsyncExitStack()
        self._session: Session | None = None
        self._said: list[str] = []
        self._problem = ""

    @property
    def proxy(self) -> Proxy:
        """How clients reach it."""
        recorder = self._recorder
        return Proxy(f"http://127.0.0.1:{recorder.port}", str(recorder.ca_certificate))

    async def __aenter__(self) -> Self:
        from pytest_loadtool.capture import Recorder

        settings = self._settings
        async with AsyncExitStack() as stack:
            way = await stack.enter_async_context(way_through(upstream_of(settings)))
            recorder = Recorder(self._add, settings.port, settings.domains, way)
            self._recorder = await stack.enter_async_context(recorder)
            self._resources = stack.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """A recording that has not ended leaves its traffic behind."""
        try:
            await self._resources.__aexit__(kind, error, traceback)
        finally:
            if self._session is not None and self._session.live is not None:
                await self._session.live.close()

    def begin(self, case_path: Path) -> None:
        """What comes from now on belongs to this test case. It need not exist; if it does, what a
        person said in it stays."""
        self._said, self._problem = [], ""
        session = Session(self._settings, _Notebook(self._said), COMMANDS, case_path)
        if case_path.exists():
            with suppress(FileError):  # it is to be replaced
                open_file(session)
        self._said.clear()
        self._session = session

    async def end(self, how: End) -> Recorded | None:
        """End the recording; None if nothing came.

        Raises:
            RecordingError: what came could not be written.
        """
        await self._settle()
        self._recorder.cut()
        session, self._session = self._session, None
        if self._problem:
            raise RecordingError(self._problem)
        if session is None or session.live is None:
            return None
        traffic = str(session.live.evidence.path)
        if not how.keep:
            await session.live.close()
            return Recorded(traffic, reason="no test case was made")
        try:
            await stop(session)
            notes = [line for line in self._said if line.startswith(" ")]
            dropped, dynamic = _configure(session)
            _use_fixture(session, how.servers)
            notes += keep_credentials(session)
            await save(session, replace=True)
        except LoadToolError as error:
            return Recorded(traffic, reason=str(error))
        case = session.opened().case
        return Recorded(
            str(session.case_path),
            len(case.pages),
            sum(len(page.transactions) for page in case.pages),
            dynamic,
            (*notes, *_left_out(dropped)),
        )

    def _add(self, exchange: Exchange) -> None:
        session = self._session
        if session is None or self._problem:
            return
        if session.live is None:
            resources = AsyncExitStack()
            path = new_recording_path(session.case_path)
            try:
                evidence = evidence_in(path, lambda _: None, resources)
            except LoadToolError as error:
                self._problem = str(error)
                return
            session.live = Live(evidence, self._recorder, None, resources)
        session.live.evidence.add(exchange)

    async def _settle(self) -> None:
        """A response passes the proxy a moment before it is noted."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                # Nothing tells when the last one ends: each is reported by itself.
                while self._recorder.in_flight:  # noqa: ASYNC110
                    await asyncio.sleep(_LOOK)


def _configure(session: Session) -> tuple[list[HostUse], int]:
    """Configure for Replay; the hostnames that were left out, and how many values are dynamic.

    Whoever has said which domains are recorded wants all of those.
    """
    document = session.opened()
    uses = hostnames(document.case, document.exchanges)
    kept = {use.name for use in uses if use.own or session.settings.domains.only}
    case = restrict(document.case, document.exchanges, kept)
    result = configured(session, replace(document, case=case))
    session.document = replace(document, case=result.case)
    dynamic = len({decision.variable for decision in result.decisions if decision.variable})
    return [use for use in uses if use.name not in kept], dynamic


def _use_fixture(session: Session, servers: Mapping[str, str]) -> None:
    document = session.opened()
    case = document.case
    if not case.server_fixture and case.server in servers:
        case = replace(case, server_fixture=servers[case.server])
        session.document = replace(document, case=case)


def _left_out(uses: Iterable[HostUse]) -> list[str]:
    return [
        f"  left out: {use.name}, {counted(use.transactions, 'transaction')} to another domain"
        for use in uses
    ]


class _Notebook:
    """A front end that writes down what is said, and has nobody to ask."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def say(self, text: str, *, gray: bool = False) -> None:  # noqa: ARG002  plain
        """Keep it."""
        self._lines += text.splitlines()

    def progress(self) -> AbstractContextManager[Told]:
        """None: who reads this reads it in the end."""
        return nullcontext(silent)

    async def confirm(self, question: str, *, unattended: bool) -> bool:  # noqa: ARG002  nobody reads
        """The answer for nobody."""
        return unattended

    async def ask(self, question: Question) -> str | None:  # noqa: ARG002  nobody reads
        """No answer."""
        return None
