"""A HAR file that grows while traffic is recorded, and is whole after every entry.

Layout: a head line, one line per entry, a closing line. Appending overwrites the closing line with
the entry and a new closing line in one write, so a recorder that is killed loses at most the
exchange it was writing (and not even that, unless it is killed inside the write: see `har_reader`).
The data are then with the operating system; only a crash of the whole machine can lose them.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Self

from pytest_loadtool import __version__
from pytest_loadtool.casefile.files import file_errors
from pytest_loadtool.casefile.har import HEAD, entry_from
from pytest_loadtool.model.exchange import Exchange

__all__ = ["HarWriter"]

_TAIL = b"\n]}}\n"


class HarWriter:
    """Writes a new HAR file entry by entry. Usable in a ``with`` statement."""

    def __init__(self, path: Path) -> None:
        """Create the file, as yet without entries.

        Raises:
            FileError: it cannot be created, or exists: recorded traffic is never overwritten.
        """
        self.path = path
        self._count = 0
        head = f',"version":"{__version__}"}},"pages":[],"entries":['
        with file_errors(path, "create"):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            # Traffic holds what was typed and every token: for its owner alone.
            self._descriptor = os.open(path, flags, 0o600)
        self._end = 0  # where the closing line begins
        self._put(HEAD + head.encode())

    def append(self, exchange: Exchange) -> int:
        """Add an exchange; its index among the entries. The file is whole again when this returns.

        Raises:
            FileError: it cannot be written; the file is then as it was before.
        """
        entry = entry_from(exchange)
        try:
            line = json.dumps(entry, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # lone surrogates: JSON can escape them, UTF-8 cannot hold them
            line = json.dumps(entry).encode()
        self._put((b",\n" if self._count else b"\n") + line)
        self._count += 1
        return self._count - 1

    def close(self) -> None:
        """Close the file. Closing again does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _put(self, content: bytes) -> None:
        """Overwrite the closing line with ``content`` and a new closing line."""
        with file_errors(self.path, "write"):
            try:
                _write_all(self._descriptor, content + _TAIL, self._end)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._descriptor, self._end)
                    _write_all(self._descriptor, _TAIL, self._end)
                raise
        self._end += len(content)


def _write_all(descriptor: int, content: bytes, at: int) -> None:
    """One write; more only if the system took less, as it does when a disk is full."""
    while content:
        written = os.pwrite(descriptor, content, at)
        content, at = content[written:], at + written
