"""Content codings (RFC 9110 §8.4), and those of a transfer (RFC 9112 §7.2).

Bodies come from servers that may be broken or hostile: 100 KB can stand for gigabytes. So decoding
goes piece by piece and ends at `DECODED_LIMIT`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

DECODED_LIMIT = 64 << 20
"""The most bytes that a body may have once decoded, and at each step on the way."""

#: The most codings that one body may have, as curl does it: each step can take as long as the one
#: before it.
_MOST_CODINGS = 5

#: Bytes that decoders are given, and asked for, at a time.
_PIECE = 1 << 16

#: For zstd, which knows no bound for what it gives: a block has at least 4 bytes and at most 128 KB
#: decoded (RFC 8878 §3.1.1.2), so this makes 8 MB at most.
_ZSTD_PIECE = 1 << 8

#: The largest window that a sender may use, in bytes (RFC 9659 §3).
_ZSTD_WINDOW = 8 << 20

#: Zlib's own number for a bare deflate stream, a zlib stream and a gzip file.
_RAW, _ZLIB, _GZIP = -zlib.MAX_WBITS, zlib.MAX_WBITS, 16 + zlib.MAX_WBITS


class ContentError(ValueError):
    """A body cannot be decoded. The text says which coding and why."""


def not_kept(limit: int) -> ContentError:
    """Nothing can be said of a body that had more bytes than were to be kept."""
    return ContentError(
        f"body of more than {limit >> 20:,} MB, which is not kept to be looked into: raise "
        "body_limit (in an ini file loadtool_body_limit), or look into no such body"
    )


def decode(body: bytes, codings: str) -> bytes:
    """``body`` with its content codings (a Content-Encoding value) removed.

    Raises:
        ContentError: a coding is unknown, the body is broken, or it would be too large.
    """
    names = [one for one in (part.strip().lower() for part in codings.split(",")) if one]
    if len(names) > _MOST_CODINGS:
        raise ContentError(f"more than {_MOST_CODINGS} content codings for one body")
    for name in reversed(names):
        decoder = _DECODERS.get(name)
        if decoder is None:
            asked = "does the request's Accept-Encoding ask for it?"
            raise ContentError(f"unknown content coding {name[:40]!r}: {asked}")
        if body:  # an empty body is empty, whatever its coding
            body = _joined(decoder(body), name)
    return body


def _joined(pieces: Iterator[bytes], coding: str) -> bytes:
    """The pieces as one, if they are not too many."""
    kept: list[bytes] = []
    size = 0
    try:
        for piece in pieces:
            size += len(piece)
            if size > DECODED_LIMIT:
                break
            kept.append(piece)
    except EOFError:
        raise ContentError(f"broken {coding} body: it ends too early") from None
    except Exception:  # each codec has exceptions of its own, with too many texts to count
        raise ContentError(f"broken {coding} body: it is not valid {coding}") from None
    if size > DECODED_LIMIT:
        limit = DECODED_LIMIT >> 20
        raise ContentError(f"{coding} body of more than {limit} MB decoded, which is the limit")
    return kept[0] if len(kept) == 1 else b"".join(kept)


def _slices(body: bytes, size: int) -> Iterator[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))


def _identity(body: bytes) -> Iterator[bytes]:
    yield body


def _gzip(body: bytes) -> Iterator[bytes]:
    return _inflated(body, _GZIP)


def _deflate(body: bytes) -> Iterator[bytes]:
    # RFC 9110 §8.4.1.2 means the zlib format; some servers send a bare deflate stream. The first
    # two bytes tell (RFC 1950 §2.2).
    is_zlib = body[0] & 15 == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    return _inflated(body, _ZLIB if is_zlib else _RAW)


def _inflated(body: bytes, format_: int) -> Iterator[bytes]:
    """What zlib makes of it. What follows the end of the stream is ignored, as browsers do."""
    decoder = zlib.decompressobj(format_)
    for given in _slices(body, _PIECE):
        while True:
            piece = decoder.decompress(given, _PIECE)
            yield piece
            given = decoder.unconsumed_tail
            if decoder.eof:
                return
            if not given and len(piece) < _PIECE:
                break
    raise EOFError


def _brotli(body: bytes) -> Iterator[bytes]:
    import brotlicffi  # not brotli: releases before 1.2, which the recorder pins, know no bound

    decoder = brotlicffi.Decompressor()
    for given in _slices(body, _PIECE):
        yield decoder.process(given, output_buffer_limit=_PIECE)
        while not decoder.can_accept_more_data():
            yield decoder.process(b"", output_buffer_limit=_PIECE)
        if decoder.is_finished():
            return
    raise EOFError


def _zstd(body: bytes) -> Iterator[bytes]:
    """All frames, one after the other (RFC 8878 §3)."""
    import zstandard

    context = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    decoder = context.decompressobj()
    for given in _slices(body, _ZSTD_PIECE):
        while given:
            if decoder.eof:
                decoder = context.decompressobj()
            yield decoder.decompress(given)
            given = decoder.unused_data
    if not decoder.eof:
        raise EOFError


_DECODERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "identity": _identity,
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
