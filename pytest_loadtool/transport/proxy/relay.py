"""Messages of HTTP/1.1 that are passed on as they come, from one stream to another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from pytest_loadtool.replay.user.head import Head, length_of, parse_head

LONGEST_HEAD = 256 * 1024
"""Of a message (bytes)."""

_PIECE = 65536


@dataclass(frozen=True, slots=True)
class Message:
    """The beginning of a message: its first line and its other lines, with the empty one; and
    those taken apart, as of a response."""

    first: bytes
    lines: bytes
    head: Head

    @property
    def chunked(self) -> bool:
        """Return whether its body is in chunks (RFC 9112 §7.1)."""
        return "chunked" in self.head.tokens("transfer-encoding")

    @property
    def ends_by_itself(self) -> bool:
        """Return whether it is said where its body ends, other than with the connection."""
        return self.chunked or bool(self.head.values("content-length"))

    @property
    def length(self) -> int:
        """Return its body's length in bytes, 0 where it says nothing; -1 if it is not said like
        that."""
        lengths = set(self.head.values("content-length"))
        if self.chunked or len(lengths) > 1:
            return -1
        return length_of(lengths.pop()) if lengths else 0


async def read_message(source: asyncio.StreamReader) -> Message:
    """Return the next message on a connection, without its body.

    Raises:
        EOFError: there is none.
        ValueError: it is none of HTTP/1.1.
    """
    try:
        raw = await source.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError as error:
        raise ValueError("the head of a message is too long") from error
    first, _, lines = raw.partition(b"\r\n")
    line = first if first.startswith(b"HTTP/") else b"HTTP/1.1 200"
    head = parse_head(line + b"\r\n" + lines.removesuffix(b"\r\n\r\n"))
    if not head.status:
        raise ValueError(head.problem)
    return Message(first, lines, head)


async def pieces(
    message: Message, source: asyncio.StreamReader, *, to_the_end: bool = False
) -> AsyncIterator[bytes]:
    """Yield the body of the message, framed as it comes; ``to_the_end`` of the connection, if
    nothing else says where it ends.

    Raises:
        EOFError: the connection ends before.
        ValueError: it is not framed as HTTP/1.1 is.
    """
    if message.chunked:
        while True:
            line = await source.readline()
            yield line
            size = int(line.split(b";")[0], 16)
            if not size:
                break
            async for piece in _counted(size + len(b"\r\n"), source):
                yield piece
        while line.strip():  # the trailer
            line = await source.readline()
            yield line
    elif to_the_end and not message.ends_by_itself:
        while piece := await source.read(_PIECE):
            yield piece
    elif message.length < 0:
        raise ValueError("it is not said how long the body is")
    else:
        async for piece in _counted(message.length, source):
            yield piece


async def _counted(size: int, source: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while size:
        piece = await source.read(min(size, _PIECE))
        if not piece:
            raise EOFError
        size -= len(piece)
        yield piece


async def pass_all(
    one: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    other: tuple[asyncio.StreamReader, asyncio.StreamWriter],
) -> None:
    """Pass on what comes from either side, until one of them has ended."""
    ways = [
        asyncio.create_task(_pass(one[0], other[1])),
        asyncio.create_task(_pass(other[0], one[1])),
    ]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for route in ways:
            route.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def _pass(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while piece := await source.read(_PIECE):
        sink.write(piece)
        await sink.drain()
