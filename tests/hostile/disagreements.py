"""Where our reader and others differ, and why that is as it should be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tests.hostile.reading import Reading

__all__ = ["REASONS", "Judge", "Reason", "reason_for"]

Judge = Literal["h11", "httptools", "curl"]


@dataclass(frozen=True)
class Reason:
    """Why a reader may differ: ``ours`` is what we do, ``theirs`` what it does.

    It holds for the ``aspect`` alone, and where the patterns are found: ``problem`` in the reason
    of whoever does not take the response, ``wire`` in its bytes.
    """

    judges: tuple[Judge, ...]
    aspect: str
    ours: str
    theirs: str
    source: str
    problem: str = ""
    wire: bytes = b""


_H11: tuple[Judge, ...] = ("h11",)
_HTTPTOOLS: tuple[Judge, ...] = ("httptools",)
_BOTH: tuple[Judge, ...] = ("h11", "httptools")
_CURL: tuple[Judge, ...] = ("curl",)

_ANY_LF = rb"[^\r]\n|\n\n"

REASONS = (
    Reason(
        _HTTPTOOLS,
        "taken",
        "a line of the head may end with LF alone, as curl, h11 and browsers have it",
        "refuses it",
        "RFC 9112 §2.2",
        r"Missing expected CR|Invalid header field char",
        _ANY_LF,
    ),
    Reason(
        _HTTPTOOLS,
        "taken",
        "a header may go on in the next line",
        "refuses it",
        "RFC 9112 §5.2",
        r"Unexpected whitespace after header value",
        rb"\n[ \t]",
    ),
    Reason(
        _H11,
        "headers",
        "white space around a fold is one space",
        "keeps that in front of it",
        "RFC 9112 §5.2",
        wire=rb"\n[ \t]",
    ),
    Reason(
        _H11,
        "taken",
        "codings of the transfer other than chunks are undone when the body is looked into",
        "refuses them",
        "RFC 9112 §6.1",
        r"Only Transfer-Encoding: chunked|multiple Transfer-Encoding",
        rb"(?i)transfer-encoding:",
    ),
    Reason(
        _HTTPTOOLS,
        "taken",
        "Transfer-Encoding is heeded and Content-Length is not; the connection is closed",
        "refuses both together",
        "RFC 9112 §6.3",
        r"can't be present with",
        rb"(?is)content-length:.*transfer-encoding:|transfer-encoding:.*content-length:",
    ),
    Reason(
        ("h11", "curl"),
        "connection",
        "Transfer-Encoding and Content-Length together, a mark of smuggling: the connection is "
        "closed",
        "keeps it",
        "RFC 9112 §6.3",
        wire=rb"(?is)content-length:.*transfer-encoding:|transfer-encoding:.*content-length:",
    ),
    Reason(
        _BOTH,
        "taken",
        "control characters in values and signs in names are taken as they are, as by curl",
        "refuses them",
        "RFC 9110 §5.5",
        r"illegal header line|Invalid header (value char|token)",
        rb"[\x01-\x08\x0b\x0c\x0e-\x1f@\\]",
    ),
    Reason(
        _HTTPTOOLS,
        "taken",
        "white space behind the size of a chunk, and an extension without a name, are skipped",
        "refuses them",
        "RFC 9112 §7.1.1",
        r"Invalid character in chunk (size|extensions)",
        rb"\n[0-9a-fA-F]+( +|;)\r\n",
    ),
    Reason(
        ("httptools", "curl"),
        "taken",
        "HTTP/1.2 is read as HTTP/1.1",
        "refuses it",
        "RFC 9110 §2.5",
        r"Invalid HTTP version|\(1\)",
        rb"^HTTP/1\.2 ",
    ),
    Reason(
        _H11,
        "refused",
        "only HTTP/1.0 and later minor versions are HTTP/1",
        "takes 0.9 and 5.6",
        "RFC 9110 §2.5",
        r"no HTTP/1 status line",
        rb"^HTTP/(0\.9|5\.6) ",
    ),
    Reason(
        _HTTPTOOLS,
        "refused",
        "a response begins with its status line, as curl and h11 have it",
        "skips empty lines before",
        "RFC 9112 §4",
        r"no HTTP/1 status line",
        rb"^\r\n|\n\r\n\r\n",
    ),
    Reason(
        _H11,
        "connection",
        "HTTP/1.0 with `Connection: keep-alive` keeps the connection",
        "closes it",
        "RFC 9112 §9.3",
        wire=rb"(?is)^HTTP/1\.0 .*keep-alive",
    ),
    Reason(
        _HTTPTOOLS,
        "connection",
        "Proxy-Connection, which no standard has, means nothing",
        "heeds it",
        "RFC 9112 C.2.2",
        wire=rb"\nProxy-Connection:",
    ),
    Reason(
        _HTTPTOOLS,
        "connection",
        "whatever follows a response belongs to no request: the connection is closed",
        "skips line ends",
        "RFC 9112 §9.2",
        wire=rb"\n$",
    ),
    Reason(
        _CURL,
        "connection",
        "whatever follows a response belongs to no request: the connection is closed",
        "finds that when it uses it again",
        "RFC 9112 §9.2",
        wire=rb"(?i)^HTTP/1\.\d (204|304) |content-length: 0\r\n\r\n.",
    ),
    Reason(
        _CURL,
        "connection",
        "a body that ends with the connection leaves none",
        "finds that when it uses it again",
        "RFC 9112 §9.3",
        wire=rb"^HTTP/1\.0 200 OK\r\nConnection: keep-alive\r\n\r\n",
    ),
    Reason(
        _CURL,
        "connection",
        "a header that goes on in the next line is one: `Connection: close`",
        "reads the first line",
        "RFC 9112 §5.2",
        wire=rb"\nConnection: +\r\n +close",
    ),
    Reason(
        _CURL,
        "refused",
        "an upgrade that nobody asked for is no response",
        "takes it for the last one",
        "RFC 9110 §15.2.2",
        r"the server switched protocols",
        rb"^HTTP/1\.1 101 ",
    ),
    Reason(
        _CURL,
        "refused",
        "a head that is cut off is no response",
        "takes what there is",
        "RFC 9112 §8",
        r"in the middle of a response",
    ),
    Reason(
        _CURL,
        "refused",
        "CR, LF or NUL within a line is refused",
        "takes it as it is",
        "RFC 9110 §5.5",
        r"CR, LF or NUL",
    ),
    Reason(
        _CURL,
        "refused",
        "a header has a name, and no space before the colon",
        "ignores the line, or the space",
        "RFC 9112 §5",
        r"malformed header line",
        rb"\n:|\n[\w-]+ [\w-]+:|\n[\w-]+ :",
    ),
    Reason(
        _CURL,
        "refused",
        "the version of HTTP/1 is in the status line",
        "takes other versions, or what looks like HTTP",
        "RFC 9112 §4",
        r"no HTTP/1? ?status line",
        rb"^HTTP/(2|\{\}) ",
    ),
    Reason(
        _CURL,
        "refused",
        "a status code has three digits, behind one space",
        "looks for three digits",
        "RFC 9112 §4",
        r"no status code",
        rb"^HTTP/1\.1 ( |400\.)",
    ),
    Reason(
        _CURL,
        "refused",
        "the size of a chunk is digits, up to white space or a semicolon",
        "ignores what follows them",
        "RFC 9112 §7.1",
        r"not a hexadecimal number",
        rb"\n[0-9a-fA-F]+( [a-z]|\r\r;)",
    ),
    Reason(
        _CURL,
        "refused",
        "a length beyond 18 digits is none",
        "reads to the end",
        "RFC 9110 §8.6",
        r"Content-Length is not a number",
        rb"Content-Length: \d{19,}",
    ),
    Reason(
        _CURL,
        "refused",
        "where `chunked` is not the last coding, or twice one, the body cannot be told",
        "heeds it wherever it is",
        "RFC 9112 §6.3",
        r"unknown content coding 'chunked|not valid gzip",
        rb"(?i)transfer-encoding: chunked",
    ),
    Reason(
        _CURL,
        "refused",
        "the content coding `none` is unknown",
        "takes it for no coding",
        "RFC 9110 §8.4",
        r"unknown content coding 'none'",
        rb"Content-Encoding: none",
    ),
)


def reason_for(
    judge: Judge, aspect: str, wire: bytes, ours: Reading, theirs: Reading
) -> Reason | None:
    """The first that holds."""
    problem = ours.problem or theirs.problem
    for reason in REASONS:
        if (
            judge in reason.judges
            and aspect == reason.aspect
            and re.search(reason.problem, problem)
            and re.search(reason.wire, wire)
        ):
            return reason
    return None
