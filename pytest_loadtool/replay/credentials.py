"""Credentials in a rendered request, and a request without its body: changes to its bytes."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["header_line", "with_lines", "without_body", "without_credentials"]

_END: Final = b"\r\n\r\n"
_LENGTH: Final = re.compile(rb"(\r\ncontent-length:)[^\r]*", re.IGNORECASE)
_CREDENTIALS: Final = re.compile(rb"\r\n(?:proxy-)?authorization:[^\r]*", re.IGNORECASE)


def header_line(name: str, value: str) -> bytes:
    """A line of a head. ``value`` has one character for each octet."""
    return f"{name}: {value}\r\n".encode("latin-1")


def with_lines(request: bytes, lines: bytes) -> bytes:
    """The request with more header lines at the end of its head."""
    end = request.find(_END) + 2
    return request[:end] + lines + request[end:]


def without_credentials(request: bytes) -> bytes:
    """The request without Authorization and Proxy-Authorization."""
    head, end, body = request.partition(_END)
    return _CREDENTIALS.sub(b"", head) + end + body


def without_body(request: bytes) -> bytes:
    """The request's head, for an empty body."""
    head, end, _ = request.partition(_END)
    return _LENGTH.sub(rb"\1 0", head) + end
