"""A server with every fault there is: ``python -m tests.hostile.faulty`` writes its port.

It has a pack of 100 cards, of which each fault is one and the rest are good answers. Each request
gets the next card, and a new pack is shuffled when there is none left: so each fault has 1 %. When
its input is closed, it writes how often it has given which, as JSON, and ends.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import struct
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Literal, cast

import uvloop

__all__ = ["FAULTS", "Fault"]

Then = Literal["keep", "close", "reset", "hold", "drip", "stream"]


@dataclass(frozen=True)
class Fault:
    """What is sent, what becomes of the connection then, and what is to be said of it.

    ``cause`` is that of the failure that a user of this must have, none if it is no failure.
    ``delay`` is in seconds.
    """

    data: bytes
    cause: str = ""
    then: Then = "keep"
    delay: float = 0.0


_OK = b'{"ok": true}'


def _answer(
    *lines: str, status: str = "200 OK", version: str = "1.1", body: bytes = _OK, end: str = "\r\n"
) -> bytes:
    head = (f"HTTP/{version} {status}", *lines, f"Content-Length: {len(body)}", "", "")
    return end.join(head).encode("latin-1") + body


_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
_NINE = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
_DEEP = b"[" * 200_000 + b"]" * 200_000
_DIGEST = 'WWW-Authenticate: Digest realm="a", nonce="b", domain="http://[x"'

#: Faults of the server, and what is odd and has to be put up with.
FAULTS = {
    # The connection.
    "closed before a byte": Fault(b"", "reset", "close"),
    "reset before a byte": Fault(b"", "reset", "reset"),
    "closed in the head": Fault(_NINE[:-4], "reset", "close"),
    "closed in the body": Fault(_NINE + b"1234", "reset", "close"),
    "closed in a chunk": Fault(_CHUNKED + b"9\r\n1234", "reset", "close"),
    "silence": Fault(b"", "timeout", "hold"),
    "silence in the body": Fault(_NINE + b"1234", "timeout", "hold"),
    "a byte now and then": Fault(_CHUNKED, "timeout", "drip"),
    "a body without end": Fault(b"HTTP/1.1 200 OK\r\n\r\n", "timeout", "stream"),
    "late": Fault(_answer(), delay=0.3),
    # The head.
    "garbage": Fault(bytes(range(256)), "protocol", "close"),
    "another protocol": Fault(b"220 ftp.example FTP server ready\r\n", "protocol", "close"),
    "no status code": Fault(_answer(status="OK"), "protocol", "close"),
    "switched protocols": Fault(_answer(status="101 Switching Protocols"), "protocol", "close"),
    "NUL in a header": Fault(_answer("X: a\0b"), "protocol", "close"),
    "CR in a header": Fault(_answer("X: a\rY: b"), "protocol", "close"),
    "no colon": Fault(_answer("X"), "protocol", "close"),
    "two lengths": Fault(_answer("Content-Length: 5"), "protocol", "close"),
    "a head of 300 KB": Fault(_answer("X: " + "x" * 300_000), "protocol", "hold"),
    "LF": Fault(_answer("X: a", end="\n")),
    "a folded line": Fault(_answer("X: a", " b")),
    "interim responses": Fault(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 20 + _answer()),
    "HTTP/1.0": Fault(_answer("Connection: keep-alive", version="1.0")),
    # Cookies and credentials.
    "odd cookies": Fault(
        _answer(
            "Set-Cookie: a=1; Max-Age=--5",
            "Set-Cookie: b=1; Max-Age=\xb2",
            "Set-Cookie: c=1; Expires=Wed, 09 Jun 10021 10:18:14 GMT",
            f"Set-Cookie: d=1; Expires=Wed, 09 Jun {'9' * 20} 10:18:14 GMT",
            "Set-Cookie: =; ;;=;",
        )
    ),
    "many cookies": Fault(_answer(*(f"Set-Cookie: many{n}={n}" for n in range(300)))),
    "unauthorized": Fault(_answer('WWW-Authenticate: Basic realm="a"', status="401 No"), "status"),
    "an odd challenge": Fault(_answer(_DIGEST, status="401 No"), "status"),
    # The body.
    "bad chunk size": Fault(_CHUNKED + b"two\r\nhi\r\n0\r\n\r\n", "protocol", "close"),
    "a chunk too long": Fault(_CHUNKED + b"2\r\nhi there\r\n0\r\n\r\n", "protocol", "close"),
    "not gzip": Fault(_answer("Content-Encoding: gzip"), "decoding"),
    "an unknown coding": Fault(_answer("Content-Encoding: x-none"), "decoding"),
    "an unknown charset": Fault(
        _answer("Content-Type: text/html; charset=undefined", body=b'{"ok": true, "x": "\xe9"}')
    ),
    "deep JSON": Fault(_answer(body=_DEEP), "json"),
    "no JSON": Fault(_answer(body=b"<html>"), "json"),
    "a lone surrogate": Fault(_answer(body=b'{"ok": true, "x": "\\ud800"}')),
    "more than was said": Fault(_answer() + b"HTTP/1.1 200 OK\r\n\r\n"),
    # What it says of itself.
    "error": Fault(_answer(status="500 Oh"), "status"),
    "not found": Fault(_answer(status="404 Where"), "status"),
}

_GOOD = "good"
_PACK = 100


class _Server:
    """Its pack of cards, and what it has given."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._pack: list[str] = []
        self.given: Counter[str] = Counter()

    def next(self) -> tuple[str, Fault]:
        """The next card."""
        if not self._pack:
            self._pack = [*FAULTS, *[_GOOD] * (_PACK - len(FAULTS))]
            self._random.shuffle(self._pack)
        name = self._pack.pop()
        self.given[name] += 1
        return name, FAULTS.get(name, Fault(_answer()))


class _Connection(asyncio.Protocol):
    """One request after the other; the bodies here are none."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self._read = b""
        self._transport: asyncio.Transport
        self._task: asyncio.Task[None] | None = None
        self._over = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._read += data
        while b"\r\n\r\n" in self._read and not self._over and self._task is None:
            _, _, self._read = self._read.partition(b"\r\n\r\n")
            _, fault = self._server.next()
            if fault.delay or fault.then in ("drip", "stream"):
                self._task = asyncio.get_running_loop().create_task(self._slowly(fault))
            else:
                self._answer(fault)

    def connection_lost(self, error: Exception | None) -> None:
        self._over = True

    def _answer(self, fault: Fault) -> None:
        if fault.then == "reset":
            peer = self._transport.get_extra_info("socket")
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if fault.data:
            self._transport.write(fault.data)
        if fault.then != "keep":
            self._over = True  # nothing more is answered
        if fault.then in ("close", "reset"):
            self._transport.close()

    async def _slowly(self, fault: Fault) -> None:
        await asyncio.sleep(fault.delay)
        if not self._over:
            self._answer(fault)
        piece, pause = (b"1\r\nx\r\n", 0.1) if fault.then == "drip" else (b"x" * 16_384, 0.02)
        while fault.then in ("drip", "stream") and not self._transport.is_closing():
            self._transport.write(piece)
            await asyncio.sleep(pause)
        self._task = None
        self.data_received(b"")


async def _main() -> None:
    server = _Server(seed=1)
    loop = asyncio.get_running_loop()
    listener = await loop.create_server(lambda: _Connection(server), "127.0.0.1", 0, backlog=1024)
    sys.stdout.write(f"{listener.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)
    sys.stdout.write(json.dumps(server.given))


if __name__ == "__main__":
    uvloop.run(_main())
