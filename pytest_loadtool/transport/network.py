"""What all virtual users of a run share: the event loop, resolved names, TLS settings, clocks."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Coroutine
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, cast

from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay.plan import Origin
from pytest_loadtool.transport.raw import Connection
from pytest_loadtool.transport.tls import tls_context

if TYPE_CHECKING:
    from pytest_loadtool.transport.session import Done, Session

__all__ = ["Network", "NetworkObserver", "Unobserved", "new_event_loop"]


class NetworkObserver(Protocol):
    """Is told what the network did that no single response tells. Times are in seconds."""

    def woke_late(self, seconds: float) -> None:
        """A wait ended so many seconds too late."""

    def opened(self, connecting: float, handshake: float | None) -> None:
        """A connection was opened: how long TCP took, and TLS, if it was used."""

    def retried(self) -> None:
        """A request was sent again, because the idle connection it went out on had been closed."""


class Unobserved:
    """Nobody wants to know."""

    def woke_late(self, _seconds: float) -> None:
        """Ignored."""

    def opened(self, _connecting: float, _handshake: float | None) -> None:
        """Ignored."""

    def retried(self) -> None:
        """Ignored."""


class Network:
    """Opens connections. Each host name is resolved once per run, as one client machine would."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        observer: NetworkObserver | None = None,
    ) -> None:
        self._loop = loop
        self._addresses: dict[tuple[str, int], str] = {}
        self._tls: dict[TlsSettings, ssl.SSLContext] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.observer: NetworkObserver = observer or Unobserved()

    def session(self, done: Done) -> Session:
        """The connections of a virtual user more."""
        from pytest_loadtool.transport.session import UserSession

        return UserSession(self, done)

    def call_at(self, when: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back at a time of ``perf_counter``, or at once if it is past."""
        return self._loop.call_later(max(0.0, when - perf_counter()), callback)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine that handles its own errors."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def connect(self, connection: Connection, origin: Origin) -> None:
        """Open ``connection`` to ``origin``.

        Raises:
            OSError: there is no connection to be had; `raw.failure_of` says why.
        """
        address = await self._resolve(origin)
        tls: dict[str, Any] = {}
        if origin.scheme == "https":
            name = origin.tls.server_name or origin.host
            tls = {"ssl": self._tls_for(origin), "server_hostname": name}
        started = perf_counter()
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        open_socket = socket.socket(family, socket.SOCK_STREAM)
        try:
            open_socket.setblocking(False)
            open_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await self._loop.sock_connect(open_socket, (address, origin.port))
            connected = perf_counter()
            protocol = cast("Callable[[], asyncio.Protocol]", lambda: connection)
            await self._loop.create_connection(protocol, sock=open_socket, **tls)
        except BaseException:
            open_socket.close()
            raise
        handshake = perf_counter() - connected if tls else None
        self.observer.opened(connected - started, handshake)

    async def close(self) -> None:
        """End what is still connecting."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _resolve(self, origin: Origin) -> str:
        key = (origin.host, origin.port)
        if key not in self._addresses:
            found = await self._loop.getaddrinfo(*key, type=socket.SOCK_STREAM)
            self._addresses[key] = str(found[0][4][0])
        return self._addresses[key]

    def _tls_for(self, origin: Origin) -> ssl.SSLContext:
        if origin.tls not in self._tls:
            self._tls[origin.tls] = tls_context(origin.tls)
        return self._tls[origin.tls]


def new_event_loop() -> asyncio.AbstractEventLoop:
    """uvloop's event loop, or asyncio's own where uvloop does not run."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop
