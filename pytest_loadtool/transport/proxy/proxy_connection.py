"""A connection to a proxy, until the tunnel is open and it is turned over to who uses that."""

from __future__ import annotations

import asyncio
from typing import cast

from pytest_loadtool.transport.proxy.connect_reply import NoReplyError, Reply, ReplyReader
from pytest_loadtool.transport.wire.http1 import ProtocolError


class Dialogue(asyncio.Protocol):
    """A `tunnel.Talk` over a transport, which is turned over in the end."""

    def __init__(self) -> None:
        self._reader = ReplyReader()
        self._reply: asyncio.Future[Reply] | None = None
        self._lost = False
        self.asked = False
        self.transport: asyncio.Transport

    async def ask(self, request: bytes) -> Reply:
        """Send a request and return the reply.

        Raises:
            NoReplyError: the connection is lost.
        """
        if self._lost:
            raise NoReplyError
        self._reply = asyncio.get_running_loop().create_future()
        self._reader.begin()
        self.transport.write(request)
        reply = await self._reply
        self.asked = True
        return reply

    async def leave(self) -> None:
        """Leave, as `tunnel.Talk` says."""
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
