"""Content codings and character sets: from a body's bytes to text (RFC 9110 §8.3, §8.4)."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable

__all__ = ["ContentError", "charset_of", "decode"]

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]+)", re.IGNORECASE)


class ContentError(ValueError):
    """A body cannot be decoded. The text says which coding and why."""


def decode(body: bytes, codings: str) -> bytes:
    """``body`` with its content codings (a Content-Encoding value) removed.

    Raises:
        ContentError: a coding is unknown or the body is broken.
    """
    for coding in reversed([one.strip().lower() for one in codings.split(",")]):
        decoder = _DECODERS.get(coding)
        if decoder is None:
            raise ContentError(f"unknown content coding {coding!r}")
        try:
            body = decoder(body)
        except Exception as error:  # each codec has exceptions of its own
            raise ContentError(f"broken {coding} body: {error}") from None
    return body


def charset_of(content_type: str) -> str:
    """The charset parameter of a Content-Type value, or UTF-8."""
    match = _CHARSET.search(content_type)
    return match[1] if match else "utf-8"


def _gzip(body: bytes) -> bytes:
    return zlib.decompress(body, 16 + zlib.MAX_WBITS)


def _deflate(body: bytes) -> bytes:
    # RFC 9110 §8.4.1.2 means the zlib format; some servers send a bare deflate stream.
    try:
        return zlib.decompress(body)
    except zlib.error:
        return zlib.decompress(body, -zlib.MAX_WBITS)


def _brotli(body: bytes) -> bytes:
    import brotli

    result: bytes = brotli.decompress(body)
    return result


def _zstd(body: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj().decompress(body)


_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
