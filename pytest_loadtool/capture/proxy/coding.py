"""Content codings (RFC 9110 §8.4.1), undone piece by piece.

Each takes the pieces of a body and yields those of what it stands for, at most 8 MB at a time:
little data can stand for very much.

Raises:
    ValueError: the body is broken or ends early.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping

import brotlicffi  # not brotli: releases before 1.2, which mitmproxy pins, know no bound
import zstandard

#: What one step is asked for, in bytes.
_PIECE = 1024 * 1024

#: What zstd is given in one step, in bytes, as it cannot be asked for less than all: a block has at
#: least 4 bytes, and at most 128 KB decoded (RFC 8878 §3.1.1.2).
_ZSTD_PIECE = 256


def _gzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    yield from _inflated(chunks, zlib.MAX_WBITS | 16)


def _deflate(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """With the header of zlib (RFC 1950), or, as some servers have it, without."""
    pieces = iter(chunks)
    first = next(pieces, b"")
    headed = len(first) > 1 and first[0] & 0x0F == 8 and int.from_bytes(first[:2]) % 31 == 0
    yield from _inflated(_chain(first, pieces), zlib.MAX_WBITS if headed else -zlib.MAX_WBITS)


def _inflated(chunks: Iterable[bytes], window: int) -> Iterator[bytes]:
    stream = zlib.decompressobj(window)
    for chunk in chunks:
        data = chunk
        while data:
            try:
                yield stream.decompress(data, _PIECE)
            except zlib.error as error:
                raise ValueError(str(error)) from None
            data = stream.unconsumed_tail
            if stream.eof:
                # Another member may follow (RFC 1952 §2.2); anything else is passed over.
                if not stream.unused_data.startswith(b"\x1f\x8b"):
                    break
                data, stream = stream.unused_data, zlib.decompressobj(window)
    if not stream.eof:
        yield stream.flush()  # what the last step had no room for, once all was read
    if not stream.eof:
        raise ValueError("ends early")


def _brotli(chunks: Iterable[bytes]) -> Iterator[bytes]:
    stream = brotlicffi.Decompressor()
    try:
        for chunk in chunks:
            yield stream.process(chunk, output_buffer_limit=_PIECE)
            while not stream.can_accept_more_data():
                yield stream.process(b"", output_buffer_limit=_PIECE)
    except brotlicffi.error as error:
        raise ValueError(str(error)) from None
    if not stream.is_finished():
        raise ValueError("ends early")


def _zstd(chunks: Iterable[bytes]) -> Iterator[bytes]:
    stream = zstandard.ZstdDecompressor().decompressobj()
    try:
        for chunk in chunks:
            for start in range(0, len(chunk), _ZSTD_PIECE):
                if not stream.eof:
                    yield stream.decompress(chunk[start : start + _ZSTD_PIECE])
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None
    if not stream.eof:
        raise ValueError("ends early")


def _chain(first: bytes, others: Iterable[bytes]) -> Iterator[bytes]:
    yield first
    yield from others


CODINGS: Mapping[str, Callable[[Iterable[bytes]], Iterator[bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
