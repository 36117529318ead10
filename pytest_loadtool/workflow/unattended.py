"""Recording by a program: one proxy, and one recording after another through it.

The program says where each begins and ends. The test case is then built, configured and saved by
itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from pytest_loadtool.capture import RecordingProxy
from pytest_loadtool.capture.evidence import EvidenceWriter
from pytest_loadtool.casefile import read_case
from pytest_loadtool.errors import FileError, LoadToolError, RecordingError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import hostnames, restrict
from pytest_loadtool.workflow.building import build
from pytest_loadtool.workflow.configuring import configure
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.files import new_recording_path
from pytest_loadtool.workflow.known import fingerprint, is_known
from pytest_loadtool.workflow.project import Project
from pytest_loadtool.workflow.recording import Captured, proxy_for
from pytest_loadtool.workflow.saving import check_savable, save
from pytest_loadtool.workflow.secrets import keep_credentials
from pytest_loadtool.workflow.telling import counted

#: Seconds that exchanges get to end after the program has said that its recording is over.
_PATIENCE = 1.0
#: Seconds between two looks whether they have.
_POLL_INTERVAL = 0.01


@dataclass(frozen=True, slots=True)
class RecordedCase:
    """The result of one recording.

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
    """The way in which a recording ends: with ``keep`` its test case is made, else its traffic
    stays in a file.

    ``servers`` are fixtures by the base URLs that they gave. The one that gave the server is in the
    test case then, unless a person has chosen another.
    """

    keep: bool
    servers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Case:
    """A test case that is being recorded. ``old`` is the one in its file, ``own`` whether that may
    be replayed unasked."""

    path: Path
    old: TestCase | None = None
    own: bool = True
    evidence: EvidenceWriter | None = None
    resources: AsyncExitStack = field(default_factory=AsyncExitStack)


class RecordingSeries:
    """Recordings one after another. While entered its proxy listens; between two recordings what
    comes is forwarded and forgotten.

    Raises:
        RecordingError: on entering, when the proxy cannot start.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._resources = AsyncExitStack()
        self._case: _Case | None = None
        self._problem = ""

    @property
    def proxy(self) -> RecordingProxy:
        """Return how clients reach it."""
        recorder = self._recorder
        return RecordingProxy(f"http://127.0.0.1:{recorder.port}", str(recorder.ca_certificate))

    async def __aenter__(self) -> Self:
        from pytest_loadtool.capture import Recorder

        project = self._project
        async with AsyncExitStack() as stack:
            way = await stack.enter_async_context(proxy_for(project.upstream))
            recorder = Recorder(self._add, project.port, project.domains, way)
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
            if self._case is not None:
                await self._case.resources.aclose()

    def begin(self, case_path: Path) -> None:
        """Take what comes from now on for this test case. It need not exist; if it does, what a
        person said in it stays."""
        self._case, self._problem = _Case(case_path), ""
        if case_path.exists():
            with suppress(FileError):  # it is to be replaced
                self._case.old = read_case(case_path, self._project.trust)
                self._case.own = is_known(fingerprint(case_path))

    async def end(self, how: End) -> RecordedCase | None:
        """End the recording, and return the test case; None if nothing came.

        Raises:
            RecordingError: what came could not be written.
        """
        await self._settle()
        self._recorder.cut()
        case, self._case = self._case, None
        if self._problem:
            raise RecordingError(self._problem)
        if case is None or case.evidence is None:
            return None
        await case.resources.aclose()
        if not how.keep:
            return RecordedCase(str(case.evidence.path), reason="no test case was made")
        captured = Captured.of(case.evidence, self._recorder, self._project.upstream)
        try:
            return _saved(self._project, case, captured, how.servers)
        except LoadToolError as error:
            return RecordedCase(str(case.evidence.path), reason=str(error))

    def _add(self, exchange: Exchange) -> None:
        case = self._case
        if case is None or self._problem:
            return
        if case.evidence is None:
            path = new_recording_path(case.path)
            try:
                case.evidence = EvidenceWriter.into(path, lambda _: None, case.resources)
            except LoadToolError as error:
                self._problem = str(error)
                return
        case.evidence.add(exchange)

    async def _settle(self) -> None:
        """A response passes the proxy a moment before it is noted."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                # Nothing tells when the last one ends: each is reported by itself.
                while self._recorder.in_flight:  # noqa: ASYNC110
                    await asyncio.sleep(_POLL_INTERVAL)


def _saved(
    project: Project, case: _Case, captured: Captured, servers: Mapping[str, str]
) -> RecordedCase:
    """Build, configure and save, and return what became of it.

    Raises:
        LoadToolError: no test case can be made, or written.
    """
    built = build(project, case.path, captured, case.old)
    document, left_out = _configured(project, case.path, built.document)
    kept = keep_credentials(project, _with_fixture(document, servers), case.path)
    check_savable(kept.document, case.path)
    saved = save(project, kept.document, case.path, own=case.own).document
    made = saved.configuration.decisions if saved.configuration is not None else ()
    return RecordedCase(
        str(case.path),
        len(saved.case.pages),
        sum(len(page.transactions) for page in saved.case.pages),
        len({one.variable for one in made if one.variable}),
        (*built.left_out, *built.notes, *kept.notes, *left_out),
    )


def _configured(
    project: Project, case_path: Path, document: Document
) -> tuple[Document, tuple[str, ...]]:
    """Return the document configured for replay; the hostnames that were left out.

    Whoever has said which domains are recorded wants all of those.
    """
    uses = hostnames(document.case, document.exchanges)
    kept = {use.name for use in uses if use.own or project.domains.only}
    case = restrict(document.case, document.exchanges, kept)
    left_out = (
        f"  left out: {use.name}, {counted(use.transactions, 'transaction')} to another domain"
        for use in uses
        if use.name not in kept
    )
    return configure(project, case_path, replace(document, case=case)), tuple(left_out)


def _with_fixture(document: Document, servers: Mapping[str, str]) -> Document:
    case = document.case
    if case.server_fixture or case.server not in servers:
        return document
    return replace(document, case=replace(case, server_fixture=servers[case.server]))
