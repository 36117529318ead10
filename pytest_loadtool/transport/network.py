"""What all virtual users of a run share: the event loop, resolved names, TLS settings, clocks."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Coroutine
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, cast

from pytest_loadtool.load.line import Line
from pytest_loadtool.model.bandwidth import Bandwidth
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay.plan import Origin
from pytest_loadtool.transport.bandwidth import connect_slowly, receive_buffer
from pytest_loadtool.transport.failures import HandshakeCutError
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
        bandwidth: Bandwidth | None = None,
    ) -> None:
        self._loop = loop
        self._bandwidth = bandwidth
        self._addresses: dict[tuple[str, int], str] = {}
        self._tls: dict[TlsSettings, ssl.SSLContext] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.observer: NetworkObserver = observer or Unobserved()

    def session(self, done: Done) -> Session:
        """The connections of a virtual user more."""
        from pytest_loadtool.transport.session import UserSession

        line = None if self._bandwidth is None else Line(self._bandwidth)
        return UserSession(self, done, line)

    def call_at(self, when: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back at a time of ``perf_counter``, or at once if it is past."""
        return self._loop.call_later(max(0.0, when - perf_counter()), callback)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine that handles its own errors."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def connect(
        self, connection: Connection, origin: Origin, line: Line | None = None
    ) -> None:
        """Open ``connection`` to ``origin``, over ``line`` if there is one.

        Raises:
            OSError, UnicodeError: there is no connection to be had; `failure_of` says why.
        """
        address = await self._resolve(origin)
        tls = self._tls_for(origin) if origin.scheme == "https" else None
        started = perf_counter()
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        opened = socket.socket(family, socket.SOCK_STREAM)
        try:
            opened.setblocking(False)
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if line is not None:
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer(line))
            await self._loop.sock_connect(opened, (address, origin.port))
            if line is not None:
                await asyncio.sleep(line.latency)
            connected = perf_counter()
            connection.handshaking = tls is not None
            await self._establish(connection, opened, origin, tls, line)
        except BaseException:
            opened.close()
            raise
        handshake = perf_counter() - connected if tls is not None else None
        self.observer.opened(connected - started, handshake)

    async def _establish(
        self,
        connection: Connection,
        opened: socket.socket,
        origin: Origin,
        tls: ssl.SSLContext | None,
        line: Line | None,
    ) -> None:
        """Give the connection its socket, after a handshake if there is to be TLS."""
        protocol = cast("asyncio.Protocol", connection)
        name = (origin.tls.server_name or origin.host) if tls is not None else None
        try:
            if line is not None:
                await connect_slowly(protocol, line, opened, tls, name)
            else:
                await self._loop.create_connection(
                    lambda: protocol, sock=opened, ssl=tls, server_hostname=name
                )
        except ssl.SSLError:
            raise
        except OSError as error:
            raise (error if tls is None else HandshakeCutError) from error

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
