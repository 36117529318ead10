"""A server that answers ``GET /7`` with the bytes of the seventh response."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.hostile.corpus import Case
from tests.listening import listening

__all__ = ["AFTER", "Serving", "Split", "serving", "whole"]

#: What ``GET /after`` is answered.
AFTER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nafter"

#: The pieces that a response is sent in.
Split = Callable[[bytes], Iterable[bytes]]


def whole(wire: bytes) -> Iterable[bytes]:
    """All at once."""
    return (wire,)


@dataclass
class Serving:
    """Where it listens; which responses it was asked ``/after`` behind, on the same connection."""

    port: int
    connections: int = 0
    kept: set[int] = field(default_factory=set)


@contextmanager
def serving(
    cases: Sequence[Case], split: Split = whole, *, hold: bool = False
) -> Iterator[Serving]:
    """The server; it closes after each response, or with ``hold`` lets the client do that."""

    def talk(server: Serving, _number: int, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        last = None
        for target in _targets(connection):
            if target == "after":
                if last is not None:
                    server.kept.add(last)
                last = None
                connection.sendall(AFTER)
                continue
            last = int(target)
            for piece in split(cases[last].wire):
                connection.sendall(piece)
            if not hold:
                break
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):  # until the client has taken all of it
            pass

    with listening(Serving, talk) as server:
        yield server


def _targets(connection: socket.socket) -> Iterator[str]:
    """What is asked for, without the slash, until the client closes."""
    read = b""
    while True:
        head, end, rest = read.partition(b"\r\n\r\n")
        if end:
            read = rest
            yield head.split(b" ", 2)[1][1:].decode()
            continue
        piece = connection.recv(65536)
        if not piece:
            return
        read += piece
