"""A TCP peer that answers with scripted bytes: for what no well-behaved server would send."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

#: What to do with an accepted connection; requests are read with `read_request`.
Script = Callable[[socket.socket], None]


@dataclass
class Peer:
    """Where it listens, and how many connections it has accepted so far."""

    url: str
    connections: int = 0
    requests: list[bytes] = field(default_factory=list)


@contextmanager
def peer(*scripts: Script) -> Iterator[Peer]:
    """Serve the n-th connection by the n-th script (the last one serves the rest)."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(30)
    found = Peer(f"http://127.0.0.1:{listener.getsockname()[1]}")

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            script = scripts[min(found.connections, len(scripts) - 1)]
            found.connections += 1
            threading.Thread(target=handle, args=(script, connection), daemon=True).start()

    def handle(script: Script, connection: socket.socket) -> None:
        connection.settimeout(30)
        try:
            script(connection)
        except OSError:
            pass  # the client closed first
        finally:
            connection.close()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield found
    finally:
        listener.close()


def read_request(connection: socket.socket) -> bytes:
    """Read up to the end of the head (the tests here send no bodies)."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return data
        data += piece
    return data


def answering(*answers: bytes) -> Script:
    """Answer one request after the other with these bytes, then close."""

    def script(connection: socket.socket) -> None:
        for answer in answers:
            if not read_request(connection):
                return
            connection.sendall(answer)

    return script


def resetting(answer: bytes = b"") -> Script:
    """Send ``answer`` to the first request and reset the connection."""

    def script(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(answer)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return script


def silent(connection: socket.socket) -> None:
    """Read the request and say nothing until the client gives up."""
    read_request(connection)
    connection.recv(1)
