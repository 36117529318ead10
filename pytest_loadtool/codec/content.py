"""Content codings (RFC 9110 §8.4), and those of a transfer (RFC 9112 §7.2), undone piece by piece.

Bodies come from servers that may be broken or hostile: 100 KB can stand for gigabytes. So decoders
are given and asked for little at a time, and each coding of a body ends at a limit.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

DECODED_LIMIT = 64 << 20
"""The most bytes that a body may have once decoded, and at each step on the way."""

#: The most codings that one body may have, as curl does it: each step can take as long as the one
#: before it.
_MOST_CODINGS = 5

#: The most gzip members or zstd frames of one body: each takes time, and may stand for nothing.
_MOST_MEMBERS = 10_000

#: Bytes that decoders are given, and asked for, at a time.
_PIECE = 1 << 16

#: The largest window of zstd that a sender may use, in bytes (RFC 9659 §3).
_ZSTD_WINDOW = 8 << 20

#: So many bytes tell what begins with them.
_HEAD = 4


class ContentError(ValueError):
    """A body cannot be decoded. The text says which coding and why."""


class BrokenError(ContentError):
    """A body is not in the coding that it names."""


class TooLargeError(ContentError):
    """A body stands for more than the limit. All up to there was decoded."""


def decode(body: bytes, codings: str) -> bytes:
    """Return ``body`` with its codings (a Content-Encoding value) removed.

    Raises:
        ContentError: as `decoded`.
    """
    size = len(body)
    chunks = (body[start : start + _PIECE] for start in range(0, size, _PIECE))
    pieces = list(decoded((body,) if 0 < size <= _PIECE else chunks, codings))
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def decoded(chunks: Iterable[bytes], codings: str, limit: int = DECODED_LIMIT) -> Iterable[bytes]:
    """Return the pieces of what a body stands for, whose codings a Content-Encoding value lists. An
    empty body is empty, whatever its coding.

    Raises:
        ContentError: a coding is unknown.
        BrokenError: while the pieces are read: the body is not in its coding.
        TooLargeError: after the first ``limit`` bytes.
    """
    names = [one for one in (part.strip().lower() for part in codings.split(",")) if one]
    if len(names) > _MOST_CODINGS:
        raise ContentError(f"more than {_MOST_CODINGS} content codings for one body")
    for name in reversed(names):
        if name == "identity":
            continue
        if name not in _CODINGS:
            asked = "does the request's Accept-Encoding ask for it?"
            raise ContentError(f"unknown content coding {name[:40]!r}: {asked}")
        chunks = _undone(chunks, name, limit)
    return chunks


def _undone(chunks: Iterable[bytes], name: str, limit: int) -> Iterator[bytes]:
    """Yield all members of a body, one after the other. What follows the last one is passed over,
    as browsers do."""
    begin, marks = _CODINGS[name]
    source = iter(chunks)
    data, room = b"", limit
    for number in range(_MOST_MEMBERS):
        while len(data) < _HEAD and (more := next(source, None)) is not None:
            data += more
        if not data:
            return
        if number and not data.startswith(marks):
            if name == "br":  # its package refuses what follows in the same piece
                raise BrokenError(f"broken {name} body: it is not valid {name}")
            return
        stream = begin(data)
        while True:
            try:
                piece = stream.decompress(data, _PIECE)
            except Exception:  # each codec has exceptions of its own, with too many texts to count
                raise BrokenError(f"broken {name} body: it is not valid {name}") from None
            room -= len(piece)
            if room < 0:
                yield piece[:room]
                most = f"{limit >> 20} MB decoded, which is the limit"
                raise TooLargeError(f"{name} body of more than {most}")
            yield piece
            data = b""
            if stream.eof:
                break
            if stream.needs_input:
                more = next(source, None)
                if more is None:
                    raise BrokenError(f"broken {name} body: it ends too early")
                data = more
        data = stream.unused_data
    raise ContentError(f"{name} body of more than {_MOST_MEMBERS:,} members, which is the limit")


class _Stream(Protocol):
    """One member of a body, called as the standard library calls these since `bz2`."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...


class _Zlib:
    __slots__ = ("_stream", "needs_input")

    def __init__(self, window: int) -> None:
        self._stream = zlib.decompressobj(window)
        self.needs_input = True

    def decompress(self, data: bytes, max_length: int) -> bytes:
        stream = self._stream
        piece = stream.decompress(data or stream.unconsumed_tail, max_length)
        # A full piece may not be all, though all was read.
        self.needs_input = not stream.unconsumed_tail and len(piece) < max_length
        return piece

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data


def brotli_library() -> Any:
    """Return the package for Brotli that this Python has."""
    if sys.version_info >= (3, 12):
        import brotli
    else:  # mitmproxy for it pins a brotli that knows no bound: those do since 1.2
        import brotlicffi as brotli
    return brotli


def zstd_library() -> Any:
    """Return the module for zstd that this Python has."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


class _Brotli:
    unused_data = b""

    def __init__(self) -> None:
        self._stream = brotli_library().Decompressor()
        self.needs_input = True

    def decompress(self, data: bytes, max_length: int) -> bytes:
        piece: bytes = self._stream.process(data, output_buffer_limit=max_length)
        # As with zlib. A piece may be longer than was asked for, by half at most.
        self.needs_input = self._stream.can_accept_more_data() and len(piece) < max_length
        return piece

    @property
    def eof(self) -> bool:
        return bool(self._stream.is_finished())


def _deflate(head: bytes) -> _Stream:
    # RFC 9110 §8.4.1.2 means the zlib format; some servers send a bare deflate stream. The first
    # two bytes tell (RFC 1950 §2.2).
    is_zlib = head[0] & 15 == 8 and int.from_bytes(head[:2]) % 31 == 0
    return _Zlib(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)


def _zstd(_head: bytes) -> _Stream:
    zstd = zstd_library()
    window = int(zstd.DecompressionParameter.window_log_max)
    stream: _Stream = zstd.ZstdDecompressor(options={window: _ZSTD_WINDOW.bit_length() - 1})
    return stream


_Undoing = tuple[Callable[[bytes], _Stream], tuple[bytes, ...]]
_GZIP: _Undoing = (lambda _head: _Zlib(16 + zlib.MAX_WBITS), (b"\x1f\x8b",))
#: Frames, and those to be skipped (RFC 8878 §3.1).
_FRAMES = (b"\x28\xb5\x2f\xfd", *(bytes((low, 0x2A, 0x4D, 0x18)) for low in range(0x50, 0x60)))

#: By coding: what undoes a member that begins so, and how others may begin (RFC 1952 §2.2).
_CODINGS: dict[str, _Undoing] = {
    "gzip": _GZIP,
    "x-gzip": _GZIP,
    "deflate": (_deflate, ()),
    "br": (lambda _head: _Brotli(), ()),
    "zstd": (_zstd, _FRAMES),
}
