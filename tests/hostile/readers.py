"""Our reader of HTTP/1.1, fed without a socket, and two that others wrote and everybody uses."""

from __future__ import annotations

from collections.abc import Iterable

import h11
import httptools

from pytest_loadtool.transport.wire.http1 import ProtocolError, ResponseReader
from tests.hostile.reading import Reading

__all__ = ["by_h11", "by_httptools", "cut_off", "ours"]

_CUT = "cut off"


def ours(pieces: Iterable[bytes]) -> Reading:
    """Ours, of a response that comes in these pieces, before the server closes."""
    return _ours(pieces)[0]


def cut_off(pieces: Iterable[bytes]) -> bool:
    """Whether ours still waits when the server has sent all of it, so that only its closing ends
    the response, well or not."""
    return _ours(pieces)[1]


def _ours(pieces: Iterable[bytes]) -> tuple[Reading, bool]:
    reader = ResponseReader()
    reader.begin(False)
    complete = False
    try:
        for piece in pieces:
            if complete:
                reader.excess = True
                break
            complete = reader.feed(piece)
    except ProtocolError as error:
        return Reading(problem=str(error)), False
    waits = not complete
    if waits and not reader.end():
        return Reading(problem=_CUT), waits
    head = reader.head
    assert head is not None
    keeps = reader.keep_alive and not reader.excess
    return Reading(head.status, head.fields, reader.body, keeps), waits


def by_h11(wire: bytes) -> Reading:
    """h11's."""
    connection = h11.Connection(our_role=h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "a")]))
    connection.send(h11.EndOfMessage())
    head = None
    body = b""
    closed = False
    try:
        connection.receive_data(wire)
        while not isinstance(event := connection.next_event(), h11.EndOfMessage):
            if event is h11.NEED_DATA:
                if closed:
                    return Reading(problem=_CUT)
                connection.receive_data(b"")
                closed = True
            elif isinstance(event, h11.Response):
                head = event
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif not isinstance(event, h11.InformationalResponse):
                return Reading(problem=_CUT)
    except h11.RemoteProtocolError as error:
        return Reading(problem=str(error))
    assert head is not None
    fields: dict[str, list[str]] = {}
    for name, value in head.headers:
        fields.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
    keeps = connection.their_state is h11.DONE and connection.trailing_data == (b"", False)
    return Reading(head.status_code, fields, body, keeps)


class _Messages:
    """What llhttp tells of."""

    def __init__(self) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.fields: dict[str, list[str]] = {}
        self.body = b""
        self.head = False
        self.done: Reading | None = None
        self.more = False

    def on_message_begin(self) -> None:
        self.more = self.done is not None
        if self.done is None:
            self.fields, self.body, self.head = {}, b"", False

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.head:  # the rest are trailers
            value = value.strip(b" \t")
            self.fields.setdefault(name.decode("latin-1").lower(), []).append(
                value.decode("latin-1")
            )

    def on_headers_complete(self) -> None:
        self.head = True

    def on_body(self, data: bytes) -> None:
        self.body += data

    def on_message_complete(self) -> None:
        status = self.parser.get_status_code()
        if self.done is None and status >= 200:
            keeps = self.parser.should_keep_alive()
            self.done = Reading(status, self.fields, self.body, keeps)


def by_httptools(wire: bytes) -> Reading | None:
    """That of llhttp, in httptools; None where it does not say: it cannot be told that the
    connection has ended, and of an upgrade it says no more than that there is one."""
    messages = _Messages()
    problem = ""
    try:
        messages.parser.feed_data(wire)
    except httptools.HttpParserUpgrade:
        return None
    except httptools.HttpParserError as error:
        problem = str(error) or type(error).__name__
        messages.more = True
    done = messages.done
    if done is not None:
        return Reading(done.status, done.fields, done.body, done.keeps and not messages.more)
    if problem:
        return Reading(problem=problem)
    if messages.head and messages.parser.get_status_code() >= 200:
        return None  # to the end, or cut off
    return Reading(problem=_CUT)
