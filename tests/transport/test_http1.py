"""The reader of responses: framing as RFC 9112 has it, whatever pieces the bytes come in.

Two parsers that others wrote and everybody uses, h11 and llhttp, say what is right.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import h11
import httptools
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.transport.wire.http1 import LONGEST_HEAD, ProtocolError, ResponseReader


@dataclass(frozen=True)
class Read:
    """What the reader made of some bytes."""

    status: int
    body: bytes
    complete: bool
    keep_alive: bool = True
    excess: bool = False


def read(*pieces: bytes, head_only: bool = False, closed: bool = False) -> Read:
    """Feed the pieces, and if wanted the end of the connection."""
    reader = ResponseReader()
    reader.begin(head_only)
    complete = False
    for piece in pieces:
        assert not complete, "it was complete before the last piece"
        complete = reader.feed(piece)
    if closed and not complete:
        complete = reader.end()
    status = reader.head.status if reader.head is not None else 0
    return Read(status, reader.body, complete, reader.keep_alive, reader.excess)


def response(*headers: str, body: bytes = b"", status: str = "HTTP/1.1 200 OK") -> bytes:
    """A response as it goes over the wire."""
    return "\r\n".join((status, *headers, "", "")).encode("latin-1") + body


CHUNKED = "Transfer-Encoding: chunked"

FRAMINGS = {
    "length": (response("Content-Length: 5", body=b"hello"), Read(200, b"hello", True)),
    "empty": (response("Content-Length: 0"), Read(200, b"", True)),
    "the same length twice": (
        response("Content-Length: 5", "Content-Length: 5", body=b"hello"),
        Read(200, b"hello", True),
    ),
    "a list of equal lengths": (
        response("Content-Length: 5, 5", body=b"hello"),
        Read(200, b"hello", True),
    ),
    "chunks": (
        response(CHUNKED, body=b"5\r\nhello\r\n6; x=y\r\n world\r\n0\r\n\r\n"),
        Read(200, b"hello world", True),
    ),
    "chunks and trailers": (
        response(CHUNKED, body=b"A\r\n0123456789\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n"),
        Read(200, b"0123456789", True),
    ),
    "no chunk": (response(CHUNKED, body=b"0\r\n\r\n"), Read(200, b"", True)),
    "chunks win over a length": (
        response(CHUNKED, "Content-Length: 99", body=b"1\r\na\r\n0\r\n\r\n"),
        Read(200, b"a", True, keep_alive=False),
    ),
    "204": (response(status="HTTP/1.1 204 No Content"), Read(204, b"", True)),
    "304 with a length": (
        response("Content-Length: 99", status="HTTP/1.1 304 Not Modified"),
        Read(304, b"", True),
    ),
    "interim responses first": (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        + response("Content-Length: 2", body=b"ok"),
        Read(200, b"ok", True),
    ),
    "asked to close": (
        response("Content-Length: 2", "Connection: Foo, Close", body=b"ok"),
        Read(200, b"ok", True, keep_alive=False),
    ),
    "HTTP/1.0": (
        response("Content-Length: 2", status="HTTP/1.0 200 OK", body=b"ok"),
        Read(200, b"ok", True, keep_alive=False),
    ),
    "HTTP/1.0, kept alive": (
        response("Content-Length: 2", "Connection: keep-alive", status="HTTP/1.0 200", body=b"ok"),
        Read(200, b"ok", True),
    ),
    "no reason": (response("Content-Length: 0", status="HTTP/1.1 200"), Read(200, b"", True)),
    "lines that end with LF": (
        b"HTTP/1.1 200 OK\nContent-Length: 14\n\nbody\r\n\r\n of it",
        Read(200, b"body\r\n\r\n of it", True),
    ),
    "only the last lines end with LF": (
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\n\r\nok",
        Read(200, b"ok", True),
    ),
    "a header after LF, which frames": (
        b"HTTP/1.1 200 OK\r\nLocation: /x\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        Read(200, b"ok", True),
    ),
    "two CR before LF": (
        b"HTTP/1.1 200 OK\r\r\nContent-Length: 2\r\r\n\r\nok",
        Read(200, b"ok", True),
    ),
    "an interim response with LF": (
        b"HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        Read(200, b"ok", True),
    ),
    "HTTP/1.0 with chunks": (
        response(
            CHUNKED,
            "Connection: keep-alive",
            status="HTTP/1.0 200 OK",
            body=b"2\r\nok\r\n0\r\n\r\n",
        ),
        Read(200, b"ok", True, keep_alive=False),
    ),
    "a folded line": (
        response("X-A: one", "\ttwo", "Content-Length: 2", body=b"ok"),
        Read(200, b"ok", True),
    ),
}


@pytest.mark.parametrize("name", FRAMINGS)
def test_framing(name: str) -> None:
    """Where a response ends, in one piece and byte by byte."""
    wire, expected = FRAMINGS[name]
    assert read(wire) == expected
    assert read(*(bytes([byte]) for byte in wire)) == expected


def test_head_has_no_body() -> None:
    """The response to HEAD ends with its head, whatever its length says (§6.3 rule 1)."""
    assert read(response("Content-Length: 5"), head_only=True) == Read(200, b"", True)
    assert read(response(CHUNKED), head_only=True) == Read(200, b"", True)


def test_a_body_without_a_length_ends_with_the_connection() -> None:
    """Rule 8; a body that has a length, or is chunked, is broken by that."""
    wire = response("Content-Type: text/plain", body=b"so far")
    assert not read(wire).complete
    assert read(wire, b" and on", closed=True) == Read(200, b"so far and on", True, False)
    unknown = response("Transfer-Encoding: gzip", body=b"?")
    assert read(unknown, closed=True) == Read(200, b"?", True, False)
    assert not read(response("Content-Length: 5", body=b"hel"), closed=True).complete
    assert not read(response(CHUNKED, body=b"5\r\nhel"), closed=True).complete
    assert not read(b"HTTP/1.1 200 OK\r\n", closed=True).complete


def test_what_follows_a_response_is_told() -> None:
    """Bytes after the end belong to no request: the connection cannot be used again."""
    after = b"HTTP/1.1 500 Not Asked For\r\n\r\n"
    assert read(response("Content-Length: 2", body=b"ok" + after)).excess
    assert read(response("Content-Length: 2", body=b"o"), b"k" + after).body == b"ok"
    assert read(response("Content-Length: 2", body=b"o"), b"k" + after).excess
    assert read(response(CHUNKED, body=b"0\r\n\r\n" + after)).excess


BROKEN = {
    "no status line": (b"hello", "no HTTP/1 status line"),
    "frames of HTTP/2": (
        b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80",
        "no HTTP/1 status line; HTTP/2 is spoken there",
    ),
    "another protocol": (b"SSH-2.0-OpenSSH_9.2\r\n", "no HTTP/1 status line"),
    "TLS": (b"\x15\x03\x01\x00\x02\x02\x46", "use https://"),
    "endless interim responses": (
        b"HTTP/1.1 103 Early Hints\r\n\r\n" * 101,
        "more than 100 interim responses",
    ),
    "HTTP/2": (response(status="HTTP/2 200"), "no HTTP/1 status line"),
    "a version of more digits": (response(status="HTTP/1.01 200 OK"), "no HTTP status line"),
    "no status code": (response(status="HTTP/1.1 OK"), "no status code"),
    "a code of four digits": (response(status="HTTP/1.1 2000 OK"), "no status code"),
    "code 000": (response(status="HTTP/1.1 000 OK"), "no such status code"),
    "a header without a colon": (response("Content-Length 5"), "malformed header line"),
    "a header without a name": (response(": 5"), "malformed header line"),
    "space before the colon": (response("Content-Length : 5"), "malformed header line"),
    "CR within a line that hides another": (
        response("Location: /x\rTransfer-Encoding: chunked", "Content-Length: 2", body=b"ok"),
        "within a line",
    ),
    "NUL in a value": (response("X: a\0b", "Content-Length: 2", body=b"ok"), "within a line"),
    "NUL in a folded line": (response("X: a", " b\0", body=b"ok"), "within a line"),
    "NUL in the reason": (response(status="HTTP/1.1 200 O\0K"), "within a line"),
    "CR in the reason": (response(status="HTTP/1.1 200 O\rK"), "within a line"),
    "an endless head": (response("X: " + "x" * LONGEST_HEAD), "longer than 256 KB"),
    "lengths that differ": (
        response("Content-Length: 5", "Content-Length: 6"),
        "Content-Length is not a number",
    ),
    "no number": (response("Content-Length: five"), "Content-Length is not a number"),
    "a negative number": (response("Content-Length: -1"), "Content-Length is not a number"),
    "no hexadecimal number": (response(CHUNKED, body=b"xyz\r\n"), "hexadecimal"),
    "a size with a sign": (response(CHUNKED, body=b"+5\r\nhello\r\n"), "hexadecimal"),
    "no size": (response(CHUNKED, body=b"\r\n"), "hexadecimal"),
    "a size beyond all sizes": (response(CHUNKED, body=b"F" * 17 + b"\r\n"), "hexadecimal"),
    "a chunk longer than its size": (
        response(CHUNKED, body=b"3\r\nhello\r\n0\r\n\r\n"),
        "longer than its size",
    ),
    "an endless size": (response(CHUNKED, body=b"5;" + b"x" * 20_000), "never ends"),
    "switched protocols": (response(status="HTTP/1.1 101 Switching"), "switched protocols"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name: str) -> None:
    """What is no response says why."""
    wire, reason = BROKEN[name]
    with pytest.raises(ProtocolError, match=reason):
        read(wire)


@pytest.mark.parametrize("name", BROKEN)
def test_however_packets_split(name: str) -> None:
    """A failure is told in the same words, wherever the bytes were cut."""
    wire, _ = BROKEN[name]
    with pytest.raises(ProtocolError) as whole:
        read(wire)
    for size in (1, 2, 7, 60) if len(wire) < 10_000 else (4096,):
        with pytest.raises(ProtocolError) as cut:
            read(*(wire[at : at + size] for at in range(0, len(wire), size)))
        assert str(cut.value) == str(whole.value)


def test_a_head_without_end() -> None:
    """A head is read up to a limit, so that memory is bounded."""
    reader = ResponseReader()
    reader.begin(False)
    reader.feed(b"HTTP/1.1 200 OK\r\nX: " + b"x" * (LONGEST_HEAD - 100))
    with pytest.raises(ProtocolError, match="longer than 256 KB"):
        reader.feed(b"x" * 100)


def test_one_reader_reads_many() -> None:
    """Nothing of a response is left for the next, and an interrupted one is forgotten."""
    reader = ResponseReader()
    for wire, expected in FRAMINGS.values():
        reader.begin(False)
        assert reader.feed(wire) is expected.complete
        assert reader.body == expected.body
        reader.begin(False)
        reader.feed(wire[: len(wire) // 2])


# What the others say.


@dataclass
class Llhttp:
    """What llhttp makes of the same bytes."""

    body: bytes = b""
    complete: bool = False
    values: dict[bytes, list[bytes]] = field(default_factory=dict)

    def on_header(self, name: bytes, value: bytes) -> None:
        self.values.setdefault(name.lower(), []).append(value)

    def on_body(self, data: bytes) -> None:
        self.body += data

    def on_message_complete(self) -> None:
        self.complete = True


tokens = st.text("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_", min_size=1, max_size=12)
values = st.text(
    st.characters(min_codepoint=33, max_codepoint=255, exclude_characters="\x7f\x80"), max_size=20
)
FRAMING_NAMES = {"content-length", "transfer-encoding", "connection", "trailer", "upgrade"}
headers_of = st.lists(
    st.tuples(tokens.filter(lambda name: name.lower() not in FRAMING_NAMES), values), max_size=5
)


@st.composite
def wires(draw: st.DrawFn) -> bytes:
    """A response of whatever framing."""
    headers = [f"{name}: {value}" for name, value in draw(headers_of)]
    body = draw(st.binary(max_size=200))
    if draw(st.booleans()):
        cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=4)))
        ends = [*cuts, len(body)]
        chunks = [body[a:b] for a, b in zip([0, *cuts], ends, strict=True) if a < b]
        payload = b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in chunks) + b"0\r\n\r\n"
        return response(*headers, CHUNKED, body=payload)
    return response(*headers, f"Content-Length: {len(body)}", body=body)


@st.composite
def pieces_of(draw: st.DrawFn) -> list[bytes]:
    """A response, cut anywhere."""
    wire = draw(wires())
    cuts = sorted({0, len(wire), *draw(st.lists(st.integers(0, len(wire)), max_size=5))})
    return [wire[a:b] for a, b in itertools.pairwise(cuts)]


@given(pieces_of())
def test_as_h11_and_llhttp_read_it(pieces: list[bytes]) -> None:
    """The same body, end and header values as two other parsers find, however it is cut."""
    ours = ResponseReader()
    ours.begin(False)
    complete = [ours.feed(piece) for piece in pieces]

    theirs = Llhttp()
    llhttp = httptools.HttpResponseParser(theirs)
    for piece in pieces:
        llhttp.feed_data(piece)
    connection = h11.Connection(our_role=h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "a")]))
    connection.send(h11.EndOfMessage())
    connection.receive_data(b"".join(pieces))
    head = connection.next_event()
    assert isinstance(head, h11.Response)
    body = b""
    while isinstance(event := connection.next_event(), h11.Data):
        body += bytes(event.data)
    assert isinstance(event, h11.EndOfMessage)

    assert complete == [False] * (len(pieces) - 1) + [True]
    assert theirs.complete
    assert ours.body == theirs.body == body
    assert ours.head is not None
    for name in {name for name, _ in head.headers}:
        others = [value for key, value in head.headers if key == name]
        assert [one.encode("latin-1") for one in ours.head.values(name.decode())] == others
        assert [one.strip() for one in theirs.values[name]] == others


@given(st.binary(max_size=60), st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", response(CHUNKED)]))
def test_no_bytes_break_the_reader(noise: bytes, start: bytes) -> None:
    """Whatever comes, it is a response, the beginning of one, or a ProtocolError."""
    reader = ResponseReader()
    reader.begin(False)
    try:
        complete = reader.feed(start + noise)
    except ProtocolError:
        return
    assert not complete or (reader.head is not None and reader.head.status >= 200)


@pytest.mark.parametrize("framing", ["length", "chunks", "end"])
def test_a_body_beyond_the_limit_is_read_but_not_kept(framing: str) -> None:
    """However it comes in pieces; what was kept of it is let go, and the next one is as ever."""
    reader = ResponseReader(limit=1000)
    for size in (1000, 1001, 1000):
        body = bytes(size)
        data = {
            "length": response(f"Content-Length: {size}", body=body),
            "chunks": response(CHUNKED, body=b"%x\r\n%b\r\n0\r\n\r\n" % (size, body)),
            "end": response(body=body),
        }[framing]
        reader.begin(without_body=False)
        complete = [reader.feed(data[at : at + 100]) for at in range(0, len(data), 100)]
        assert complete.pop() or reader.end()
        assert not any(complete)
        assert (len(reader.body), reader.unkept) == ((1000, 0) if size == 1000 else (0, 1000))
