"""A proxy on loopback that passes all on to the proxy of a network, and tells that who asks.

The recorder goes through it: what it uses opens tunnels without waiting for a challenge, and sends
no request twice. Each of its connections has one of its own here, so that what belongs to a
connection (NTLM, at a server behind the proxy, too) stays there. Who gets through acts in the name
of that who is told, so a doorkeeper looks at each client.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Self

from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.authentication.credentials import head_end, header_line, with_lines
from pytest_loadtool.replay.compile.proxies import REASON, ProxyUrl
from pytest_loadtool.replay.user.credential_cache import CredentialCache, ProxyUser
from pytest_loadtool.replay.user.origin import Account, Origin, ProxyRoute, origin_of
from pytest_loadtool.transport.proxy.connect_reply import Reply, ReplyReader
from pytest_loadtool.transport.proxy.proxy_login import AtProxies, AtProxy
from pytest_loadtool.transport.proxy.relay import (
    LONGEST_HEAD,
    Message,
    pass_all,
    pieces,
    read_message,
)
from pytest_loadtool.transport.proxy.tunnel import CUT_MIDWAY, open_tunnel
from pytest_loadtool.transport.wire.failures import CLOSED_EARLY, ProxyError, failure_of, of_proxy
from pytest_loadtool.transport.wire.raw import READ_BY_PROXIES
from pytest_loadtool.transport.wire.tls import tls_context

_Address = tuple[str, int]

_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

#: Given where a server listens: who says whether a client that has connected from an address may
#: come in. It runs in a thread.
Doorkeeper = Callable[[_Address], Callable[[_Address], bool]]

_HOST = "127.0.0.1"

_PIECE = 65536

#: How much of a request's body (bytes) is kept until the proxy has let it pass.
_MOST_KEPT = 8 * 1024 * 1024

_UNKEPT = Failure(
    "auth", "it wants to know who asks in answer to an upload, which is too large to be sent again"
)

_REMEDY = "say so in its URL, http://USER:PASSWORD@HOST:PORT"


class Forwarder:
    """Listens while entered; ``url`` is the proxy, with who asks.

    Whom ``doorkeeper`` does not let in is hung up on, and nothing is sent for it. What does not get
    through is answered by 502, with why in the header `REASON`, and in the status line after
    CONNECT.
    """

    def __init__(self, url: ProxyUrl, doorkeeper: Doorkeeper) -> None:
        server = origin_of(url.origin)
        self._tls = tls_context(server.tls) if server.scheme == "https" else None
        guest, account = ProxyUser(None, "", CredentialCache()), None
        if url.username:
            who = Credentials(url.username, url.password)
            account = Account(
                "", False, lambda _values: who, "the user in the URL of the proxy", ()
            )
            guest = ProxyUser(who, account.name, guest.credential_cache)
        self._via = ProxyRoute(server, account, remedy=_REMEDY)
        self._guest = guest
        self._doorkeeper = doorkeeper
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> ProxyUrl:
        """Return where it listens."""
        return ProxyUrl("http", _HOST, self._server.sockets[0].getsockname()[1])

    async def __aenter__(self) -> Self:
        self._at_proxies = AtProxies(lambda _via: self._guest)
        listening = socket.create_server((_HOST, 0))
        self._may_enter = self._doorkeeper(listening.getsockname())
        self._server = await asyncio.start_server(self._serve, sock=listening, limit=LONGEST_HEAD)
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        route = _Route((reader, writer), self._via, self._at_proxies, self._reach)
        try:
            # Either side has gone, or is none of HTTP; or all is over.
            with suppress(OSError, EOFError, ValueError, asyncio.CancelledError):
                if await asyncio.to_thread(self._may_enter, writer.get_extra_info("peername")):
                    await route.serve()
        finally:
            route.leave()
            writer.close()
            self._connections.discard(task)

    async def _reach(self) -> _Talk:
        proxy = self._via.server
        try:
            streams = await asyncio.open_connection(
                proxy.host, proxy.port, ssl=self._tls, limit=LONGEST_HEAD
            )
        except Exception as error:  # whatever it is, it is why there is no way
            raise of_proxy(proxy, failure_of(error)) from error
        return _Talk(streams)


class _Route:
    """A connection of the recorder, and the one to the proxy that belongs to it."""

    def __init__(
        self,
        client: _Streams,
        via: ProxyRoute,
        at_proxies: AtProxies,
        reach: Callable[[], Awaitable[_Talk]],
    ) -> None:
        self._client = client
        self._via = via
        self._at_proxies = at_proxies
        self._reach = reach
        self._talk: _Talk | None = None

    async def serve(self) -> None:
        """Pass on what comes, request by request.

        Raises:
            OSError, EOFError, ValueError: there is nothing more that could be.
        """
        reader, writer = self._client
        goes_on = True
        while goes_on:
            message = await read_message(reader)
            method, target = message.first.decode("latin-1").split(" ")[:2]
            user = self._at_proxies.login(self._via, method)
            try:
                if method == "CONNECT":
                    goes_on = await self._tunnel(target, user)
                else:
                    goes_on = await self._exchange(message, method, target, user)
            except ProxyError as error:
                why = error.failure.message.encode("ascii", "replace")
                head = b"HTTP/1.1 502 %b\r\n%b: %b\r\nContent-Length: 0\r\n\r\n"
                writer.write(head % (why, REASON.encode(), why))
                await writer.drain()
                goes_on = False
            finally:
                user.left()

    def leave(self) -> None:
        """Close the connection to the proxy."""
        talk, self._talk = self._talk, None
        if talk is not None:
            talk.cut()

    async def _tunnel(self, target: str, user: AtProxy) -> bool:
        self._talk, _ = await open_tunnel(
            self._reach, self._via.server, target, user, lambda _seconds: None
        )
        self._client[1].write(b"HTTP/1.1 200 OK\r\n\r\n")
        await pass_all(self._client, self._talk.streams)
        return False

    async def _exchange(self, message: Message, method: str, target: str, user: AtProxy) -> bool:
        """Pass a request on, and its answer back; return whether the connections can take
        another."""
        body, rest = await self._begun(message)
        answer = await self._answer(message, body, rest, target, user)
        assert self._talk is not None
        writer = self._client[1]
        writer.write(answer.first + b"\r\n" + _without(_ITS_OWN, answer.lines))
        if answer.head.status == 101:
            await pass_all(self._client, self._talk.streams)
            return False
        if method == "HEAD" or answer.head.status in (204, 304):
            await writer.drain()
            return answer.head.keeps
        async for piece in pieces(answer, self._talk.streams[0], to_the_end=True):
            writer.write(piece)
            await writer.drain()
        return answer.head.keeps and answer.ends_by_itself

    async def _begun(self, message: Message) -> tuple[bytes, AsyncIterator[bytes] | None]:
        """Return the body as far as it is kept, and the rest of it if there is more."""
        kept, size = [], 0
        rest = pieces(message, self._client[0])
        async for piece in rest:
            kept.append(piece)
            size += len(piece)
            if size > _MOST_KEPT:
                return b"".join(kept), rest
        return b"".join(kept), None

    async def _answer(
        self,
        message: Message,
        body: bytes,
        rest: AsyncIterator[bytes] | None,
        target: str,
        user: AtProxy,
    ) -> Message:
        """Ask until the proxy knows who does; its answer is read as far as its head.

        Raises:
            ProxyError: there is none, or the proxy lets nobody pass.
        """
        proxy, credentials = self._via.server, user.unasked(target)
        while True:
            if self._talk is None or self._talk.streams[0].at_eof():
                self.leave()
                self._talk = await self._reach()
            if user.begins:
                answer = await self._talk.exchange(proxy, _head(message, credentials, bare=True))
            else:
                head = _head(message, credentials)
                answer = await self._talk.exchange(proxy, head + body, rest)
            status = answer.head.status
            if status != 407:
                if status < 500:  # an error says nothing of who asks
                    user.accepted(Reply(answer.head, "", True))
                return answer
            async for _ in pieces(answer, self._talk.streams[0], to_the_end=True):
                pass
            unread = not user.begins and len(body) > READ_BY_PROXIES
            stays = answer.head.keeps and answer.ends_by_itself and not unread
            credentials = await user.answer(target, Reply(answer.head, "", stays))
            if rest is not None:
                raise of_proxy(proxy, _UNKEPT)
            if not stays:
                self.leave()
                if user.bound:
                    raise of_proxy(proxy, CUT_MIDWAY)


class _Talk:
    """A `tunnel.Talk` over streams, on which a proxy may be asked for anything else, too."""

    def __init__(self, streams: _Streams) -> None:
        self.streams = streams
        self.asked = False
        self._reader = ReplyReader()

    async def ask(self, request: bytes) -> Reply:
        """Ask, as `tunnel.Talk` says."""
        source, sink = self.streams
        self._reader.begin()
        try:
            sink.write(request)
            reply = None
            while reply is None:
                data = await source.read(_PIECE)
                reply = self._reader.feed(data) if data else self._reader.end()
        except OSError:
            raise self._reader.cut() from None
        self.asked = True
        return reply

    async def leave(self) -> None:
        """Leave, as `tunnel.Talk` says."""
        self.cut()

    def cut(self) -> None:
        """Close the connection at once: over TLS a farewell would wait for the proxy's."""
        self.streams[1].transport.abort()

    async def exchange(
        self, proxy: Origin, request: bytes, rest: AsyncIterator[bytes] | None = None
    ) -> Message:
        """Send a request, and read the answer as far as its head, but nothing interim.

        Raises:
            ProxyError: none comes.
        """
        source, sink = self.streams
        try:
            sink.write(request)
            await sink.drain()
            if rest is not None:
                async for piece in rest:
                    sink.write(piece)
                    await sink.drain()
            answer = await read_message(source)
            while answer.head.status < 200 and answer.head.status != 101:
                answer = await read_message(source)
        except (OSError, EOFError):
            raise of_proxy(proxy, CLOSED_EARLY) from None
        return answer


#: What a proxy tells of its nonces, and how a body is framed.
_ITS_OWN = (b"proxy-authentication-info:",)
_FRAMING = (b"content-length:", b"transfer-encoding:")


def _without(names: tuple[bytes, ...], lines: bytes) -> bytes:
    """Return the lines of a head but for these."""
    kept = [one for one in lines.split(b"\r\n") if not one.lower().startswith(names)]
    return b"\r\n".join(kept)


def _head(message: Message, credentials: str, *, bare: bool = False) -> bytes:
    """Return the head of a request that says who asks, and is without a body if it is ``bare``."""
    lines = message.lines
    if bare:
        lines = b"Content-Length: 0\r\n" + _without(_FRAMING, lines)
    head = message.first + b"\r\n" + lines
    if not credentials:
        return head
    return with_lines(head, head_end(header_line("Proxy-Authorization", credentials)))
