"""What is wrong with a file, collected, so that one reading names every error.

It also has what ``tomllib`` says of a text that is not TOML, as an error with its line.
"""

from __future__ import annotations

import re
from pathlib import Path

from pytest_loadtool.casefile.files import read_text
from pytest_loadtool.casefile.toml.positions import KeyPath, Layout, dotted, scan
from pytest_loadtool.errors import FileError

_PLACE = re.compile(r" \((?:at line (\d+), column (\d+)|at end of document)\)$")

#: Beginnings of messages, and what helps.
_HINTS = {
    "Unescaped '\\' in a string": "in '…' instead of \"…\" it is just a character",
    "Illegal character '\\n'": "close the quote on the same line, or use three quotes",
    "Found invalid character '\\n'": "close the quote on the same line, or use three quotes",
    "Expected \"'": "a quote is not closed",
    "Cannot overwrite a value": "a key may stand only once",
    "Cannot declare": "a table may stand only once; an array of tables has two brackets",
    "Invalid value": "text needs quotes",
    "Invalid statement": "expected key = value or [table]",
    "Unclosed array": "a ] or , is missing",
    "Unclosed inline table": "a } or , is missing, or a line break is where TOML allows none",
}


def syntax_error(source: str, path: str, error: Exception) -> FileError:
    """Return the `FileError` for what ``tomllib.loads(source)`` raised."""
    if isinstance(error, RecursionError):
        return FileError(path, 0, "", "not valid TOML: nested too deeply")
    message = str(error)
    place = _PLACE.search(message)
    if place is None:
        return FileError(path, 0, "", f"not valid TOML: {message}")
    what = message[: place.start()]
    hint = next((text for start, text in _HINTS.items() if what.startswith(start)), "")
    where = f", column {place[2]}" if place[2] else ", at the end of the file"
    line = int(place[1]) if place[1] else source.rstrip("\n").count("\n") + 1
    return FileError(path, line, "", f"not valid TOML: {what}{where}{hint and f' ({hint})'}")


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
