"""What a proxy says to a CONNECT: read as far as it is worth it."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_loadtool.replay.user.head import Head
from pytest_loadtool.transport.wire.http1 import ProtocolError, ResponseReader

#: How much of a refusal is read for the sake of its connection (bytes).
_LONGEST_REFUSAL = 64 * 1024


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a proxy to a CONNECT; ``open`` if the connection can take another one."""

    head: Head
    reason: str
    open: bool


class NoReplyError(Exception):
    """The proxy has closed the connection without a word."""


class ReplyReader:
    """Reads replies to CONNECT: of the body of a challenge as much as the connection is worth, of
    other bodies nothing."""

    def __init__(self) -> None:
        self._reader = ResponseReader()
        self._end = b""
        self._read = 0

    def begin(self) -> None:
        """A CONNECT goes out."""
        self._reader.begin(False)
        self._read = 0

    def feed(self, data: bytes) -> Reply | None:
        """Take what has come, and return the reply, if that is all of it.

        Raises:
            ProtocolError: it is none.
        """
        self._read += len(data)
        self._end = (self._end + data)[-4:]
        complete = self._reader.feed(data)
        head = self._reader.head
        if head is None:
            return None
        if 200 <= head.status < 300 and self._end != b"\r\n\r\n":
            raise ProtocolError("something follows the proxy's consent")
        if complete or head.status != 407 or self._read > _LONGEST_REFUSAL:
            return self._reply(complete and self._reader.keep_alive and not self._reader.excess)
        return None

    def end(self) -> Reply:
        """Return the reply after the connection was closed, which may be its end.

        Raises:
            NoReplyError: nothing has come.
            ConnectionResetError: it is in the middle.
        """
        if self._reader.end():
            return self._reply(False)
        raise self.cut()

    def cut(self) -> Exception:
        """Return what it is when the connection ends before the reply does."""
        return ConnectionResetError() if self._read else NoReplyError()

    def _reply(self, usable: bool) -> Reply:
        head = self._reader.head
        assert head is not None
        line = self._reader.head_bytes.split(b"\r\n", 1)[0].decode("latin-1")
        return Reply(head, line.partition(" ")[2], usable)
