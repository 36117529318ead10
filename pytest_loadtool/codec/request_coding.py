"""Content codings of requests: bodies that clients compress.

A test case has the text of such a body, and its ``Content-Encoding``; replay codes it again.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from pytest_loadtool.codec.content import ContentError, brotli_library, decode, zstd_library
from pytest_loadtool.codec.multipart import Content, pieces_of

Coder = Callable[[bytes], bytes]


def uncoded(body: bytes, headers: Iterable[tuple[str, str]]) -> bytes:
    """Return a request's body without the content codings that its headers name, if replay can code
    it again and it is text then; else as it is."""
    named = {name.lower(): value for name, value in headers}
    codings = named.get("content-encoding", "")
    if not body or coder(codings) is None:
        return body
    media = named.get("content-type", "")
    if not _has_content(body, media):
        return body  # it is plain, whatever it says
    try:
        plain = decode(body, codings)
    except ContentError:
        return body
    return body if _has_content(plain, media) else plain


def _has_content(body: bytes, media: str) -> bool:
    return any(isinstance(one, Content) for one in pieces_of(body, media))


def coder(codings: str) -> Coder | None:
    """Return what codes a body as a Content-Encoding value says; None if it says nothing, or what
    is not known."""
    names = [one.strip().lower() for one in codings.split(",")]
    coders = [_CODERS[one] for one in names if one in _CODERS]
    if not any(names) or len(coders) < len(names):
        return None

    def code(body: bytes) -> bytes:
        for one in coders:
            body = one(body)
        return body

    return code


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, compresslevel=6, mtime=0)


def _brotli(body: bytes) -> bytes:
    coded: bytes = brotli_library().compress(body, quality=5)
    return coded


def _zstd(body: bytes) -> bytes:
    coded: bytes = zstd_library().compress(body)
    return coded


_CODERS: Mapping[str, Coder] = MappingProxyType(
    {"gzip": _gzip, "x-gzip": _gzip, "deflate": zlib.compress, "br": _brotli, "zstd": _zstd}
)
