"""A body that stays in its HAR file until it is asked for."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: Bodies up to this size, in bytes, are text that people can read, wherever they are kept; of
#: requests they stay in memory.
READABLE = 256 * 1024

#: Bytes that are read at once; base64 has four characters for three bytes.
_PIECE = 4 * 64 * 1024


class BodySource:
    """A file that is open for reading as long as a body of it may be asked for, even if it gets
    another name or is deleted meanwhile."""

    def __init__(self, path: Path) -> None:
        self.descriptor = -1
        self.descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)


@dataclass(frozen=True, slots=True)
class StoredBody:
    """``size`` bytes, which stand in ``source`` as a JSON string of ``length`` bytes from ``start``
    on, quotes aside."""

    source: BodySource
    start: int
    length: int
    base64: bool
    size: int

    def chunks(self) -> Iterator[bytes]:
        """Yield the body. Text comes in one piece: the writer keeps large bodies as base64."""
        if not self.base64:
            yield json.loads(b'"%b"' % self._read(0, self.length)).encode()
            return
        for position in range(0, self.length, _PIECE):
            piece = self._read(position, min(_PIECE, self.length - position))
            try:
                yield base64.b64decode(piece)
            except ValueError:
                raise OSError(
                    "the traffic file has no base64 where it had: was it changed?"
                ) from None

    def _read(self, position: int, length: int) -> bytes:
        read = os.pread(self.source.descriptor, length, self.start + position)
        if len(read) < length:
            raise OSError("the traffic file is shorter than it was: was it changed?")
        return read
