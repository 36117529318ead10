"""Connections of httpx through a proxy: opened, with what the proxy wants to know, below httpx.

httpx has proxies of its own, which know Basic only and send it unasked. Here it believes that it
talks to the server: it makes TLS in the tunnel itself, and speaks HTTP/2 in it.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable
from typing import Any

from pytest_loadtool.replay.user.origin import Origin
from pytest_loadtool.transport.http_library import httpcore
from pytest_loadtool.transport.httpx.failures import httpx_failure
from pytest_loadtool.transport.httpx.streams import Streams
from pytest_loadtool.transport.proxy.connect_reply import NoReplyError, Reply, ReplyReader
from pytest_loadtool.transport.proxy.proxy_login import AtProxy
from pytest_loadtool.transport.proxy.tunnel import open_tunnel, tunnel_name
from pytest_loadtool.transport.wire.failures import of_proxy

_PIECE = 65536


class StreamsThroughProxy(Streams):
    """Connects to ``proxy`` in place of the server, and has a tunnel opened if there is somebody
    to ask for it. ``tls`` is for the proxy; None: it wants none."""

    def __init__(
        self,
        proxy: Origin,
        tls: ssl.SSLContext | None,
        login: Callable[[], AtProxy] | None,
        challenged: Callable[[float], None],
    ) -> None:
        super().__init__()
        self._proxy = proxy
        self._tls = tls
        self._login = login
        self._challenged = challenged

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return a connection that leads to the server.

        Raises:
            ProxyError: there is none to be had.
        """

        connect = super().connect_tcp

        async def reach() -> _HttpxTalk:
            try:
                stream = await connect(
                    self._proxy.host, self._proxy.port, timeout, local_address, socket_options
                )
                if self._tls is not None:
                    stream = await stream.start_tls(self._tls, self._proxy.host, timeout)
            except Exception as error:  # whatever it is, the server behind it is not to blame
                failure = httpx_failure(error, sent=False, answered=False)
                raise of_proxy(self._proxy, failure) from error
            return _HttpxTalk(stream)

        if self._login is None:
            return (await reach()).stream
        target = tunnel_name(host, port)
        talk, _ = await open_tunnel(reach, self._proxy, target, self._login(), self._challenged)
        return talk.stream


class _HttpxTalk:
    """A `tunnel.Talk` over a stream."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self.stream = stream
        self.asked = False
        self._reader = ReplyReader()

    async def ask(self, request: bytes) -> Reply:
        self._reader.begin()
        try:
            await self.stream.write(request)
            reply = None
            while reply is None:
                data = await self.stream.read(_PIECE)
                reply = self._reader.feed(data) if data else self._reader.end()
        except httpcore.WriteError:
            raise NoReplyError from None
        except httpcore.ReadError:
            raise self._reader.cut() from None
        self.asked = True
        return reply

    async def leave(self) -> None:
        await self.stream.aclose()
