"""Large HAR files of ours, read one line at a time: bodies stay where they are.

The writer puts each entry on a line of its own, and in it the text of a body behind what else there
is to say about it. So the rest of an entry can be understood without its bodies.

It also has a body that stays in its HAR file until it is asked for.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_loadtool.casefile.har.entries import converted
from pytest_loadtool.casefile.har.exchange import exchange_from
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.exchange import Exchange

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
        """Yield the body. Text comes in one piece: the writer keeps large bodies as base64.

        Raises:
            OSError: the file is not as it was when it was opened.
        """
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


#: How each entry of ours begins.
ENTRY = b'{"startedDateTime"'

_STRING = rb'"(?:[^"\\]|\\.)*"'
#: Where the text of each body begins, what is behind it, and up to how many bytes of it are read at
#: once. Inside of JSON strings quotes have a backslash, so these are keys.
_BODIES = {
    "request_body": (
        re.compile(rb'"postData": \{"mimeType": ' + _STRING + rb', "params": \[\], "text": "'),
        b'"}}, "response": {',
        READABLE,
    ),
    "response_body": (
        re.compile(rb'"content": \{"size": \d+, "mimeType": ' + _STRING + rb', "text": "'),
        b'"}, "redirectURL": "',
        4 * 1024,
    ),
}
_TEXT = re.compile(rb'(?:[^"\\]++|\\.)*+')


def exchanges_of_lines(path: Path) -> Iterator[Exchange]:
    """Return the exchanges of a file of ours in its order, up to where its last write was torn.

    Raises:
        OSError, FileError: as `entries_of_lines`.
    """
    return (exchange for exchange, _ in entries_of_lines(path))


def entries_of_lines(path: Path) -> Iterator[tuple[Exchange, dict[str, Any]]]:
    """Yield what `exchanges_of_lines` does, each with its entry, which lacks the text of large
    bodies.

    Raises:
        OSError: it cannot be read.
        FileError: an entry that is not the last is wrong.
    """
    source = BodySource(path)
    with path.open("rb") as file:
        position = len(file.readline())
        lines = enumerate(file)
        for index, line in lines:
            if not line.startswith(ENTRY):
                break
            try:
                yield _exchange(line, index, source, position)
            except ValueError:
                if any(one.startswith(ENTRY) for _, one in lines):
                    message = "this entry is not valid JSON"
                    raise FileError(str(path), index + 2, "", message) from None
                break
            position += len(line)


def _exchange(
    line: bytes, index: int, source: BodySource, position: int
) -> tuple[Exchange, dict[str, Any]]:
    entry = line.rstrip(b",\n")
    places: dict[str, tuple[int, int]] = {}
    text, at = b"", 0
    for name, (pattern, behind, small) in _BODIES.items():
        begin = pattern.search(entry, at)
        end = _end_of_text(entry, begin.end(), behind) if begin else 0
        if begin and end - begin.end() > small:
            places[name] = position + begin.end(), end - begin.end()
            text += entry[at : begin.end()]
            at = end
    found = json.loads(text + entry[at:])
    stored = {
        name: StoredBody(source, *place, *_coding_and_size(name, found))
        for name, place in places.items()
    }
    return converted(exchange_from, found, index).changed(**stored), found


def _coding_and_size(name: str, entry: Any) -> tuple[bool, int]:
    """Return whether a body is base64, which the entry then says no longer, and how many bytes it
    has."""
    if name == "request_body":
        request = entry["request"]
        return request["postData"].pop("_encoding", "") == "base64", request["bodySize"]
    content = entry["response"]["content"]
    return content.pop("encoding", "") == "base64", content["size"]


def _end_of_text(entry: bytes, start: int, behind: bytes) -> int:
    """Return where the text of a body ends; in base64 that is the first quote, else what is
    ``behind`` it tells."""
    end = entry.find(b'"', start)
    if entry.find(b"\\", start, end) < 0:
        return end
    end = entry.find(behind, start)
    if end >= 0:
        return end
    match = _TEXT.match(entry, start)
    return match.end() if match else start
