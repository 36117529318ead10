"""A TCP peer that answers with scripted bytes: for what no well-behaved server would send."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.listening import listening, reset_on_close

#: What to do with an accepted connection; requests are read with `read_request`.
Script = Callable[[socket.socket], None]


@dataclass
class Peer:
    """Where it listens, and how many connections it has accepted so far."""

    url: str
    connections: int = 0


@contextmanager
def peer(*scripts: Script) -> Iterator[Peer]:
    """Serve the n-th connection by the n-th script (the last one serves the rest)."""

    def talk(_: Peer, number: int, connection: socket.socket) -> None:
        scripts[min(number, len(scripts) - 1)](connection)

    with listening(lambda port: Peer(f"http://127.0.0.1:{port}"), talk) as found:
        yield found


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
        reset_on_close(connection)

    return script


def silent(connection: socket.socket) -> None:
    """Read the request and say nothing until the client gives up."""
    read_request(connection)
    connection.recv(1)
