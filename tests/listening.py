"""Servers of plain sockets: what they have in common."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol, TypeVar

__all__ = ["listening", "reset_on_close", "wait_until_read"]


class Counting(Protocol):
    """Counts the connections it has accepted."""

    connections: int


S = TypeVar("S", bound=Counting)


@contextmanager
def listening(
    server_at: Callable[[int], S], talk: Callable[[S, int, socket.socket], object]
) -> Iterator[S]:
    """A server at a loopback port of its own, which ``server_at`` is told.

    Each connection is numbered from 0, talked to in a thread of its own and then closed. That the
    client went first is no error. Nothing is open and nobody talks when the block has ended.
    """
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    server = server_at(listener.getsockname()[1])
    open_sockets: set[socket.socket] = set()
    threads: list[threading.Thread] = []

    def accept() -> None:
        with suppress(OSError):  # the listener was shut down: the test is over
            while True:
                connection, _ = listener.accept()
                open_sockets.add(connection)
                arguments = (server.connections, connection)
                server.connections += 1
                threads.append(threading.Thread(target=handle, args=arguments, daemon=True))
                threads[-1].start()

    def handle(number: int, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            talk(server, number, connection)
        open_sockets.discard(connection)

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield server
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        accepting.join()
        listener.close()
        for connection in list(open_sockets):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(10)


def reset_on_close(connection: socket.socket) -> None:
    """Let it end without the least politeness: the client gets an RST, after what was sent."""
    wait_until_read(connection)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def wait_until_read(connection: socket.socket) -> None:
    """Wait until the other end, on this machine too, has taken all that was sent from the kernel.

    An RST throws away what it has not.

    Raises:
        TimeoutError: it does not read.
    """
    ours, theirs = (_address(*one) for one in (connection.getsockname(), connection.getpeername()))
    deadline = time.monotonic() + 180
    while _queues(ours, theirs)[0] or _queues(theirs, ours)[1]:
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.001)


def _address(host: str, port: int) -> str:
    """As the table of connections has it."""
    return f"{socket.inet_aton(host)[::-1].hex()}:{port:04x}".upper()


def _queues(local: str, remote: str) -> tuple[int, int]:
    """The bytes that one end has sent, and nobody has acknowledged, and those that wait there to be
    read."""
    with Path("/proc/net/tcp").open(encoding="ascii") as table:
        for words in map(str.split, table):
            if words[1:3] == [local, remote]:
                sent, _, received = words[4].partition(":")
                return int(sent, 16), int(received, 16)
    return 0, 0  # it is closed
