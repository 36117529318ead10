"""A server that keeps its own books: started as a process of its own, it needs nothing but Python.

It answers every GET, slowly or badly as it is told by a JSON object on its command line, and prints
its port. When its standard input ends it prints what it has seen, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import sys
import threading
import time
from typing import Any

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


class Books:
    """What the server has seen."""

    def __init__(self) -> None:
        self.connections = self.unread = 0  # unread: reset before anything was read
        self.read = self.answered = self.reset = self.stalled = 0
        self.times_us: list[int] = []  # from the last byte read to the first byte written
        self.late_us: list[int] = []  # by how much the event loop was late
        self.frozen_at = 0.0  # time.time()


class Conversation(asyncio.Protocol):
    """One connection."""

    def __init__(self, plan: dict[str, Any], books: Books) -> None:
        self._plan = plan
        self._books = books
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._books.connections += 1
        if self._is_turn("refuse_every", self._books.connections):
            self._books.unread += 1
            transport.pause_reading()
            self._reset()

    def data_received(self, data: bytes) -> None:
        read_at = time.perf_counter()
        self._data += data
        while b"\r\n\r\n" in self._data and not self._transport.is_closing():
            self._data = self._data.partition(b"\r\n\r\n")[2]
            self._request(read_at)

    def _request(self, read_at: float) -> None:
        books, plan = self._books, self._plan
        books.read += 1
        if self._is_turn("reset_every", books.read):
            books.reset += 1
            self._reset()
        elif self._is_turn("stall_every", books.read):
            books.stalled += 1
        elif books.read == plan.get("freeze_at"):
            books.frozen_at = time.time()
            time.sleep(plan["freeze_seconds"])
            self._answer(read_at)
        elif plan.get("delays_ms"):
            delay = plan["delays_ms"][books.read % len(plan["delays_ms"])] / 1000
            asyncio.get_running_loop().call_later(delay, self._answer, read_at)
        else:
            self._answer(read_at)

    def _is_turn(self, key: str, number: int) -> bool:
        return key in self._plan and number % self._plan[key] == 0

    def _answer(self, read_at: float) -> None:
        self._books.answered += 1
        self._books.times_us.append(int((time.perf_counter() - read_at) * 1e6))
        self._transport.write(ANSWER)

    def _reset(self) -> None:
        found = self._transport.get_extra_info("socket")
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()


async def _note_lateness(books: Books) -> None:
    while True:
        asleep = time.perf_counter()
        await asyncio.sleep(0.002)
        books.late_us.append(int((time.perf_counter() - asleep - 0.002) * 1e6))


async def _main(plan: dict[str, Any]) -> None:
    books, loop, over = Books(), asyncio.get_running_loop(), asyncio.Event()
    tls = None
    if "certificate" in plan:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(plan["certificate"])
    server = await loop.create_server(
        lambda: Conversation(plan, books), "127.0.0.1", 0, backlog=2048, ssl=tls
    )
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201  what this process is asked

    def wait_for_end() -> None:
        sys.stdin.read()
        loop.call_soon_threadsafe(over.set)

    threading.Thread(target=wait_for_end, daemon=True).start()
    probe = loop.create_task(_note_lateness(books))
    await over.wait()
    probe.cancel()
    print(json.dumps(vars(books)), flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(_main(json.loads(sys.argv[1])))
