"""Collecting a response body while it streams to the client."""

from __future__ import annotations

from mitmproxy.net import encoding

__all__ = ["BODY_LIMIT", "Collector", "decoded"]

#: How many bytes of one response body are kept. The client always gets all of them.
BODY_LIMIT = 64 * 1024 * 1024

_CODINGS = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate", "br": "br", "zstd": "zstd"}


class Collector:
    """Passes a body on and keeps what fits."""

    __slots__ = ("_chunks", "_limit", "_room", "size")

    def __init__(self, limit: int = BODY_LIMIT) -> None:
        self._chunks: list[bytes] = []
        self._limit = limit
        self._room = limit
        self.size = 0
        """How many bytes came by."""

    def __call__(self, data: bytes) -> bytes:
        """Take a chunk (``b""`` is the end) and return what the client is to get: the same."""
        self.size += len(data)
        if self._room:
            self._chunks.append(data[: self._room])
            self._room -= len(self._chunks[-1])
        return data

    @property
    def body(self) -> bytes:
        """What was kept: the whole body, or its beginning."""
        return b"".join(self._chunks)

    @property
    def loss(self) -> str:
        """What is missing, as a sentence for the user; empty when nothing is."""
        if self.size <= self._limit:
            return ""
        return f"only the first {self._limit} of {self.size} bytes of the response body were kept"


def decoded(body: bytes, codings: str) -> bytes:
    """``body`` without its content codings (RFC 9110 §8.4), as a Content-Encoding value lists them.

    A body that is broken, or whose coding is unknown, is returned as it is.
    """
    result: bytes = body
    for coding in reversed([one.strip().lower() for one in codings.split(",")]):
        if coding in ("", "identity"):
            continue
        # mitmproxy would look unknown names up among Python's text codecs (rot13…).
        if coding not in _CODINGS:
            return body
        try:
            plain = encoding.decode(result, _CODINGS[coding])
        except ValueError:
            return body
        result = plain if isinstance(plain, bytes) else plain.encode()
    return result
