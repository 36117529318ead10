"""Tunnels through HTTP proxies: CONNECT (RFC 9110 §9.3.6).

A tunnel is opened before TLS begins, over the same connection. Who the virtual user is to the proxy
is settled meanwhile.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Protocol, TypeVar

from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.origin import Origin
from pytest_loadtool.transport.proxy.connect_reply import NoReplyError, Reply
from pytest_loadtool.transport.proxy.proxy_login import AtProxy
from pytest_loadtool.transport.wire.failures import not_http, of_proxy
from pytest_loadtool.transport.wire.http1 import ProtocolError

#: How often a proxy may ask for credentials before there is a tunnel. NTLM needs two, and a stale
#: nonce of Digest one more.
_MOST_CHALLENGES = 5

_CUT = Failure("reset", "connection closed while a tunnel was being opened")
CUT_MIDWAY = Failure(
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


def tunnel_name(host: str, port: int) -> str:
    """Return where a tunnel leads: always with the port (RFC 9110 §9.3.6).

    Raises:
        UnicodeError: the host is no valid name.
    """
    name = f"[{host}]" if ":" in host else host.encode("idna").decode()
    return f"{name}:{port}"


async def open_tunnel(
    reach: Callable[[], Awaitable[T]],
    proxy: Origin,
    target: str,
    user: AtProxy,
    challenged: Callable[[float], None],
) -> tuple[T, float]:
    """Return a connection to ``proxy`` on which the tunnel to ``target`` is open, and how many
    seconds the proxy took to open it.

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
                user.accepted(reply)
                return talk, took
            if reply.head.status != 407:
                raise of_proxy(proxy, _refused(target, reply))
            challenged(took)
            challenges += 1
            if challenges > _MOST_CHALLENGES:
                raise of_proxy(proxy, _ENDLESS)
            credentials = await user.answer(target, reply)
            if reply.open:
                continue
            await talk.leave()
            talk = None
            if user.bound:
                raise of_proxy(proxy, CUT_MIDWAY)
    except BaseException as error:
        user.left()
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
