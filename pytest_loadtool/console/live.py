"""A recording that is running: the proxy, the browser, and the traffic as it reaches the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_loadtool.casefile import HarWriter
from pytest_loadtool.console.behind_proxy import way_through
from pytest_loadtool.errors import FileError, RecordingError
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import DomainFilter

if TYPE_CHECKING:
    from pytest_loadtool.capture import Browser, Recorder
    from pytest_loadtool.replay.compile.proxies import ProxyUrl


@dataclass(slots=True)
class Evidence:
    """The traffic of one recording: every exchange is in the file before anybody hears of it.

    Response bodies stay in memory as long as ``room`` (bytes) lasts; later ones, and large ones,
    are read from the file when they are asked for. When the file cannot be written any more,
    ``problem`` says why; what came is not lost before the console ends.
    """

    path: Path
    writer: HarWriter
    heard: Callable[[Exchange], None]
    exchanges: list[Exchange] = field(default_factory=list)
    problem: str = ""
    room: int = 32 * 1024 * 1024

    def trouble(self, text: str) -> None:
        """Keep what can only be put right by recording again."""
        with suppress(FileError):  # `add` has said so
            self.writer.trouble(text)

    def add(self, exchange: Exchange) -> None:
        """Keep ``exchange`` and tell whoever listens."""
        kept = exchange
        try:
            kept = self.writer.keep(exchange)
        except (FileError, OSError) as error:  # the file, or the one that a body was kept in
            self.problem = self.problem or str(error)
        if isinstance(exchange.held_body, bytes) and exchange.response_size <= self.room:
            self.room -= exchange.response_size
            kept = kept.changed(response_body=exchange.held_body)
        self.exchanges.append(kept)
        self.heard(exchange)


@dataclass(slots=True)
class Live:
    """The handles of a running recording."""

    evidence: Evidence
    recorder: Recorder
    browser: Browser | None
    resources: AsyncExitStack
    watcher: asyncio.Task[None] | None = None

    @property
    def proxy(self) -> str:
        """The proxy's URL."""
        return f"http://127.0.0.1:{self.recorder.port}"

    @property
    def devtools(self) -> str:
        """Where the browser can be driven (DevTools protocol); empty without a browser."""
        return self.browser.debugging_url if self.browser is not None else ""

    def watch(self, closed: Callable[[str], None]) -> None:
        """Call ``closed`` when the browser is gone: with nothing, or with what happened to it."""
        self.watcher = asyncio.create_task(_watch(self.browser, closed))

    async def browser_closed(self) -> str:
        """Wait until the browser, if there is one, is gone, and who watches it knows; see
        `Browser.wait_closed`."""
        reason = await self.browser.wait_closed() if self.browser is not None else ""
        if self.watcher is not None:
            await asyncio.wait([self.watcher])
        return reason

    async def close(self) -> None:
        """Close the browser, then the proxy, then the file."""
        if self.watcher is not None:
            self.watcher.cancel()
        if self.browser is not None:
            await self.browser.last_look()
            for crash in self.browser.crashes:
                self.evidence.trouble(crash)
        await self.resources.aclose()


async def _watch(browser: Browser | None, closed: Callable[[str], None]) -> None:
    if browser is not None:
        closed(await browser.wait_closed())


def evidence_in(
    path: Path, heard: Callable[[Exchange], None], resources: AsyncExitStack
) -> Evidence:
    """Traffic that goes to a new file, which ``resources`` closes.

    Raises:
        RecordingError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = HarWriter(path)
    except OSError as error:
        raise RecordingError(f"{path} cannot be written: {error.strerror or error}") from None
    except FileError as error:
        raise RecordingError(str(error)) from None
    resources.callback(writer.close)
    return Evidence(path, writer, heard)


async def start(
    path: Path,
    url: str,
    executable: str | None,
    port: int,
    domains: DomainFilter,
    heard: Callable[[Exchange], None],
    upstream: ProxyUrl | None = None,
    *,
    any_user: bool = False,
) -> Live:
    """Start recording into ``path``; with ``executable``, in that browser, opened at ``url``.
    ``upstream`` is the proxy that servers are reached through; ``any_user`` lets others
    of this machine record.

    Raises:
        RecordingError: the port is taken, the file cannot be written or the browser does not start.
    """
    from pytest_loadtool.capture import Browser, Recorder

    async with AsyncExitStack() as stack:
        evidence = evidence_in(path, heard, stack)
        way = await stack.enter_async_context(way_through(upstream))
        recorder = await stack.enter_async_context(
            Recorder(evidence.add, port, domains, way, any_user=any_user)
        )
        browser = None
        if executable is not None:
            browser = await stack.enter_async_context(
                Browser(
                    executable,
                    url,
                    recorder.port,
                    recorder.ca_certificate,
                    remote_debugging_port=0,
                )
            )
        return Live(evidence, recorder, browser, stack.pop_all())
