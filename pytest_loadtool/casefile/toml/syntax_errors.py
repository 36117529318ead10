"""What ``tomllib`` says of a text that is not TOML, as an error with its line."""

from __future__ import annotations

import re

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
