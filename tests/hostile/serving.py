"""A server that answers ``GET /7`` with the bytes of the seventh response, and closes."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tests.hostile.corpus import Case
from tests.listening import listening

__all__ = ["Serving", "serving"]


@dataclass
class Serving:
    """Where it listens."""

    port: int
    connections: int = 0


@contextmanager
def serving(cases: Sequence[Case]) -> Iterator[Serving]:
    """The server."""

    def talk(_: Serving, _number: int, connection: socket.socket) -> None:
        request = b""
        while b"\r\n\r\n" not in request:
            piece = connection.recv(65536)
            if not piece:
                return
            request += piece
        target = request.split(b" ", 2)[1]
        connection.sendall(cases[int(target[1:])].wire)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):  # until the client has taken all of it
            pass

    with listening(Serving, talk) as server:
        yield server
