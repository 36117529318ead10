"""What the scripted servers answer with."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

__all__ = ["Answer", "Reply", "Wire", "reply"]

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Reply:
    """A sound response, which any version of HTTP can carry."""

    status: int = 200
    headers: Pairs = ()
    body: bytes = b""
    chunks: tuple[bytes, ...] = ()
    """Pieces of the body, sent as such."""
    interim: tuple[tuple[int, Pairs], ...] = ()
    """Interim responses before it."""

    def wire(self) -> bytes:
        """As HTTP/1.1."""
        heads = [_head(status, headers) for status, headers in self.interim]
        body = self.body
        if self.chunks:
            body = b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in self.chunks)
            body += b"0\r\n\r\n"
        return b"".join([*heads, _head(self.status, self.headers), body])

    @property
    def content(self) -> bytes:
        """The body, whole."""
        return self.body or b"".join(self.chunks)


@dataclass(frozen=True)
class Wire:
    """Bytes of HTTP/1.1, sound or not, and what the server does after them."""

    data: bytes = b""
    then: str = "go on"
    """``go on``, ``close``, ``reset``, or ``wait`` until the client gives up."""

    def wire(self) -> bytes:
        """The bytes."""
        return self.data


Answer = Reply | Wire


def reply(body: bytes | str = b"", status: int = 200, *headers: tuple[str, str]) -> Reply:
    """A response with its length."""
    content = body.encode() if isinstance(body, str) else body
    return Reply(status, (*headers, ("Content-Length", str(len(content)))), content)


def _head(status: int, headers: Pairs) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Something"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
