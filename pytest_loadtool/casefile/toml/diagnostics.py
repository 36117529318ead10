"""What is wrong with a file, collected, so that one reading names every error."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool.casefile.files import read_text
from pytest_loadtool.casefile.toml.positions import KeyPath, Layout, dotted, scan
from pytest_loadtool.errors import FileError

#: How many errors of one file are shown.
MOST = 20


class Problems:
    """The errors of one file so far."""

    def __init__(self, path: str, layout: Layout) -> None:
        self.path = path
        self.layout = layout
        self._found: list[FileError] = []
        self._elsewhere: list[FileError] = []

    def add(self, at: KeyPath, message: str) -> None:
        """Note that what stands ``at`` a key is wrong."""
        self._found.append(FileError(self.path, self.layout.line(at), dotted(at), message))

    def include(self, error: FileError) -> None:
        """Note an error of another file that this one needs."""
        self._elsewhere.append(error)

    def raise_any(self) -> None:
        """Raise one error for all of them, in the order of the file, or nothing.

        Raises:
            FileError: the first, with the others as further lines of its message.
        """
        found = sorted(self._found, key=lambda error: error.line) + self._elsewhere
        if not found:
            return
        first, *others = found
        lines = [first.message, *(str(error) for error in others[: MOST - 1])]
        if len(others) >= MOST:
            lines.append(f"{self.path}: and {len(others) - MOST + 1} more")
        raise FileError(first.path, first.line, first.key, "\n".join(lines))


def key_error(path: Path, key: KeyPath, message: str) -> FileError:
    """Return an error about a key of a file that could be read, and turned out wrong only later."""
    line = scan(read_text(path)).line(key)
    name = ".".join(part for part in key if isinstance(part, str))
    return FileError(str(path), line, name, message)
