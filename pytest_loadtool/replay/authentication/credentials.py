"""Credentials in a rendered request, and a request without its body: changes to its bytes."""

from __future__ import annotations

import re
from typing import Final

_END: Final = b"\r\n\r\n"
_LENGTH: Final = re.compile(rb"(\r\ncontent-length:)[^\r]*", re.IGNORECASE)


def header_line(name: str, value: str) -> bytes:
    """Return a line of a head. ``value`` has one character for each octet."""
    return f"{name}: {value}\r\n".encode("latin-1")


def with_lines(request: bytes, end: bytes) -> bytes:
    """Return the request with another end of its head: see `head_end`. On the hot path, thus one
    call."""
    return request.replace(_END, end, 1)


def head_end(lines: bytes) -> bytes:
    """Return the end of a head, with these lines as its last."""
    return b"\r\n" + lines + b"\r\n"


def without_header(request: bytes, name: str) -> bytes:
    """Return the request without a header, which it may not have."""
    head, end, body = request.partition(_END)
    if name.encode() not in head:
        return request
    line = re.compile(rb"\r\n%b:[^\r]*" % name.encode(), re.IGNORECASE)
    return line.sub(b"", head) + end + body


def without_body(request: bytes) -> bytes:
    """Return the request's head, for an empty body."""
    head, end, _ = request.partition(_END)
    return _LENGTH.sub(rb"\1 0", head) + end
