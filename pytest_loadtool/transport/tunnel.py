"""Tunnels through HTTP proxies: CONNECT (RFC 9110 §9.3.6).

A tunnel is opened before TLS begins, over the same transport. Who the virtual user is to the proxy
is settled meanwhile; only then is the transport turned over to those who talk to the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol, TypeVar, cast

from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.head import Head
from pytest_loadtool.replay.plan import Origin
from pytest_loadtool.transport.failures import not_http, of_proxy
from pytest_loadtool.transport.http1 import ProtocolError, ResponseReader

__all__ = [
    "Dialogue",
    "NoReplyError",
    "Reply",
    "ReplyReader",
    "TunnelUser",
    "open_tunnel",
    "tunnel_name",
]

#: How much of a refusal is read for the sake of its connection (bytes).
_LONGEST_REFUSAL = 64 * 1024

#: How often a proxy may ask for credentials before there is a tunnel. NTLM needs two, and a stale
#: nonce of Digest one more.
_MOST_CHALLENGES = 5

_CUT = Failure("reset", "connection closed while a tunnel was being opened")
_CUT_MIDWAY = Failure(
    "auth",
    "it closes the connection in the middle of a handshake that belongs to it (NTLM): are "
    "persistent connections switched off there?",
)
_ENDLESS = Failure("auth", f"it has asked for credentials more than {_MOST_CHALLENGES} times")

T = TypeVar("T", bound="Talk")

_UNREACHED = ": it could not reach the server"

#: What some refusals mean.
_HINTS = {
    403: ": do its rules allow tunnels to this port (Apache: AllowCONNECT, squid: SSL_ports)?",
    405: ": does it offer CONNECT?",
    501: ": does it offer CONNECT?",
    502: _UNREACHED,
    503: _UNREACHED,
    504: _UNREACHED,
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a proxy has said to a CONNECT; ``open`` if the connection can take another one."""

    head: Head
    reason: str
    open: bool


class TunnelUser(Protocol):
    """What a virtual user says of itself to a proxy."""

    def unasked(self, target: str) -> str:
        """The credentials that go along with the first CONNECT of a connection, or nothing."""

    def answer(self, target: str, reply: Reply) -> str:
        """The credentials in answer to a challenge.

        Raises:
            ProxyError: there are none, or they were refused.
        """

    def accepted(self) -> None:
        """There is a tunnel."""

    @property
    def bound(self) -> bool:
        """Whether what it has said last holds on this one connection only."""


class NoReplyError(Exception):
    """The proxy has closed the connection without a word."""


class Talk(Protocol):
    """A connection to a proxy while there is no tunnel yet: one question, one reply."""

    asked: bool
    """Whether it has replied before."""

    async def ask(self, request: bytes) -> Reply:
        """Send a CONNECT.

        Raises:
            NoReplyError: the connection was closed before anything came.
            ConnectionError: it was closed in the middle of the reply.
            ProtocolError: what came is not HTTP.
        """

    async def leave(self) -> None:
        """Close the connection."""


class ReplyReader:
    """Reads replies to CONNECT: of the body of a challenge as much as the connection is worth, of
    other bodies nothing."""

    def __init__(self) -> None:
        self._reader = ResponseReader()
        self._end = b""
        self._read = 0

    def begin(self) -> None:
        """A CONNECT goes out."""
        self._reader.begin(False)
        self._read = 0

    def feed(self, data: bytes) -> Reply | None:
        """Take what has come; the reply, if that is all of it.

        Raises:
            ProtocolError: it is none.
        """
        self._read += len(data)
        self._end = (self._end + data)[-4:]
        complete = self._reader.feed(data)
        head = self._reader.head
        if head is None:
            return None
        if 200 <= head.status < 300 and self._end != b"\r\n\r\n":
            raise ProtocolError("something follows the proxy's consent")
        if complete or head.status != 407 or self._read > _LONGEST_REFUSAL:
            return self._reply(complete and self._reader.keep_alive and not self._reader.excess)
        return None

    def end(self) -> Reply:
        """The connection was closed, which may be the end of the reply.

        Raises:
            NoReplyError: nothing has come.
            ConnectionResetError: it is in the middle.
        """
        if self._reader.end():
            return self._reply(False)
        raise self.cut()

    def cut(self) -> Exception:
        """What it is when the connection ends before the reply does."""
        return ConnectionResetError() if self._read else NoReplyError()

    def _reply(self, usable: bool) -> Reply:
        head = self._reader.head
        assert head is not None
        line = self._reader.head_bytes.split(b"\r\n", 1)[0].decode("latin-1")
        return Reply(head, line.partition(" ")[2], usable)


class Dialogue(asyncio.Protocol):
    """A `Talk` over a transport, which is turned over in the end."""

    def __init__(self) -> None:
        self._reader = ReplyReader()
        self._reply: asyncio.Future[Reply] | None = None
        self._lost = False
        self.asked = False
        self.transport: asyncio.Transport

    async def ask(self, request: bytes) -> Reply:
        """As in `Talk`."""
        if self._lost:
            raise NoReplyError
        self._reply = asyncio.get_running_loop().create_future()
        self._reader.begin()
        self.transport.write(request)
        reply = await self._reply
        self.asked = True
        return reply

    async def leave(self) -> None:
        """As in `Talk`."""
        self.transport.abort()

    def hand_over(self, protocol: asyncio.Protocol) -> None:
        """The tunnel is open: what comes from now on is for ``protocol``.

        Raises:
            ConnectionResetError: the connection is closed already.
        """
        if self._lost:
            raise ConnectionResetError
        self.transport.set_protocol(protocol)
        protocol.connection_made(self.transport)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is open; TLS to the proxy included."""
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Feed the reader."""
        if self._reply is None or self._reply.done():
            self._lost = True
            self.transport.abort()  # nobody has asked
            return
        try:
            reply = self._reader.feed(data)
        except ProtocolError as error:
            self._reply.set_exception(error)
            return
        if reply is not None:
            self._reply.set_result(reply)

    def connection_lost(self, error: Exception | None) -> None:
        """The proxy has closed."""
        self._lost = True
        if self._reply is None or self._reply.done():
            return
        try:
            reply = self._reader.end()
        except (ConnectionError, NoReplyError) as nothing:
            self._reply.set_exception(nothing)
            return
        if error is None:
            self._reply.set_result(reply)
        else:
            self._reply.set_exception(ConnectionResetError())


def tunnel_name(host: str, port: int) -> str:
    """Where a tunnel leads: always with the port (RFC 9110 §9.3.6).

    Raises:
        UnicodeError: the host is no valid name.
    """
    name = f"[{host}]" if ":" in host else host.encode("idna").decode()
    return f"{name}:{port}"


async def open_tunnel(
    reach: Callable[[], Awaitable[T]],
    proxy: Origin,
    target: str,
    user: TunnelUser,
    challenged: Callable[[float], None],
) -> tuple[T, float]:
    """A connection to ``proxy`` on which the tunnel to ``target`` is open, and how many seconds the
    proxy took to open it.

    ``reach`` connects to the proxy, anew when that has closed the connection over its challenge.
    ``challenged`` is told of each of these, and how many seconds it took.

    Raises:
        ProxyError: the proxy refuses, or does not answer as one.
        Exception: whatever ``reach`` raises.
    """
    credentials = user.unasked(target)
    talk: T | None = None
    challenges = 0
    try:
        while True:
            if talk is None:
                talk = await reach()
            started = perf_counter()
            try:
                reply = await talk.ask(_connect(target, credentials))
            except NoReplyError:
                if not talk.asked or user.bound:
                    raise of_proxy(proxy, _CUT) from None
                await talk.leave()  # it was idle, and the proxy was just closing it
                talk = None
                continue
            took = perf_counter() - started
            if 200 <= reply.head.status < 300:
                user.accepted()
                return talk, took
            if reply.head.status != 407:
                raise of_proxy(proxy, _refused(target, reply))
            challenged(took)
            challenges += 1
            if challenges > _MOST_CHALLENGES:
                raise of_proxy(proxy, _ENDLESS)
            credentials = user.answer(target, reply)
            if reply.open:
                continue
            await talk.leave()
            talk = None
            if user.bound:
                raise of_proxy(proxy, _CUT_MIDWAY)
    except BaseException as error:
        if talk is not None:
            await talk.leave()
        if isinstance(error, ProtocolError):
            raise of_proxy(proxy, not_http(error)) from None
        if isinstance(error, ConnectionResetError):
            raise of_proxy(proxy, _CUT) from None
        raise


def _connect(target: str, credentials: str) -> bytes:
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    if credentials:
        lines.append(f"Proxy-Authorization: {credentials}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _refused(target: str, reply: Reply) -> Failure:
    hint = _HINTS.get(reply.head.status, "")
    return Failure("connect", f"no tunnel to {target}: {reply.reason}{hint}")
