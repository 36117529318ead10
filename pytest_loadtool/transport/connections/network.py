"""What all virtual users of a run share: the event loop, resolved names, TLS settings, clocks, and
the heads of responses that come again."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from time import perf_counter
from typing import Any, Protocol, cast

from pytest_loadtool.model.bandwidth import Bandwidth
from pytest_loadtool.model.load import BODY_LIMIT
from pytest_loadtool.replay.user.exchange import Send, Step
from pytest_loadtool.replay.user.head import Heads
from pytest_loadtool.replay.user.origin import Origin
from pytest_loadtool.transport.proxy.proxy_connection import Dialogue
from pytest_loadtool.transport.proxy.proxy_login import AtProxy
from pytest_loadtool.transport.proxy.tunnel import open_tunnel, tunnel_name
from pytest_loadtool.transport.wire.bandwidth import Throttle, connect_slowly
from pytest_loadtool.transport.wire.failures import (
    CLOSED_IN_NEGOTIATION,
    NO_CONNECTION,
    NO_HANDSHAKE,
    NO_TUNNEL,
    HandshakeCutError,
    failure_of,
    of_proxy,
)
from pytest_loadtool.transport.wire.raw import Connection
from pytest_loadtool.transport.wire.tls import TlsContexts
from pytest_loadtool.transport.wire.tls_layer import TlsLayer

#: The step whose request the task at hand is to send, set by each task that opens a tunnel: so who
#: is told of a connection alone, such as an observer of its tunnel, can say whose it is.
ASKING: ContextVar[Step] = ContextVar("asking")

_Host = tuple[str, int]

#: How many seconds it took to connect, and what TLS took after that, if it was used.
_Times = tuple[float, float | None]


class NetworkObserver(Protocol):
    """Is told what the network did that no single response tells. Times are in seconds."""

    def woke_late(self, seconds: float) -> None:
        """A wait ended so many seconds too late."""

    def opened(self, connecting: float, handshake: float | None) -> None:
        """A connection was opened: how long TCP took, with the tunnel of a proxy, and TLS, if it
        was used."""

    def retried(self) -> None:
        """A request was sent again, because the idle connection it went out on had been closed."""

    def challenged(self, seconds: float) -> None:
        """A proxy that was asked for a tunnel wanted to know who asks."""


class Unobserved:
    """An observer that wants to know nothing."""

    def woke_late(self, _seconds: float) -> None:
        """Ignored."""

    def opened(self, _connecting: float, _handshake: float | None) -> None:
        """Ignored."""

    def retried(self) -> None:
        """Ignored."""

    def challenged(self, _seconds: float) -> None:
        """Ignored."""


class Network:
    """Opens connections. Each host name is resolved once per run, as one client machine would, and
    the first of its addresses that takes a connection is kept: ``localhost`` is two of them."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        observer: NetworkObserver | None = None,
        bandwidth: Bandwidth | None = None,
        body_limit: int = BODY_LIMIT,
    ) -> None:
        self._loop = loop
        self._bandwidth = bandwidth
        self.body_limit = body_limit
        self.heads = Heads()
        self._addresses: dict[_Host, str] = {}  # those that have taken a connection
        self._lookups: dict[_Host, asyncio.Task[list[str]]] = {}
        self.tls = TlsContexts()
        self._tasks: set[asyncio.Task[None]] = set()
        self.observer: NetworkObserver = observer or Unobserved()

    def line(self) -> Throttle | None:
        """Return the line of a virtual user more; None if the machine's own is used."""
        return None if self._bandwidth is None else Throttle(self._bandwidth)

    def call_at(self, when: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back at a time of ``perf_counter``, or at once if it is past."""
        return self._loop.call_later(max(0.0, when - perf_counter()), callback)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine that handles its own errors."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def open(
        self,
        connection: Connection,
        send: Send,
        line: Throttle | None,
        login: Callable[[Origin], AtProxy | None],
    ) -> None:
        """Open ``connection`` for the request that waits there; or fail that, and say why."""
        failure, origin = CLOSED_IN_NEGOTIATION if send.bound else None, send.step.origin
        if failure is None:
            if origin.via is not None:
                ASKING.set(send.step)
            try:
                await self.connect(connection, origin, line, login(origin))
            except Exception as error:  # whatever it is, it is why this request failed
                failure = failure_of(error)
        connection.opening = None
        if failure is not None:
            connection.fail(failure)

    async def connect(
        self,
        connection: Connection,
        origin: Origin,
        line: Throttle | None = None,
        user: AtProxy | None = None,
    ) -> None:
        """Open ``connection`` to ``origin``, over ``line`` if there is one, and through its proxy
        if it has one; ``user`` is who asks that for a tunnel.

        Raises:
            OSError, UnicodeError: there is no connection to be had; `failure_of` says why.
        """
        protocol = cast("asyncio.Protocol", connection)
        if origin.via is None:
            times = await self._reach(protocol, connection, origin, line)
        elif origin.scheme == "http":
            times = await self._reach_proxy(protocol, connection, origin.via.server, line)
        else:
            assert user is not None
            times = await self._reach_through(protocol, connection, origin, line, user)
        self.observer.opened(*times)

    async def close(self) -> None:
        """End what is still connecting."""
        tasks = [*self._tasks, *self._lookups.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _reach_through(
        self,
        protocol: asyncio.Protocol,
        connection: Connection,
        origin: Origin,
        line: Throttle | None,
        user: AtProxy,
    ) -> _Times:
        """Have the proxy open a tunnel, then TLS to ``origin`` in it; return how long each took."""
        assert origin.via is not None
        proxy = origin.via.server
        attempts: list[_Times] = []

        async def reach() -> Dialogue:
            dialogue = Dialogue()
            connection.overdue = NO_CONNECTION
            attempts.append(await self._reach_proxy(dialogue, connection, proxy, line))
            connection.overdue = NO_TUNNEL
            return dialogue

        target = tunnel_name(origin.host, origin.port)
        dialogue, granting = await open_tunnel(reach, proxy, target, user, self.observer.challenged)

        async def begin(layer: asyncio.Protocol) -> asyncio.Transport:
            dialogue.hand_over(layer)
            return dialogue.transport

        *left, (connecting, to_proxy) = attempts
        for times in left:  # those that the proxy has closed over its challenges
            self.observer.opened(*times)
        connecting += (to_proxy or 0.0) + granting
        return connecting, await self._secure(protocol, connection, origin, begin)

    async def _reach_proxy(
        self,
        protocol: asyncio.Protocol,
        connection: Connection,
        proxy: Origin,
        line: Throttle | None,
    ) -> _Times:
        try:
            return await self._reach(protocol, connection, proxy, line)
        except Exception as error:  # whatever it is, the server behind it is not to blame
            raise of_proxy(proxy, failure_of(error)) from error

    async def _reach(
        self,
        protocol: asyncio.Protocol,
        connection: Connection,
        peer: Origin,
        line: Throttle | None,
    ) -> _Times:
        """Connect to ``peer`` itself, with TLS if its scheme wants it; return how long each
        took."""
        addresses = await self._resolve(peer)
        connecting = 0.0

        async def begin(outermost: asyncio.Protocol) -> asyncio.Transport:
            nonlocal connecting
            transport, connecting = await self._open(outermost, peer, addresses, line)
            return transport

        if peer.scheme == "http":
            await begin(protocol)
            return connecting, None
        handshake = await self._secure(protocol, connection, peer, begin)
        return connecting, handshake

    async def _secure(
        self,
        protocol: asyncio.Protocol,
        connection: Connection,
        peer: Origin,
        begin: Callable[[asyncio.Protocol], Awaitable[asyncio.Transport]],
    ) -> float:
        """Put TLS to ``peer`` around ``protocol``; ``begin`` has it connected. Return how long
        (seconds) the handshake took."""
        secured = self._loop.create_future()
        name = peer.tls.server_name or peer.host
        layer = TlsLayer(protocol, self.tls.of(peer.tls), name, secured)
        try:
            transport = await begin(cast("asyncio.Protocol", layer))
            connection.overdue = NO_HANDSHAKE
            await _finish(secured, transport)
        except ConnectionResetError as error:
            raise HandshakeCutError from error
        finally:
            secured.cancel()  # unless it is over: nobody waits for it any more
        return layer.ended - layer.began

    async def _open(
        self,
        protocol: asyncio.Protocol,
        origin: Origin,
        addresses: list[str],
        line: Throttle | None,
    ) -> tuple[asyncio.Transport, float]:
        """Connect to the first address that can be; return the connection, and how many seconds
        that took."""
        failure: OSError | None = None
        for address in addresses:
            started = perf_counter()
            try:
                if line is None:
                    transport, _ = await self._loop.create_connection(
                        lambda: protocol, address, origin.port
                    )
                else:
                    transport = await connect_slowly(protocol, line, (address, origin.port))
            except OSError as error:
                failure = failure or error
                continue
            self._addresses[origin.host, origin.port] = address
            return transport, perf_counter() - started
        assert failure is not None
        raise failure

    async def _resolve(self, origin: Origin) -> list[str]:
        """Return its addresses. All who want to know at a time share one look-up."""
        host = (origin.host, origin.port)
        known = self._addresses.get(host)
        if known is not None:
            return [known]
        lookup = self._lookups.get(host)
        if lookup is None or (lookup.done() and lookup.exception() is not None):
            lookup = self._lookups[host] = self._loop.create_task(self._look_up(host))
        return await asyncio.shield(lookup)

    async def _look_up(self, host: _Host) -> list[str]:
        found = await self._loop.getaddrinfo(*host, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(one[4][0]) for one in found))


async def _finish(handshake: asyncio.Future[None], transport: asyncio.Transport) -> None:
    try:
        await handshake
    except BaseException:
        transport.abort()
        raise


def new_event_loop() -> asyncio.AbstractEventLoop:
    """Return uvloop's event loop, or asyncio's own where uvloop does not run."""
    try:
        import uvloop
    except ImportError:
        loop = asyncio.new_event_loop()
    else:
        loop = uvloop.new_event_loop()
    loop.set_exception_handler(_tell)
    return loop


def _tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what nobody caught; but for a lack of memory, of which the connection is told, too."""
    if not (isinstance(context.get("exception"), MemoryError) and "protocol" in context):
        loop.default_exception_handler(context)
