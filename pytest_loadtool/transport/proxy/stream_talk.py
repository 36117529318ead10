"""A connection to a proxy as a pair of streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from pytest_loadtool.replay.user.plan import Origin
from pytest_loadtool.transport.proxy.connect_reply import Reply, ReplyReader
from pytest_loadtool.transport.proxy.relay import Message, read_message
from pytest_loadtool.transport.wire.failures import CLOSED_EARLY, of_proxy

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

_PIECE = 65536


class StreamTalk:
    """A `tunnel.Talk` over streams, on which a proxy may be asked for anything else, too."""

    def __init__(self, streams: Streams) -> None:
        self.streams = streams
        self.asked = False
        self._reader = ReplyReader()

    async def ask(self, request: bytes) -> Reply:
        """As in `tunnel.Talk`."""
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
        """As in `tunnel.Talk`."""
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
