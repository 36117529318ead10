"""A server that misbehaves as it is told, and keeps a log of what it was asked.

A script says what becomes of a connection: it reads requests, each of which is logged, and sends
whatever bytes a test wants, at whatever pace. A script that ends closes its connection in order.
"""

from __future__ import annotations

import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from tests.listening import listening, reset_on_close

__all__ = [
    "OK", "Answer", "Asked", "Peer", "Script", "Server", "answering", "by_path", "cut", "drip",
    "endless", "hold", "once", "reset", "serving", "well",
]  # fmt: skip

#: A response with nothing wrong.
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


@dataclass(frozen=True)
class Asked:
    """A request: the number of its connection from 0, when it was complete, and its bytes."""

    connection: int
    at: float
    data: bytes

    @property
    def line(self) -> str:
        """Its method and target."""
        return self.data.split(b" HTTP/", 1)[0].decode()


@dataclass
class Server:
    """Where it listens and what it was asked so far."""

    port: int
    connections: int = 0
    asked: list[Asked] = field(default_factory=list)
    sent: int = 0
    """Bytes that clients have taken."""

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def https(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def lines(self) -> list[str]:
        """Method and target of all requests, in the order they were complete."""
        return [one.line for one in self.asked]

    @property
    def counts(self) -> Counter[str]:
        """How often each was asked for."""
        return Counter(self.lines)


class Peer:
    """One accepted connection. Anything that it does ends in OSError when the client has gone."""

    def __init__(self, server: Server, number: int, connection: socket.socket) -> None:
        self.server = server
        self.number = number
        self.socket = connection
        self._read = b""

    def request(self) -> bytes:
        """The next request, with its body."""
        while b"\r\n\r\n" not in self._read:
            self._more()
        head = self._read.partition(b"\r\n\r\n")[0]
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = len(head) + 4 + int(fields.get(b"content-length", b"0"))
        while len(self._read) < length:
            self._more()
        data, self._read = self._read[:length], self._read[length:]
        self.server.asked.append(Asked(self.number, time.monotonic(), data))
        return data

    def send(self, data: bytes) -> None:
        """Send all of it."""
        self.socket.sendall(data)
        self.server.sent += len(data)

    def close(self) -> None:
        """Close in order."""
        self.socket.close()

    def reset(self) -> None:
        """Close without the least politeness: the client gets an RST."""
        reset_on_close(self.socket)
        raise ConnectionAbortedError

    def hold(self) -> None:
        """Say nothing until the client goes."""
        while self.socket.recv(65536):
            pass

    def _more(self) -> None:
        piece = self.socket.recv(65536)
        if not piece:
            raise ConnectionAbortedError
        self._read += piece


#: What becomes of a connection.
Script = Callable[[Peer], object]

#: What becomes of one request that has been read. Only if it returns there may be a next one.
Answer = Callable[[Peer], object]


@contextmanager
def serving(*scripts: Script) -> Iterator[Server]:
    """Serve the n-th connection by the n-th script, and all that follow by the last one."""

    def talk(server: Server, number: int, connection: socket.socket) -> None:
        with closing(Peer(server, number, connection)) as peer:  # whose socket may become TLS
            scripts[min(number, len(scripts) - 1)](peer)

    with listening(Server, talk) as server:
        yield server


# Scripts.


def well(peer: Peer) -> None:
    """A server that does what it should, for as long as it is asked."""
    while peer.request():
        peer.send(OK)


def once(answer: Answer) -> Script:
    """One request, and what becomes of it."""

    def script(peer: Peer) -> None:
        peer.request()
        answer(peer)

    return script


def answering(*answers: bytes) -> Script:
    """One request after the other, answered with these bytes; then the connection is closed."""

    def script(peer: Peer) -> None:
        for answer in answers:
            peer.request()
            peer.send(answer)

    return script


def by_path(answers: Mapping[str, Answer]) -> Script:
    """Each request as its target says; other targets get OK."""

    def script(peer: Peer) -> None:
        while request := peer.request():
            answer = answers.get(request.split(b" ", 2)[1].decode())
            if answer is not None:
                answer(peer)
                return
            peer.send(OK)

    return script


# Answers.


def cut(data: bytes = b"") -> Answer:
    """These bytes; then the connection is closed."""
    return lambda peer: peer.send(data)


def reset(data: bytes = b"") -> Answer:
    """These bytes; then the connection is reset."""

    def answer(peer: Peer) -> None:
        peer.send(data)
        peer.reset()

    return answer


def hold(data: bytes = b"") -> Answer:
    """These bytes; then nothing, until the client goes."""

    def answer(peer: Peer) -> None:
        peer.send(data)
        peer.hold()

    return answer


def drip(data: bytes, pause: float) -> Answer:
    """These bytes, and then one more each ``pause`` seconds until the client goes."""

    def answer(peer: Peer) -> None:
        peer.send(data)
        while True:
            time.sleep(pause)
            peer.send(b"x")

    return answer


def endless(data: bytes, again: bytes) -> Answer:
    """``data`` and then ``again``, as often as the client takes it."""

    def answer(peer: Peer) -> None:
        peer.send(data)
        while True:
            peer.send(again)

    return answer
