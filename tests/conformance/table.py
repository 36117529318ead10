"""The exchanges: what is asked, what the server answers, what the virtual user gets to see.

Where a transport cannot do the same, the row says so under ``but``, with the reason.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import brotli
import zstandard

from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.case import Header, Request, Transaction
from pytest_loadtool.model.extractor import (
    Boundary,
    CookieValue,
    Extractor,
    FormField,
    HeaderValue,
    JsonPath,
    RegularExpression,
    Source,
)
from pytest_loadtool.model.load import BODY_LIMIT
from pytest_loadtool.model.validator import (
    JsonValidator,
    RegexValidator,
    StatusCodes,
    TextValidator,
    Validator,
)
from tests.conformance.answers import Answer, Reply, Wire, reply

__all__ = ["ROWS", "But", "NotOver", "Row", "Told"]


@dataclass(frozen=True)
class Told:
    """What the virtual user gets to see of one transaction. None: whatever it is."""

    status: int = 200
    text: str | None = None
    body: bytes | None = None
    received: int = 0
    """How many bytes at least."""
    failures: tuple[tuple[str, str], ...] = ()
    """Causes and messages; a message that ends with "…" is the beginning of one."""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Headers by name, all of their values in order."""


@dataclass(frozen=True)
class But:
    """What differs over one transport, and why."""

    why: str
    told: tuple[Told, ...] | None = None
    sent: tuple[bytes, ...] | None = None
    connections: int | None = None
    seen: bool = True
    """Whether what the server sees can be looked at: the client may hang up before it does."""


@dataclass(frozen=True)
class NotOver:
    """The exchange does not exist over this transport, and why."""

    why: str


@dataclass(frozen=True)
class Row:
    """An exchange.

    ``sent`` are request lines and headers (without Host) and bodies as the server has to see them,
    if it is about them; that the server sees what was rendered is checked for all.
    """

    name: str
    asked: tuple[Transaction, ...]
    answers: tuple[Answer, ...]
    told: tuple[Told, ...]
    sent: tuple[bytes, ...] | None = None
    connections: int | None = 1
    requests: int | None = None
    identity: Identity | None = None
    """Who the virtual user is, if somebody."""
    challenges: int = 0
    """How many answers, the first ones, are challenges that it answers."""
    timeout: float = 60.0
    body_limit: int = BODY_LIMIT
    but: Mapping[str, But | NotOver] = field(default_factory=lambda: MappingProxyType({}))


FRAMED_ANEW = NotOver("HTTP/2 frames messages in a way of its own")
NO_CONNECTION_HEADERS = NotOver("HTTP/2 has no headers about the connection (RFC 9113 §8.2.2)")

CLOSED_EARLY = ("reset", "connection closed by the server before a response came")
CLOSED_MIDWAY = ("reset", "connection closed by the server in the middle of a response")
NO_RESPONSE = ("timeout", "no response in time")
NO_END = ("timeout", "the response began, but was not complete in time")
SWITCHED = ("protocol", "not HTTP: the server switched protocols, which cannot be replayed")
ALICE = Identity("alice", "s3cret")  # literally, as no file would have it
OK = reply("hi")
HI = Told(200, "hi")


def ask(
    line: str = "GET /",
    *headers: str,
    body: str | bytes | None = None,
    status: tuple[int, int] = (200, 399),
    take: Mapping[str, Source] = MappingProxyType({}),
    check: tuple[Validator, ...] = (),
) -> Transaction:
    method, _, target = line.partition(" ")
    parted = [one.partition(":") for one in headers]
    return Transaction(
        Request(
            method,
            target,
            tuple(Header(name, value[1:] if colon else None) for name, colon, value in parted),
            body,
        ),
        status=StatusCodes((status,)),
        extractors=tuple(Extractor(name, source) for name, source in take.items()),
        validators=check,
    )


def row(
    name: str,
    asked: Transaction | str | tuple[Transaction | str, ...],
    answers: Answer | tuple[Answer, ...],
    told: Told | tuple[Told, ...] = HI,
    *,
    sent: bytes | tuple[bytes, ...] | None = None,
    **others: Any,
) -> Row:
    return Row(
        name,
        tuple(ask(one) if isinstance(one, str) else one for one in _all(asked)),
        _all(answers),
        _all(told),
        None if sent is None else _all(sent),
        **others,
    )


def _all(one: Any) -> Any:
    return one if isinstance(one, tuple) else (one,)


def wire(head: bytes, body: bytes = b"", then: str = "go on") -> Wire:
    return Wire(b"HTTP/1.1 " + head.replace(b"\n", b"\r\n") + b"\r\n\r\n" + body, then)


def h1_only(name: str, *arguments: Any, **others: Any) -> Row:
    """About the bytes of HTTP/1.1."""
    others["but"] = {"http2": FRAMED_ANEW, **others.get("but", {})}
    return row(name, *arguments, **others)


METHODS = [
    row(f"{method} without a body", ask(f"{method} /"), OK, sent=f"{method} / HTTP/1.1\n".encode())
    for method in ("GET", "DELETE", "OPTIONS", "PURGE", "M-SEARCH")
] + [
    row(
        f"{method} with a body",
        ask(f"{method} /", "Content-Type: text/plain", body="größe"),
        OK,
        sent=f"{method} / HTTP/1.1\nContent-Type: text/plain\nContent-Length: 7\n\ngröße".encode(),
    )
    for method in ("POST", "PUT", "PATCH", "DELETE", "GET")
] + [
    row(
        f"{method} with nothing in its body",
        ask(f"{method} /"),
        OK,
        sent=f"{method} / HTTP/1.1\nContent-Length: 0\n".encode(),
    )
    for method in ("POST", "PUT", "PATCH")
] + [
    row("a method in small letters", ask("patch /"), OK, sent=b"patch / HTTP/1.1\n"),
    row(
        "a body of any bytes",
        ask("POST /", body=bytes(range(256))),
        OK,
        sent=b"POST / HTTP/1.1\nContent-Length: 256\n\n" + bytes(range(256)),
    ),
    row(
        "a large body goes out whole",
        ask("POST /", body="0123456789abcdef" * 3000),
        OK,
        sent=b"POST / HTTP/1.1\nContent-Length: 48000\n\n" + b"0123456789abcdef" * 3000,
    ),
]  # fmt: skip

TARGETS = [
    row(f"target {target}", f"GET {target}", OK, sent=f"GET {target} HTTP/1.1\n".encode())
    for target in (
        "/a%20b%2Fc%c3%a9%C3%A9",
        "/?flag",
        "/?flag&a=&=b&&",
        "/a//b//",
        "//double",
        "/a/../b/./c/..",
        "/a;p=1,2:3@x!*'()",
        "/?q=a+b%20c?/:@",
        '/"<>\\^`{|}',
        "/%",
        "/?",
    )
]  # fmt: skip

REQUEST_HEADERS = [
    row("nothing is added", "GET /", OK, sent=b"GET / HTTP/1.1\n"),
    row(
        "order, case and repeats of headers",
        ask("GET /", "X-One: 1", "x-tWO: 2", "Accept: a", "X-One: 3", "accept: b"),
        OK,
        sent=b"GET / HTTP/1.1\nX-One: 1\nx-tWO: 2\nAccept: a\nX-One: 3\naccept: b\n",
    ),
    row(
        "Host where the recording has it",
        ask("GET /", "X-First: 1", "Host", "X-Last: 2"),
        OK,
        but={
            "httpx": But(
                "h11 writes Host first", sent=(b"GET / HTTP/1.1\nX-First: 1\nX-Last: 2\n",)
            ),
        },
    ),
    row(
        "the client's own headers are the recording's",
        ask("GET /", "User-Agent: Mozilla/5.0", "Accept: */*", "Accept-Encoding: br"),
        OK,
        sent=b"GET / HTTP/1.1\nUser-Agent: Mozilla/5.0\nAccept: */*\nAccept-Encoding: br\n",
    ),
    row(
        "headers about the connection",
        ask("GET /", "Connection: keep-alive", "Keep-Alive: 5", "TE: trailers", "X: 1"),
        OK,
        sent=b"GET / HTTP/1.1\nConnection: keep-alive\nKeep-Alive: 5\nTE: trailers\nX: 1\n",
        but={
            "http2": But(
                "HTTP/2 has no headers about the connection (RFC 9113 §8.2.2)",
                sent=(b"GET / HTTP/1.1\nTE: trailers\nX: 1\n",),
            )
        },
    ),
    row("an empty header", ask("GET /", "X-Empty: "), OK, sent=b"GET / HTTP/1.1\nX-Empty: \n"),
    row(
        "bytes that are not ASCII in a header",
        ask("GET /", "X-Name: Grüße"),
        OK,
        sent="GET / HTTP/1.1\nX-Name: Grüße\n".encode(),
    ),
    row(
        "Expect is not sent, so nobody waits",
        ask("POST /", "Expect: 100-continue", body="x"),
        OK,
        sent=b"POST / HTTP/1.1\nContent-Length: 1\n\nx",
    ),
    row(
        "chunks of the recording become a length",
        ask("POST /", "Transfer-Encoding: chunked", body="x"),
        OK,
        sent=b"POST / HTTP/1.1\nContent-Length: 1\n\nx",
    ),
    row(
        "a length where the recording has it",
        ask("POST /", "Content-Length", "X: 1", body="x"),
        OK,
        sent=b"POST / HTTP/1.1\nContent-Length: 1\nX: 1\n\nx",
    ),
    row(
        "a large header",
        ask("GET /", f"X-Large: {'x' * 7000}"),
        OK,
        sent=b"GET / HTTP/1.1\nX-Large: " + b"x" * 7000 + b"\n",
    ),
]  # fmt: skip

FRAMING = [
    row(
        "chunked",
        "GET /",
        Reply(200, (("Transfer-Encoding", "chunked"),), chunks=(b"h", b"i" * 5000)),
        Told(text="h" + "i" * 5000),
        but={"http2": FRAMED_ANEW},
    ),
    h1_only(
        "chunked with extensions and trailers",
        "GET /",
        wire(
            b"200 OK\nTransfer-Encoding: chunked",
            b"2;a=b\r\nhi\r\n0\r\nX-Trailer: 1\r\n\r\n",
        ),
        Told(text="hi", values={"X-Trailer": ()}),
    ),
    h1_only("until the connection ends", ("GET /", "GET /"), wire(b"200 OK", b"hi", "close"),
            (HI, HI), connections=2),
    h1_only("HTTP/1.0", ("GET /", "GET /"), Wire(b"HTTP/1.0 200 OK\r\n\r\nhi", "close"), (HI, HI),
            connections=2),
    h1_only("HTTP/1.0 with a length", ("GET /", "GET /"),
            Wire(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", "close"), (HI, HI),
            connections=2),
    row("an empty body", "GET /", reply(""), Told(200, "", b"")),
    row("no length and no body", "GET /", Reply(204), Told(204, "", b"")),
    row("204 and the connection goes on", ("GET /", "GET /"), (Reply(204), OK),
        (Told(204, ""), HI)),
    row("304 and the connection goes on", ("GET /", "GET /"), (Reply(304), OK),
        (Told(304, ""), HI)),
    row("304 with the length of what it stands for", ("GET /", "GET /"),
        (Reply(304, (("Content-Length", "99"),)), OK), (Told(304, ""), HI),
        but={"http2": But("h2 wants the length of a 304 to be that of a body",
                          told=(Told(0, failures=(("protocol", "not HTTP: …"),)), HI),
                          connections=2)}),
    row("HEAD", (ask("HEAD /"), "GET /"), (Reply(200, (("Content-Length", "99"),)), OK),
        (Told(200, "", b"", values={"Content-Length": ("99",)}), HI)),
    row("HEAD of chunks", (ask("HEAD /"), "GET /"),
        (Reply(200, (("Transfer-Encoding", "chunked"),)), OK), (Told(200, ""), HI),
        but={"http2": FRAMED_ANEW}),
    row("100 before the response", "GET /", Reply(200, OK.headers, b"hi", interim=((100, ()),)),
        but={"http2": NotOver("a client that expects nothing gets no 100 over HTTP/2 either")}),
    row("103 before the response", "GET /",
        Reply(200, OK.headers, b"hi", interim=((103, (("Link", "</a>"),)), (103, ()))),
        Told(text="hi", values={"Link": ()})),
    row("a megabyte", "GET /", reply(b"0123456789abcdef" * 65536),
        Told(body=b"0123456789abcdef" * 65536),
        but={"http2": NotOver("the scripted server does not wait for window updates; nginx does, "
                              "in test_http2.py")}),
    row("a thousand chunks", "GET /",
        Reply(200, (("Transfer-Encoding", "chunked"),), chunks=(b"x",) * 1000),
        Told(text="x" * 1000), but={"http2": FRAMED_ANEW}),
]  # fmt: skip

TEXT = "Grüße, 東京"
CONTENT = [
    row(f"{coding}, undone for the text and kept in the body", "GET /",
        reply(packed, 200, ("Content-Encoding", coding)), Told(200, TEXT, packed))
    for coding, packed in {
        "gzip": gzip.compress(TEXT.encode()),
        "x-gzip": gzip.compress(TEXT.encode()),
        "deflate": zlib.compress(TEXT.encode()),
        "br": brotli.compress(TEXT.encode()),
        "zstd": zstandard.compress(TEXT.encode()),
        "identity": TEXT.encode(),
        "deflate, gzip": gzip.compress(zlib.compress(TEXT.encode())),
    }.items()
] + [
    row("a broken coding fails what looks at the text",
        ask(check=(TextValidator("x"),)), reply(b"nonsense", 200, ("Content-Encoding", "gzip")),
        Told(failures=(("decoding", "broken gzip body…"),))),
    row("a broken coding that nobody looks at", "GET /",
        reply(b"nonsense", 200, ("Content-Encoding", "gzip")), Told(body=b"nonsense")),
    row("an unknown coding", ask(check=(TextValidator("x"),)),
        reply(b"x", 200, ("Content-Encoding", "rot13")),
        Told(failures=(("decoding", "unknown content coding 'rot13'…"),))),
    row("a charset", "GET /",
        reply("Grüße".encode("latin-1"), 200, ("Content-Type", "text/html; charset=ISO-8859-1")),
        Told(text="Grüße")),
    row("another charset", "GET /",
        reply("東京".encode("shift_jis"), 200, ("Content-Type", 'text/html; charset="Shift_JIS"')),
        Told(text="東京")),
    row("no charset", "GET /", reply("Grüße", 200, ("Content-Type", "text/html")),
        Told(text="Grüße")),
    row("bytes that are no text", "GET /", reply(b"a\xffb"), Told(text="a\ufffdb", body=b"a\xffb")),
]  # fmt: skip

MEGABYTE = 1 << 20
LARGE = [
    body
    for size, kept in ((MEGABYTE, True), (MEGABYTE + 1, False), (3 * MEGABYTE, False))
    for body in (
        row(f"{size} bytes, where 1 MB is kept", "GET /", reply(b"x" * size),
            Told(body=b"x" * size * kept, received=size), body_limit=MEGABYTE),
        row(f"{size} bytes in chunks, where 1 MB is kept", "GET /",
            Reply(200, (("Transfer-Encoding", "chunked"),),
                  chunks=(b"x" * (size // 2), b"x" * (size - size // 2))),
            Told(body=b"x" * size * kept, received=size), body_limit=MEGABYTE,
            but={"http2": FRAMED_ANEW}),
        h1_only(f"{size} bytes up to the end, where 1 MB is kept", "GET /",
            wire(b"200 OK", b"x" * size, "close"),
            Told(body=b"x" * size * kept, received=size), body_limit=MEGABYTE),
    )
] + [
    row("a body that was not kept fails what looks into it, and the next one is as ever",
        (ask(check=(TextValidator("x"),), take={"a": Boundary("x", "x")}), "GET /next"),
        (reply(b"x" * (MEGABYTE + 1)), OK),
        (Told(failures=(("decoding", "body of more than 1 MB, which is not kept…"),)), HI),
        body_limit=MEGABYTE),
]  # fmt: skip

RESPONSE_HEADERS = [
    row("repeated headers keep their order", "GET /",
        Reply(200, (("X-A", "1"), ("X-B", "2"), ("x-a", "3"), ("Content-Length", "0"))),
        Told(values={"X-A": ("1", "3"), "X-B": ("2",)})),
    row("bytes that are not ASCII", "GET /",
        Reply(200, (("X-Name", "Gr\xfc\xdfe"), ("Content-Length", "0"))),
        Told(values={"X-Name": ("Gr\xfc\xdfe",)})),
    row("an empty header of the server's", "GET /",
        Reply(200, (("X-A", ""), ("Content-Length", "0"))),
        Told(values={"X-A": ("",)})),
    row("a large header of the server's", "GET /",
        Reply(200, (("X-A", "x" * 15000), ("Content-Length", "0"))),
        Told(values={"X-A": ("x" * 15000,)})),
    row("a status that nobody has heard of", ask(status=(299, 299)), reply("hi", 299),
        Told(299, "hi")),
    h1_only("no reason phrase", "GET /", wire(b"200 \nContent-Length: 2", b"hi")),
]  # fmt: skip

JUDGED = [
    row("a redirect is not followed", "GET /", reply("", 302, ("Location", "/elsewhere")),
        Told(302, values={"Location": ("/elsewhere",)}), requests=1),
    row("404", "GET /", reply("", 404),
        Told(404, failures=(("status", "Status Code is 404, expected 200-399"),))),
    row("500 with a body", "GET /", reply("sorry", 500),
        Told(500, "sorry", failures=(("status", "Status Code is 500, expected 200-399"),))),
    row("401 asks and nobody answers for us", "GET /",
        reply("", 401, ("WWW-Authenticate", "Basic")),
        Told(401, failures=(("status", "Status Code is 401, expected 200-399"),)), requests=1),
    row("a text that is there", ask(check=(TextValidator("hi"),)), OK),
    row("a text that is not there", ask(check=(TextValidator("bye"),)), OK,
        Told(text="hi", failures=(("text", "Search text not found: 'bye'"),))),
    row("a text in what was compressed", ask(check=(TextValidator("東京"),)),
        reply(gzip.compress(TEXT.encode()), 200, ("Content-Encoding", "gzip")), Told(text=TEXT)),
    row("a pattern that is not there", ask(check=(RegexValidator("[0-9]"),)), OK,
        Told(failures=(("regex", "…"),))),
    row("JSON", ask(check=(JsonValidator("$.a", 1),)), reply('{"a": 1}'), Told()),
    row("JSON that differs", ask(check=(JsonValidator("$.a", 1),)), reply('{"a": 2}'),
        Told(failures=(("json", "…"),))),
]  # fmt: skip


def passed_on(name: str, source: Source, answer: Reply, value: str, **others: Any) -> Row:
    """A value of the first response is in the second request."""
    return row(
        name,
        (ask(take={"v": source}), ask("GET /next", "X-Value: ${v}")),
        (answer, OK),
        (Told(answer.status), HI),
        sent=(b"GET / HTTP/1.1\n", f"GET /next HTTP/1.1\nX-Value: {value}\n".encode()),
        **others,
    )


TAKEN = [
    passed_on("a value from JSON", JsonPath("$.a[0]"), reply('{"a": ["x y"]}'), "x y"),
    passed_on("a value from a form", FormField("t"), reply('<input name="t" value="1&amp;2">'),
              "1&2"),
    passed_on("a value from a header", HeaderValue("X-Token"),
              reply("", 200, ("X-TOKEN", "abc")), "abc"),
    passed_on("a value from a redirect", HeaderValue("Location", "id=(\\d+)"),
              reply("", 302, ("Location", "/?id=42")), "42"),
    passed_on("a value by a pattern, from what was compressed", RegularExpression("id=(\\w+)"),
              reply(brotli.compress(b"<a href='?id=k7'>"), 200, ("Content-Encoding", "br")), "k7"),
    passed_on("a value between two texts", Boundary("<b>", "</b>"), reply("<b>bold</b>"), "bold"),
    row("an extractor that finds nothing", ask(take={"v": JsonPath("$.b")}), reply('{"a": 1}'),
        Told(failures=(("extractor", "…"),))),
]  # fmt: skip


def cookies(name: str, set_cookies: tuple[str, ...], target: str, line: str, **others: Any) -> Row:
    """Set-Cookie lines of a response to ``/shop/a``, and the Cookie line of the next request."""
    return row(
        name,
        ("GET /shop/a", f"GET {target}"),
        (Reply(200, (*(("Set-Cookie", one) for one in set_cookies), ("Content-Length", "0"))), OK),
        (Told(values={"set-cookie": set_cookies}), HI),
        sent=(b"GET /shop/a HTTP/1.1\n", f"GET {target} HTTP/1.1\n{line}".encode()),
        **others,
    )


COOKIES = [
    cookies("a cookie", ("a=1; Path=/",), "/", "Cookie: a=1\n"),
    cookies("several cookies", ("a=1; Path=/", "b=2; Path=/; HttpOnly"), "/", "Cookie: a=1; b=2\n"),
    cookies("a cookie replaced", ("a=1; Path=/", "a=2; Path=/"), "/", "Cookie: a=2\n"),
    cookies("a cookie deleted", ("a=1; Path=/", "a=; Path=/; Max-Age=0"), "/", ""),
    cookies("a cookie of another path", ("a=1; Path=/other",), "/shop/b", ""),
    cookies("a cookie of the default path", ("a=1",), "/shop/b", "Cookie: a=1\n"),
    cookies("the default path, elsewhere", ("a=1",), "/", ""),
    cookies("a cookie of another domain", ("a=1; Domain=example.org; Path=/",), "/", ""),
    cookies("an old cookie", ("a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT",), "/", ""),
    cookies("a comma in an expiry is no separator",
            ("a=1; Path=/; Expires=Fri, 01 Jan 2100 00:00:00 GMT", "b=2; Path=/"), "/",
            "Cookie: a=1; b=2\n"),
    cookies("a cookie's odd value", ('a="x y=z"; Path=/',), "/", 'Cookie: a="x y=z"\n'),
    cookies("the longer path first", ("a=1; Path=/", "b=2; Path=/shop"), "/shop/b",
            "Cookie: b=2; a=1\n"),
    row("a cookie as a variable", (ask(take={"v": CookieValue("a")}), ask("GET /?a=${v}")),
        (reply("", 200, ("Set-Cookie", "a=k7; Path=/")), OK), (Told(), HI),
        sent=(b"GET / HTTP/1.1\n", b"GET /?a=k7 HTTP/1.1\nCookie: a=k7\n")),
    row("a failed response sets its cookies", ("GET /", "GET /"),
        (reply("", 500, ("Set-Cookie", "a=1")), OK),
        (Told(500, failures=(("status", "Status Code is 500, expected 200-399"),)), HI),
        sent=(b"GET / HTTP/1.1\n", b"GET / HTTP/1.1\nCookie: a=1\n")),
]  # fmt: skip

CONNECTIONS = [
    row("one connection for one request after the other", ("GET /1", "GET /2", "GET /3"), OK,
        (HI, HI, HI)),
    row("Connection: close", ("GET /1", "GET /2"),
        Reply(200, (("Connection", "close"), ("Content-Length", "2")), b"hi"), (HI, HI),
        connections=2,
        but={"http2": NO_CONNECTION_HEADERS}),
    h1_only("closed while idle", ("GET /1", "GET /2"), (Wire(OK.wire(), "close"), OK), (HI, HI),
            connections=2),
    h1_only("an idle connection closed under a request: sent once more, on a fresh one",
            ("GET /1", "GET /2"), (OK, Wire(b"", "close"), OK), (HI, HI), connections=2,
            requests=3),
    h1_only("an idle connection reset under a request: sent once more, on a fresh one",
            ("GET /1", "GET /2"), (OK, Wire(b"", "reset"), OK), (HI, HI), connections=2,
            requests=3),
    h1_only("a fresh connection closed under a request: not sent again",
            "GET /", Wire(b"", "close"), Told(0, failures=(CLOSED_EARLY,)), requests=1),
    h1_only("a fresh connection reset under a request: not sent again",
            "GET /", Wire(b"", "reset"), Told(0, failures=(CLOSED_EARLY,)), requests=1),
    h1_only("closed in the body", "GET /", wire(b"200 OK\nContent-Length: 9", b"hi", "close"),
            Told(0, failures=(CLOSED_MIDWAY,)), requests=1),
    # A reset may overtake what was sent before it: so a cause, and no message.
    h1_only("reset in the body", "GET /", wire(b"200 OK\nContent-Length: 9", b"hi", "reset"),
            Told(0, failures=(("reset", "…"),)), requests=1),
    h1_only("closed in a chunk", "GET /",
            wire(b"200 OK\nTransfer-Encoding: chunked", b"9\r\nhi", "close"),
            Told(0, failures=(CLOSED_MIDWAY,)), requests=1),
    h1_only("closed before the last chunk", "GET /",
            wire(b"200 OK\nTransfer-Encoding: chunked", b"2\r\nhi\r\n", "close"),
            Told(0, failures=(CLOSED_MIDWAY,)), requests=1),
    h1_only("closed in the head", "GET /", Wire(b"HTTP/1.1 200 OK\r\nContent-Le", "close"),
            Told(0, failures=(CLOSED_MIDWAY,)), requests=1,
            but={"httpx": But("httpcore does not tell that a part of a head had come",
                              told=(Told(0, failures=(CLOSED_EARLY,)),))}),
    h1_only("a failure does not spoil what follows", ("GET /1", "GET /2"), (Wire(b"", "close"), OK),
            (Told(0, failures=(CLOSED_EARLY,)), HI), connections=2),
]  # fmt: skip

NONSENSE = [
    h1_only(f"not HTTP: {name}", ("GET /1", "GET /2"), (Wire(data, "wait"), OK),
            (Told(0, failures=(("protocol", "not HTTP: …"),)), HI), connections=2)
    for name, data in {
        "another protocol": b"220 ftp.example FTP server ready\r\n\r\n",
        "a status that is no number": b"HTTP/1.1 OK 200\r\n\r\n",
        "a header without a colon": b"HTTP/1.1 200 OK\r\nNonsense\r\n\r\n",
        "a length that is no number": b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "a chunk that is no number": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    }.items()
] + [
    h1_only("101 to who has asked for it", ask("GET /", "Connection: Upgrade", "Upgrade: x"),
            wire(b"101 Switching Protocols\nUpgrade: x\nConnection: Upgrade"),
            Told(0, failures=(SWITCHED,))),
    h1_only("101", "GET /", wire(b"101 Switching Protocols\nUpgrade: x\nConnection: Upgrade"),
            Told(0, failures=(SWITCHED,))),
    h1_only("garbage after a response", ("GET /1", "GET /2"),
            (Wire(OK.wire() + b"garbage\r\n\r\n"), OK), (HI, HI), connections=2,
            but={"httpx": But("h11 takes what follows a response for the beginning of the next one",
                              told=(HI, Told(0, failures=(("protocol", "not HTTP: …"),))),
                              seen=False)}),
]  # fmt: skip

TIME = [
    h1_only("no answer", ("GET /1", "GET /2"), (Wire(b"", "wait"), OK),
            (Told(0, failures=(NO_RESPONSE,)), HI), timeout=1.5, connections=2),
    h1_only("half a head and no more", ("GET /1", "GET /2"), (Wire(b"HTTP/1.1 200", "wait"), OK),
            (Told(0, failures=(NO_END,)), HI), timeout=1.5, connections=2,
            but={"httpx": But("httpcore does not tell that a part of a head has come",
                              told=(Told(0, failures=(NO_RESPONSE,)), HI))}),
    h1_only("half a body and no more", ("GET /1", "GET /2"),
            (wire(b"200 OK\nContent-Length: 9", b"hi", "wait"), OK),
            (Told(0, failures=(NO_END,)), HI), timeout=1.5, connections=2),
]  # fmt: skip

BASIC = reply("who?", 401, ("WWW-Authenticate", 'Basic realm="R"'))
DIGEST = reply("who?", 401, ("WWW-Authenticate", 'Digest realm="R", nonce="abc"'))
REFUSED = ("auth", "wrong user name or password: the server refuses the user alice (…")
KNOWN = "Authorization: Basic YWxpY2U6czNjcmV0"


def digest(target: str) -> str:
    """Alice's answer to ``DIGEST`` (RFC 2069 §2.1.2), with the hashes of this target."""
    secret, subject = (_md5(text) for text in ("alice:R:s3cret", f"GET:{target}"))
    return (
        f'Authorization: Digest username="alice", realm="R", nonce="abc", uri="{target}", '
        f'response="{_md5(f"{secret}:abc:{subject}")}"'
    )


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


AUTHENTICATION = [
    row("Basic is told once, and then goes ahead", ("GET /a", "GET /b"), (BASIC, OK), (HI, HI),
        sent=(b"GET /a HTTP/1.1\n", f"GET /a HTTP/1.1\n{KNOWN}\n".encode(),
              f"GET /b HTTP/1.1\n{KNOWN}\n".encode()), identity=ALICE, challenges=1),
    row("Digest is told once, and then goes ahead", ("GET /a", "GET /b?x"), (DIGEST, OK), (HI, HI),
        sent=(b"GET /a HTTP/1.1\n", f"GET /a HTTP/1.1\n{digest('/a')}\n".encode(),
              f"GET /b?x HTTP/1.1\n{digest('/b?x')}\n".encode()), identity=ALICE, challenges=1),
    row("a body goes along with the credentials again", ask("POST /a", body="text"), (BASIC, OK),
        sent=(b"POST /a HTTP/1.1\nContent-Length: 4\n\ntext",
              f"POST /a HTTP/1.1\nContent-Length: 4\n{KNOWN}\n\ntext".encode()),
        identity=ALICE, challenges=1),
    row("Basic that is refused", "GET /", BASIC, Told(401, failures=(REFUSED,)),
        identity=ALICE, challenges=1),
    row("Digest that is refused", "GET /", DIGEST, Told(401, failures=(REFUSED,)),
        identity=ALICE, challenges=1),
    row("Basic of another realm than the identity's", "GET /", BASIC,
        Told(401, "who?", failures=(("status", "Status Code is 401, expected 200-399"),)),
        identity=replace(ALICE, realm="S")),
    row("Bearer is not what identities answer", "GET /",
        reply("", 401, ("WWW-Authenticate", "Bearer")),
        Told(401, failures=(("status", "Status Code is 401, expected 200-399"),)), identity=ALICE),
    row("a 401 that asks for nothing", "GET /", reply("", 401),
        Told(401, failures=(("status", "Status Code is 401, expected 200-399"),)), identity=ALICE),
    h1_only("a connection that closes over the challenge", "GET /",
            (wire(b"401 Unauthorized\nWWW-Authenticate: Basic realm=R\nConnection: close\n"
                  b"Content-Length: 0", then="close"), OK),
            connections=2, identity=ALICE, challenges=1),
]  # fmt: skip

ROWS = (
    *METHODS, *TARGETS, *REQUEST_HEADERS, *FRAMING, *CONTENT, *LARGE, *RESPONSE_HEADERS, *JUDGED,
    *TAKEN, *COOKIES, *CONNECTIONS, *NONSENSE, *TIME, *AUTHENTICATION,
)  # fmt: skip
