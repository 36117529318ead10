"""Servers that do as a script says, over HTTP/1.1 and HTTP/2, and remember what they were sent."""

from __future__ import annotations

import re
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import h2.config
import h2.connection
import h2.events
import trustme

from tests.conformance.answers import Answer, Reply, Wire
from tests.listening import listening, reset_on_close

__all__ = ["Seen", "Server", "http2_only", "serving"]


@dataclass(frozen=True)
class Seen:
    """A request as it came: all of it, or of HTTP/2 what amounts to the same."""

    connection: int
    data: bytes
    pseudo: tuple[tuple[str, str], ...] = ()
    """HTTP/2's pseudo-header fields."""


@dataclass
class Server:
    """Where it listens, and what it has seen so far."""

    url: str
    script: Sequence[Answer]
    connections: int = 0
    seen: list[Seen] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer_to(self, request: Seen) -> Answer:
        """The n-th request gets the n-th answer, all after the last one the last."""
        with self.lock:
            self.seen.append(request)
            return self.script[min(len(self.seen), len(self.script)) - 1]


def http2_only() -> ssl.SSLContext:
    """A server's TLS settings that agree to HTTP/2 alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    context.set_alpn_protocols(["h2"])
    return context


@contextmanager
def serving(
    script: Sequence[Answer], *, tls: ssl.SSLContext | None = None, http2: bool = False
) -> Iterator[Server]:
    """A server on a loopback port of its own."""
    scheme = "https" if tls else "http"
    converse = _talk_http2 if http2 else _talk_http1

    def talk(server: Server, number: int, connection: socket.socket) -> None:
        if tls is not None:
            connection = tls.wrap_socket(connection, server_side=True)
        with connection:
            converse(server, number, connection)

    with listening(lambda port: Server(f"{scheme}://127.0.0.1:{port}", script), talk) as server:
        yield server


def _talk_http1(server: Server, number: int, connection: socket.socket) -> None:
    data = b""
    while True:
        while not (length := _length_of(data)) or len(data) < length:
            piece = connection.recv(65536)
            if not piece:
                return
            data += piece
        request, data = data[:length], data[length:]
        answer = server.answer_to(Seen(number, request))
        connection.sendall(answer.wire())
        match answer:
            case Wire(then="close"):
                return
            case Wire(then="reset"):
                reset_on_close(connection)
                return
            case Wire(then="wait"):
                connection.recv(1)
                return


def _length_of(data: bytes) -> int:
    """How long the request at the beginning of ``data`` is; 0 if that is not known yet."""
    head, end, _ = data.partition(b"\r\n\r\n")
    found = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
    return len(head) + 4 + int(found[1] if found else 0) if end else 0


def _talk_http2(server: Server, number: int, connection: socket.socket) -> None:
    config = h2.config.H2Configuration(client_side=False, header_encoding=None)
    state = h2.connection.H2Connection(config)
    state.initiate_connection()
    connection.sendall(state.data_to_send())
    heads: dict[int, list[tuple[bytes, bytes]]] = {}
    bodies: dict[int, bytes] = {}
    while data := connection.recv(65536):
        for event in state.receive_data(data):
            match event:
                case h2.events.RequestReceived():
                    heads[event.stream_id] = [(bytes(k), bytes(v)) for k, v in event.headers]
                    bodies[event.stream_id] = b""
                case h2.events.DataReceived():
                    bodies[event.stream_id] += event.data
                    state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                case h2.events.StreamEnded():
                    stream = event.stream_id
                    answer = server.answer_to(_seen(number, heads[stream], bodies[stream]))
                    assert isinstance(answer, Reply)
                    _answer_http2(state, stream, answer)
        connection.sendall(state.data_to_send())


def _seen(number: int, head: list[tuple[bytes, bytes]], body: bytes) -> Seen:
    pseudo = {k.decode(): v for k, v in head if k.startswith(b":")}
    others = [b"%b: %b" % pair for pair in head if not pair[0].startswith(b":")]
    first = b"%b %b HTTP/1.1" % (pseudo[":method"], pseudo[":path"])
    host = b"host: %b" % pseudo[":authority"]
    data = b"\r\n".join([first, host, *others, b"", b""]) + body
    return Seen(number, data, tuple((k, v.decode()) for k, v in pseudo.items()))


def _answer_http2(state: h2.connection.H2Connection, stream: int, answer: Reply) -> None:
    for status, headers in answer.interim:
        state.send_headers(stream, _fields(status, headers))
    state.send_headers(stream, _fields(answer.status, answer.headers))
    pieces = answer.chunks or (answer.body,)
    size = state.max_outbound_frame_size
    for piece in pieces:
        for start in range(0, len(piece), size):
            state.send_data(stream, piece[start : start + size])
    state.end_stream(stream)


def _fields(status: int, headers: tuple[tuple[str, str], ...]) -> list[tuple[bytes, bytes]]:
    return [
        (b":status", b"%d" % status),
        *((name.lower().encode(), value.encode("latin-1")) for name, value in headers),
    ]
