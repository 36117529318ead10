"""Tunnels through HTTP proxies: CONNECT (RFC 9110 §9.3.6).

A tunnel is opened before TLS begins, over the same transport. Who the virtual user is to the proxy
is settled meanwhile; only then is the transport turned over to those who talk to the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol, cast

from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.head import Head
from pytest_loadtool.replay.plan import Origin
from pytest_loadtool.transport.failures import not_http, of_proxy
from pytest_loadtool.transport.http1 import ProtocolError, ResponseReader

__all__ = ["Dialogue", "Reply", "TunnelUser", "open_tunnel", "tunnel_name"]

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


class Dialogue(asyncio.Protocol):
    """A connection to a proxy while there is no tunnel yet: one question, one reply."""

    def __init__(self) -> None:
        self._reader = ResponseReader()
        self._reply: asyncio.Future[Reply] | None = None
        self._end = b""
        self._read = 0
        self._lost = False
        self.asked = False
        """Whether it has replied before."""
        self.transport: asyncio.Transport

    async def ask(self, request: bytes) -> Reply:
        """Send a CONNECT.

        Raises:
            NoReplyError: the connection was closed before anything came.
            ConnectionError: it was closed in the middle of the reply.
            ProtocolError: what came is not HTTP.
        """
        if self._lost:
            raise NoReplyError
        self._reply = asyncio.get_running_loop().create_future()
        self._reader.begin(False)
        self._read = 0
        self.transport.write(request)
        reply = await self._reply
        self.asked = True
        return reply

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
        """Feed the reader. All but the body of a challenge is of no interest."""
        if self._reply is None or self._reply.done():
            self._lost = True
            self.transport.abort()  # nobody has asked
            return
        self._read += len(data)
        self._end = (self._end + data)[-4:]
        try:
            complete = self._reader.feed(data)
        except ProtocolError as error:
            self._reply.set_exception(error)
            return
        head = self._reader.head
        if head is None:
            return
        if 200 <= head.status < 300 and self._end != b"\r\n\r\n":
            self._reply.set_exception(ProtocolError("something follows the proxy's consent"))
        elif complete or head.status != 407 or self._read > _LONGEST_REFUSAL:
            self._settle(complete and self._reader.keep_alive and not self._reader.excess)

    def connection_lost(self, error: Exception | None) -> None:
        """The proxy has closed, which may be the end of its reply."""
        self._lost = True
        if self._reply is None or self._reply.done():
            return
        if error is None and self._reader.end():
            self._settle(False)
        else:
            self._reply.set_exception(ConnectionResetError() if self._read else NoReplyError())

    def _settle(self, usable: bool) -> None:
        head = self._reader.head
        assert head is not None
        assert self._reply is not None
        line = self._reader.head_bytes.split(b"\r\n", 1)[0].decode("latin-1")
        self._reply.set_result(Reply(head, line.partition(" ")[2], usable))


def tunnel_name(origin: Origin) -> str:
    """Where a tunnel leads: always with the port (RFC 9110 §9.3.6).

    Raises:
        UnicodeError: the host is no valid name.
    """
    host = f"[{origin.host}]" if ":" in origin.host else origin.host.encode("idna").decode()
    return f"{host}:{origin.port}"


async def open_tunnel(
    reach: Callable[[Dialogue], Awaitable[None]],
    origin: Origin,
    user: TunnelUser,
    challenged: Callable[[float], None],
) -> tuple[Dialogue, float]:
    """A connection to ``origin``'s proxy on which the tunnel to it is open, and how many seconds
    the proxy took to open it.

    ``reach`` connects a dialogue to the proxy, anew when the proxy has closed the connection over
    its challenge. ``challenged`` is told of each of these, and how many seconds it took.

    Raises:
        ProxyError: the proxy refuses, or does not answer as one.
        OSError, UnicodeError: it cannot be reached, or the origin's name is none.
    """
    assert origin.via is not None
    proxy, target = origin.via.server, tunnel_name(origin)
    credentials = user.unasked(target)
    dialogue: Dialogue | None = None
    challenges = 0
    try:
        while True:
            if dialogue is None:
                fresh = Dialogue()
                await reach(fresh)
                dialogue = fresh
            started = perf_counter()
            try:
                reply = await dialogue.ask(_connect(target, credentials))
            except NoReplyError:
                if not dialogue.asked or user.bound:
                    raise of_proxy(proxy, _CUT) from None
                dialogue = None  # it was idle, and the proxy was just closing it
                continue
            took = perf_counter() - started
            if 200 <= reply.head.status < 300:
                user.accepted()
                return dialogue, took
            if reply.head.status != 407:
                raise of_proxy(proxy, _refused(target, reply))
            challenged(took)
            challenges += 1
            if challenges > _MOST_CHALLENGES:
                raise of_proxy(proxy, _ENDLESS)
            credentials = user.answer(target, reply)
            if reply.open:
                continue
            dialogue.transport.abort()
            dialogue = None
            if user.bound:
                raise of_proxy(proxy, _CUT_MIDWAY)
    except BaseException as error:
        if dialogue is not None:
            dialogue.transport.abort()
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
