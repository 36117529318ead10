"""A recording that is running: the proxy, the browser, and the traffic as it reaches the disk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_loadtool.capture.evidence import EvidenceWriter
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import DomainFilter
from pytest_loadtool.workflow.project import Project

if TYPE_CHECKING:
    from pytest_loadtool.capture import Browser, Recorder
    from pytest_loadtool.replay.compile.proxies import ProxyUrl


@dataclass(frozen=True, slots=True)
class Captured:
    """The traffic of a recording that has ended, or that was read from a file.

    ``evidence`` is that file; what of it could not be written, for the reason ``problem``, is in
    memory only. ``unverified`` are hosts whose certificate did not verify, and why.
    """

    exchanges: tuple[Exchange, ...]
    evidence: Path
    problem: str = ""
    unverified: Mapping[str, str] = field(default_factory=dict)
    upstream: ProxyUrl | None = None
    """The proxy that the recorder went through."""

    @classmethod
    def of(
        cls, evidence: EvidenceWriter, recorder: Recorder, upstream: ProxyUrl | None
    ) -> Captured:
        """Return what came into ``evidence`` by way of ``recorder``."""
        return cls(
            tuple(evidence.exchanges),
            evidence.path,
            evidence.problem,
            dict(recorder.unverified),
            upstream,
        )


@dataclass(slots=True)
class Live:
    """The handles of a running recording."""

    evidence: EvidenceWriter
    recorder: Recorder
    upstream: ProxyUrl | None
    browser: Browser | None
    resources: AsyncExitStack
    watcher: asyncio.Task[None] | None = None

    @property
    def proxy(self) -> str:
        """The proxy's URL."""
        return f"http://127.0.0.1:{self.recorder.port}"

    @property
    def devtools(self) -> str:
        """Return where the browser can be driven (DevTools protocol); empty without a browser."""
        return self.browser.debugging_url if self.browser is not None else ""

    def watch(self, closed: Callable[[str], None]) -> None:
        """Call ``closed`` when the browser is gone: with nothing, or with what happened to it."""
        self.watcher = asyncio.create_task(_watch(self.browser, closed))

    async def browser_closed(self) -> str:
        """Wait until the browser, if there is one, is gone, and who watches it knows, and return
        what happened; see `Browser.wait_closed`."""
        reason = await self.browser.wait_closed() if self.browser is not None else ""
        if self.watcher is not None:
            await asyncio.wait([self.watcher])
        return reason

    async def stop(self) -> Captured:
        """Close the browser, then the proxy, then the file; return what was recorded."""
        if self.watcher is not None:
            self.watcher.cancel()
        if self.browser is not None:
            await self.browser.check_alive()
            for crash in self.browser.crashes:
                self.evidence.trouble(crash)
        await self.resources.aclose()
        return Captured.of(self.evidence, self.recorder, self.upstream)


async def _watch(browser: Browser | None, closed: Callable[[str], None]) -> None:
    if browser is not None:
        closed(await browser.wait_closed())


@asynccontextmanager
async def proxy_for(proxy: ProxyUrl | None) -> AsyncIterator[ProxyUrl | None]:
    """Open the proxy that the recorder goes through to get through ``proxy`` as the user whom that
    names; if there is one."""
    if proxy is None:
        yield None
        return
    from pytest_loadtool.capture.proxy.neighbours import doorkeeper
    from pytest_loadtool.transport.proxy.forwarder import Forwarder

    async with Forwarder(proxy, doorkeeper) as forwarder:
        yield forwarder.url


async def start(
    project: Project,
    path: Path,
    url: str,
    executable: str | None,
    domains: DomainFilter,
    heard: Callable[[Exchange], None],
    *,
    port: int = 0,
    any_user: bool = False,
) -> Live:
    """Start recording into ``path``; with ``executable``, in that browser, opened at ``url``.

    ``heard`` is called with each exchange, ``port`` is one other than the project's, and
    ``any_user`` lets others of this machine record.

    Raises:
        RecordingError: mitmproxy is not installed, the port is taken, the file cannot be written or
            the browser does not start.
    """
    from pytest_loadtool.capture import Browser, Recorder

    async with AsyncExitStack() as stack:
        evidence = EvidenceWriter.into(path, heard, stack)
        way = await stack.enter_async_context(proxy_for(project.upstream))
        recorder = await stack.enter_async_context(
            Recorder(evidence.add, port or project.port, domains, way, any_user=any_user)
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
        return Live(evidence, recorder, project.upstream, browser, stack.pop_all())
