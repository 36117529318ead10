"""Bodies while they stream to the other side: kept on disk once they are large."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_loadtool.codec import content
from pytest_loadtool.codec.content import ContentError, TooLargeError
from pytest_loadtool.model.exchange import Body

#: How many bytes of one body are kept. The other side always gets all of them.
BODY_LIMIT = 64 * 1024 * 1024

#: How many bytes of one body are kept in memory.
_IN_MEMORY = 256 * 1024


class Spool:
    """Bytes that move from memory to a file without a name when they become many.

    The file goes when nobody refers to this any more.
    """

    def __init__(self, directory: Path | None = None, in_memory: int = _IN_MEMORY) -> None:
        self._directory = directory
        self._in_memory = in_memory
        self._chunks: list[bytes] = []
        self._descriptor = -1
        self._size = 0

    @property
    def size(self) -> int:
        """Return how many bytes there are."""
        return self._size

    def write(self, data: bytes) -> None:
        """Add ``data``.

        Raises:
            OSError: there is no room for all of it; what there is stays.
        """
        self._size += len(data)
        self._chunks.append(data)
        if self._size > self._in_memory:
            if self._descriptor < 0:
                self._descriptor, name = tempfile.mkstemp(prefix="body-", dir=self._directory)
                Path(name).unlink()
            try:
                for chunk in self._chunks:
                    _write_all(self._descriptor, chunk)
            except OSError:
                self._size = os.fstat(self._descriptor).st_size
                raise
            finally:
                self._chunks.clear()

    def chunks(self) -> Iterator[bytes]:
        """Yield all of it, from the beginning."""
        position = 0
        if self._descriptor >= 0:
            while data := os.pread(self._descriptor, _IN_MEMORY, position):
                yield data
                position += len(data)
        yield from self._chunks

    def held(self) -> bytes | Body:
        """Return the bytes, if they are in memory, else this."""
        return b"".join(self._chunks) if self._descriptor < 0 else self

    def __del__(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)


class Collector:
    """Passes a body on and keeps what fits. ``what`` is it the body of?"""

    __slots__ = ("_limit", "_problem", "_spool", "_what", "size")

    def __init__(
        self, directory: Path | None = None, limit: int = BODY_LIMIT, what: str = "response"
    ) -> None:
        self._spool = Spool(directory)
        self._limit = limit
        self._what = what
        self._problem = ""
        self.size = 0
        """How many bytes came by."""

    def __call__(self, data: bytes) -> bytes:
        """Take a chunk (``b""`` is the end) and return what is to be passed on: the same."""
        self.size += len(data)
        room = self._limit - self._spool.size
        if room and not self._problem:
            try:
                self._spool.write(data[:room])
            except OSError as error:  # the other side gets it all the same
                self._problem = _reason(error)
        return data

    @property
    def body(self) -> bytes | Body:
        """Return what was kept: the whole body, or its beginning."""
        return self._spool.held()

    @property
    def loss(self) -> str:
        """Return what is missing, as a sentence for the user; empty when nothing is."""
        kept = self._spool.size
        if self.size <= kept:
            return ""
        return (
            f"only the first {kept} of {self.size} bytes of the {self._what} body were kept"
            f"{self._problem}"
        )


def decoded(
    body: bytes | Body, codings: str, directory: Path | None = None, limit: int = BODY_LIMIT
) -> tuple[bytes | Body, str]:
    """Return ``body`` without its content codings (RFC 9110 §8.4), as a Content-Encoding value
    lists them; and what is missing of it, as a sentence, because it has more than ``limit`` bytes.

    A body that is broken, or whose coding is unknown, is returned as it is.
    """
    if not codings:
        return body, ""
    chunks: Iterable[bytes] = [body] if isinstance(body, bytes) else body.chunks()
    spool = Spool(directory)
    try:
        for chunk in content.decoded(chunks, codings, limit):
            spool.write(chunk)
    except (TooLargeError, OSError) as error:
        reason = _reason(error) if isinstance(error, OSError) else ""
        lost = f"only {spool.size} bytes of the decoded response body were kept{reason}"
        return spool.held(), lost
    except ContentError:
        return body, ""
    return spool.held(), ""


def _reason(error: OSError) -> str:
    return f": {(error.strerror or str(error)).lower()}"


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
