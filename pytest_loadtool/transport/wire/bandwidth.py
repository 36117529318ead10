"""A connection over a slow line.

`Throttled` stands between a connection and its socket. What the socket gives reaches the connection
when the line would have brought it, and what the connection writes leaves when the line would have
carried it. Meanwhile the socket is not read, so the server meets a client that is really slow.
Connections without a line know nothing of this and pay nothing for it.

What the line carries are the bytes of HTTP and of TLS; those of TCP and below are not counted.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any, cast

from pytest_loadtool.model.bandwidth import Bandwidth

#: The first piece of what comes after a silence is as long as an Ethernet packet's content, so that
#: the first byte comes when it should.
_PACKET = 1460

#: After that a piece is what the line carries in so many seconds: between them other connections of
#: the same user get their turn.
_TURN = 0.05


class Direction:
    """One direction of a line: what is carried passes one after the other, without gaps."""

    __slots__ = ("_free", "rate")

    def __init__(self, rate: int) -> None:
        self.rate = rate
        """Bits per second."""
        self._free = 0.0  # when it will have carried all that it was given so far

    def carry(self, since: float, size: int) -> float:
        """Return when the last of ``size`` bytes will have passed that have been waiting ``since``.

        They begin as soon as all that was carried before has passed, but not before ``since``.
        """
        self._free = max(since, self._free) + size * 8 / self.rate
        return self._free


class Throttle:
    """A virtual user's line, shared by all its connections."""

    __slots__ = ("down", "latency", "up")

    def __init__(self, bandwidth: Bandwidth) -> None:
        self.down = Direction(bandwidth.down)
        self.up = Direction(bandwidth.up)
        self.latency = bandwidth.latency


def receive_buffer(line: Throttle) -> int:
    """Return how many bytes a socket's SO_RCVBUF should have, to be set before it connects.

    About what the line carries in two turns. With the usual buffer, which grows to megabytes, the
    kernel would take a response at full speed and the server would be done with it at once.
    """
    return max(4 * _PACKET, int(line.down.rate / 8 * 2 * _TURN))


async def connect_slowly(
    inner: asyncio.Protocol, line: Throttle, address: tuple[str, int]
) -> asyncio.Transport:
    """Connect ``inner`` to an IP address and port, as ``loop.create_connection`` does, over
    ``line``; returns the transport of the socket itself.

    Raises:
        OSError: there is no connection to be had.
    """
    loop = asyncio.get_running_loop()
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setblocking(False)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer(line))
        await loop.sock_connect(opened, address)
        await asyncio.sleep(line.latency)
        transport, _ = await loop.create_connection(
            lambda: Throttled(inner, line, loop), sock=opened
        )
    except BaseException:
        opened.close()
        raise
    return transport


class Throttled(asyncio.Protocol):
    """Gives ``inner`` a connection over ``line``.

    What is sent after a silence takes the latency of a round trip and its time on the line; what
    comes back, its time on the line. So each request, and each step of a handshake, takes a round
    trip. The one of opening the connection is past when this begins.
    """

    __slots__ = ("_down", "_eof", "_inner", "_loop", "_lost", "_paused", "_transport", "_up")

    def __init__(
        self, inner: asyncio.Protocol, line: Throttle, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._inner = inner
        self._loop = loop
        self._down = _Flow(loop, line.down, 0.0, self._arrived)
        self._up = _Flow(loop, line.up, line.latency, self._left)
        self._transport: _SlowTransport | None = None
        self._paused = False  # the socket is not read
        self._eof = False  # the server has ended its side; ``inner`` does not know yet
        self._lost: tuple[Exception | None] | None = None  # likewise, the connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is open."""
        self._transport = _SlowTransport(
            cast("asyncio.Transport", transport),
            self._up,
            self._down,
            lambda: self._loop.call_soon(self._settle),
            self._turn_to,
        )
        self._inner.connection_made(self._transport)

    def data_received(self, data: bytes) -> None:
        """Bytes have come: put them on the line, and take no more before they are through."""
        transport = self._transport
        if transport is None or transport.closing:
            return
        self._down.add(data)
        if self._down.waiting and not self._paused:
            self._paused = True
            transport.real.pause_reading()

    def eof_received(self) -> None:
        """The server sends nothing more; what it sent may still be on the line."""
        self._eof = True
        self._settle()

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is gone; what came before may still be on the line."""
        self._up.cut()
        self._lost = (error,)
        self._settle()

    def _turn_to(self, inner: asyncio.Protocol) -> None:
        self._inner = inner

    def _arrived(self, piece: bytes) -> None:
        self._inner.data_received(piece)
        self._settle()

    def _left(self, piece: bytes) -> None:
        assert self._transport is not None
        self._transport.real.write(piece)
        self._settle()

    def _settle(self) -> None:
        """Do what was put off until the line had carried what came before it."""
        transport = self._transport
        assert transport is not None
        if self._paused and not self._down.waiting and not transport.real.is_closing():
            # While the last piece is on the line, so that the next one can follow without a gap.
            self._paused = False
            transport.real.resume_reading()
        if transport.closing and self._up.idle:
            transport.real.close()
        if not self._down.idle:
            return
        if self._eof:
            self._eof = False
            if not transport.closing:
                self._inner.eof_received()
        if self._lost is not None:
            (error,), self._lost = self._lost, None
            self._inner.connection_lost(error)


class _Flow:
    """The bytes that go one way on one connection. ``passed`` is given each piece when it has
    passed."""

    __slots__ = (
        "_direction",
        "_latency",
        "_loop",
        "_passed",
        "_piece",
        "_since",
        "_timer",
        "_turn",
        "waiting",
    )  # fmt: skip

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        direction: Direction,
        latency: float,
        passed: Callable[[bytes], None],
    ) -> None:
        self._loop = loop
        self._direction = direction
        self._latency = latency
        self._passed = passed
        self._turn = max(_PACKET, int(direction.rate / 8 * _TURN))
        self._timer: asyncio.TimerHandle | None = None
        self._since = 0.0
        self._piece = b""
        self.waiting = bytearray()
        """What is not on the line yet."""

    @property
    def idle(self) -> bool:
        """Return whether nothing is waiting or on the line."""
        return self._timer is None

    def add(self, data: bytes) -> None:
        """Send more; after a silence the latency comes first."""
        self.waiting += data
        if self._timer is not None or not self.waiting:
            return
        self._since = self._loop.time() + self._latency
        if self._latency:
            self._timer = self._loop.call_at(self._since, self._begin)
        else:
            self._begin()

    def cut(self) -> None:
        """Forget what has not passed yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.waiting.clear()

    def _begin(self) -> None:
        self._put(_PACKET)

    def _put(self, most: int) -> None:
        """Put a piece on the line; it has been waiting since the one before it had passed."""
        self._piece = bytes(self.waiting[:most])
        del self.waiting[:most]
        self._since = self._direction.carry(self._since, len(self._piece))
        self._timer = self._loop.call_at(self._since, self._pass)

    def _pass(self) -> None:
        piece, self._timer = self._piece, None
        if self.waiting:
            self._put(self._turn)
        self._passed(piece)


class _SlowTransport(asyncio.Transport):
    """The transport that the connection gets."""

    def __init__(
        self,
        real: asyncio.Transport,
        up: _Flow,
        down: _Flow,
        settle: Callable[[], object],
        turn_to: Callable[[asyncio.Protocol], None],
    ) -> None:
        super().__init__()
        self.real = real
        self.closing = False
        self._up = up
        self._down = down
        self._settle = settle
        self._turn_to = turn_to

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Send ``data`` over the line."""
        if not self.is_closing():
            self._up.add(bytes(data))

    def close(self) -> None:
        """Close once everything written has left; nothing is received any more."""
        self.closing = True
        self._down.cut()
        self._settle()

    def abort(self) -> None:
        """Close at once; what has not left is dropped."""
        self.closing = True
        self._up.cut()
        self._down.cut()
        self.real.abort()
        self._settle()

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Give what the line brings to ``protocol`` from now on."""
        self._turn_to(cast("asyncio.Protocol", protocol))

    def is_closing(self) -> bool:
        """Return whether it is closed or about to be."""
        return self.closing or self.real.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what the real transport knows."""
        return self.real.get_extra_info(name, default)
