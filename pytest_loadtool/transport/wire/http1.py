"""Reads HTTP/1.1 responses from the bytes of one connection (RFC 9112). Knows no sockets.

Written for the hot path: a response that comes in one piece with a Content-Length, as most do,
costs two searches and a look-up.
"""

from __future__ import annotations

from typing import Final

from pytest_loadtool.model.load import BODY_LIMIT
from pytest_loadtool.replay.user.head import Head, Heads, length_of, split_head

LONGEST_HEAD: Final = 256 * 1024
"""The longest head that is read, in bytes. Browsers stop at about the same."""

_TOO_LONG: Final = f"the head is longer than {LONGEST_HEAD // 1024} KB"

_MOST_INTERIM: Final = 100

#: The type of TLS records that a server sends to those who do not speak it (RFC 8446 §5.1, §6).
_ALERT: Final = b"\x15"
_VERSION: Final = b"HTTP/1."
_TLS_SPOKEN: Final = "no HTTP status line but TLS: use https://"
#: What a server of HTTP/2 says first, behind the length (RFC 9113 §3.4, §6.5).
_SETTINGS: Final = b"\x04\0\0\0\0\0"
_FRAME: Final = 9
_HTTP_2_SPOKEN: Final = "no HTTP/1 status line; HTTP/2 is spoken there"

_LONGEST_CHUNK_LINE: Final = 16 * 1024
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")

# How a body is framed when it has no known length.
_ENDS_WITH_CONNECTION: Final = -1
_CHUNKED: Final = -2

# What is being read.
_HEAD: Final = 0
_COUNTED: Final = 1  # a body of known length
_TO_THE_END: Final = 2  # a body that ends with the connection
_CHUNK_SIZE: Final = 3
_CHUNK: Final = 4
_CHUNK_END: Final = 5
_TRAILERS: Final = 6


class ProtocolError(Exception):
    """An error: what came is not an HTTP/1.x response. The text says why."""


class ResponseReader:
    """Reads one response after the other.

    `begin` before each request; then `feed` until it says that the response is complete, or `end`
    when the connection was closed. ``head_bytes`` is the head without the empty line at its end,
    ``body`` still has its content coding. ``keep_alive`` says whether the connection may be used
    again, ``excess`` whether bytes followed that belong to no request. Of a body with more bytes
    than the limit nothing is kept; ``unkept`` is then that limit, else 0. ``heads`` takes heads
    apart, for all connections of a run.
    """

    __slots__ = (
        "_buffer", "_heads", "_interim", "_limit", "_missing", "_pieces", "_size", "_state",
        "_without_body", "body", "excess", "head", "head_bytes", "keep_alive", "unkept",
    )  # fmt: skip

    def __init__(self, limit: int = BODY_LIMIT, heads: Heads | None = None) -> None:
        self._heads = heads or Heads()
        self._buffer = b""
        self._interim = 0
        self._limit = limit
        self._size = 0  # of the body in pieces, so far
        self._missing = 0
        self._pieces: list[bytes] = []
        self._state = _HEAD
        self._without_body = False
        self.head: Head | None = None
        self.head_bytes = b""
        self.body = b""
        self.keep_alive = False
        self.excess = False
        self.unkept = 0

    def begin(self, without_body: bool) -> None:
        """A request goes out; the response to HEAD is ``without_body`` (RFC 9112 §6.3 rule 1)."""
        self._without_body = without_body
        self._state = _HEAD
        self._buffer = b""
        self._interim = 0
        self.head = None
        self.body = b""
        self.excess = False
        self.unkept = 0

    def feed(self, data: bytes) -> bool:
        """Take what was received, and return whether the response is complete.

        Raises:
            ProtocolError: it is not one.
        """
        if self._state == _HEAD:
            return self._feed_head(self._buffer + data if self._buffer else data)
        if self._state == _COUNTED:
            return self._feed_counted(data)
        if self._state == _TO_THE_END:
            self._keep(data)
            return False
        return self._feed_chunked(self._buffer + data if self._buffer else data)

    def end(self) -> bool:
        """Note that the connection was closed, and return whether that completes the response (rule
        8)."""
        if self._state != _TO_THE_END:
            return False
        self._finish_pieces()
        return True

    def drop(self) -> None:
        """Let go what was read: there is to be no more."""
        self._buffer = b""
        self._pieces.clear()

    def _feed_head(self, data: bytes) -> bool:
        heads = self._heads
        while True:
            at = data.find(b"\r\n\r\n")
            raw = data[:at] if at >= 0 else b""  # which is no head
            head = heads.parse(raw)
            at += 4
            if head.problem:  # it is not complete, or its lines may end otherwise
                _check_start(data)
                found = split_head(data)
                if found is None:
                    self._keep_part_of_head(data)
                    return False
                raw, at = found
                head = heads.parse(raw)
            if at > LONGEST_HEAD:
                raise ProtocolError(_TOO_LONG)
            if head.problem:
                raise ProtocolError(head.problem)
            if head.status >= 200:
                break
            if head.status == 101:
                raise ProtocolError("the server switched protocols, which cannot be replayed")
            self._interim += 1  # an interim response (RFC 9110 §15.2): the final one follows
            if self._interim > _MOST_INTERIM:
                raise ProtocolError(f"more than {_MOST_INTERIM} interim responses to one request")
            data = data[at:]
        self.head = head
        self.head_bytes = raw
        length = self._frame(head)
        rest = len(data) - at
        if length >= 0:
            if rest == length:
                self.body = data[at:]
                return True
            if rest > length:
                self.body = data[at : at + length]
                self.excess = True
                return True
            self._state = _COUNTED
            self._missing = length - rest
            if length > self._limit:
                self.unkept = self._limit
            if rest:
                self._keep(data[at:])
            return False
        if length == _ENDS_WITH_CONNECTION:
            self._state = _TO_THE_END
            if rest:
                self._keep(data[at:])
            return False
        self._state = _CHUNK_SIZE
        return self._feed_chunked(data[at:])

    def _keep_part_of_head(self, data: bytes) -> None:
        if len(data) > LONGEST_HEAD:
            raise ProtocolError(_TOO_LONG)
        self._buffer = data

    def _frame(self, head: Head) -> int:
        """Return how long the body is (RFC 9112 §6.3), and whether the connection stays (§9.3)."""
        if not head.version.startswith("HTTP/1."):
            raise ProtocolError("no HTTP/1 status line")
        self.keep_alive = head.keeps
        if self._without_body or head.status == 204 or head.status == 304:
            return 0
        if head.length >= 0:
            return head.length
        if "transfer-encoding" in head.fields:
            # The marks of request smuggling (§6.1, §6.3 rule 3).
            if "content-length" in head.fields or head.version == "HTTP/1.0":
                self.keep_alive = False
            if head.tokens("transfer-encoding")[-1:] == ["chunked"]:
                return _CHUNKED
            self.keep_alive = False
            return _ENDS_WITH_CONNECTION
        if "content-length" not in head.fields:
            self.keep_alive = False
            return _ENDS_WITH_CONNECTION
        distinct = set(head.tokens("content-length"))  # the same one, several times (§6.3 rule 5)
        length = length_of(distinct.pop()) if len(distinct) == 1 else -1
        if length < 0:
            raise ProtocolError("Content-Length is not a number")
        return length

    def _feed_counted(self, data: bytes) -> bool:
        missing = self._missing
        received = len(data)
        if received < missing:
            self._missing = missing - received
            self._keep(data)
            return False
        if received > missing:
            data = data[:missing]
            self.excess = True
        self._keep(data)
        self._finish_pieces()
        return True

    def _keep(self, piece: bytes) -> None:
        """A piece of the body; from the limit on, only its size."""
        self._size += len(piece)
        if self._size <= self._limit and not self.unkept:
            self._pieces.append(piece)
        elif not self.unkept:
            self.unkept = self._limit
            self._pieces.clear()

    def _finish_pieces(self) -> None:
        self.body = b"".join(self._pieces)
        self._pieces.clear()
        self._size = 0

    def _feed_chunked(self, data: bytes) -> bool:
        """Take chunks (RFC 9112 §7.1), a size in hexadecimal, data, and an empty line after the
        last, and return whether that was it."""
        at = 0
        while True:
            if self._state == _CHUNK:
                piece = data[at : at + self._missing]
                at += len(piece)
                self._missing -= len(piece)
                if piece:
                    self._keep(piece)
                if self._missing:
                    self._buffer = b""
                    return False
                self._state = _CHUNK_END
            if self._state == _CHUNK_END:
                if len(data) - at < 2:
                    break
                if data[at : at + 2] != b"\r\n":
                    raise ProtocolError("a chunk is longer than its size says")
                at += 2
                self._state = _CHUNK_SIZE
            line_end = data.find(b"\r\n", at)
            if (line_end if line_end >= 0 else len(data)) - at > _LONGEST_CHUNK_LINE:
                raise ProtocolError("a chunk's size never ends")
            if line_end < 0:
                break
            line = data[at:line_end]
            at = line_end + 2
            if self._state == _CHUNK_SIZE:
                self._missing = _chunk_size(line)
                self._state = _CHUNK if self._missing else _TRAILERS
            elif not line:  # the trailers' end
                self._finish_pieces()
                self.excess = at < len(data)
                return True
        self._buffer = data[at:]
        return False


def _check_start(data: bytes) -> None:
    """Return whether what came so far may be the start of a response."""
    if not data.startswith(_VERSION) and not _VERSION.startswith(data[: len(_VERSION)]):
        if data[:1] == _ALERT:
            raise ProtocolError(_TLS_SPOKEN)
        if data[:1] == b"\0" and len(data) < _FRAME and _SETTINGS.startswith(data[3:]):
            return  # more of it tells
        http_2 = data[3:_FRAME] == _SETTINGS
        raise ProtocolError(_HTTP_2_SPOKEN if http_2 else "no HTTP/1 status line")


def _chunk_size(line: bytes) -> int:
    digits = line.partition(b";")[0].strip(b" \t")  # extensions are ignored (§7.1.1)
    if not digits or not _HEX.issuperset(digits) or len(digits) > 15:
        raise ProtocolError("a chunk's size is not a hexadecimal number")
    return int(digits, 16)
