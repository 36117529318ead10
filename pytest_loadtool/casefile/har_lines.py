"""Large HAR files of ours, read one line at a time: response bodies stay where they are.

The writer puts each entry on a line of its own, and in it the text of the response's content behind
its size and type. So the rest of an entry can be understood without its body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.casefile.har import EntryError, exchange_from
from pytest_loadtool.casefile.har_body import Source, StoredBody
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.exchange import Exchange

__all__ = ["ENTRY", "exchanges_of_lines"]

#: How each entry of ours begins.
ENTRY = b'{"startedDateTime"'

#: Inside of JSON strings quotes have a backslash, so these are keys.
_BODY = re.compile(rb'"content": \{"size": \d+, "mimeType": "(?:[^"\\]|\\.)*", "text": "')
_TEXT = re.compile(rb'(?:[^"\\]++|\\.)*+')

#: Bodies up to this size, in bytes, are read at once.
_SMALL = 4 * 1024


def exchanges_of_lines(path: Path) -> Iterator[Exchange]:
    """The exchanges of a file of ours in its order, up to where its last write was torn.

    Raises:
        OSError: it cannot be read.
        FileError: an entry that is not the last is wrong.
    """
    source = Source(path)
    with path.open("rb") as file:
        position = len(file.readline())
        lines = enumerate(file)
        for index, line in lines:
            if not line.startswith(ENTRY):
                break
            try:
                yield _exchange(line, source, position)
            except EntryError as error:
                key = f"log.entries[{index}]" + (f".{error.key}" if error.key else "")
                raise FileError(str(path), 0, key, str(error)) from None
            except ValueError:
                if any(one.startswith(ENTRY) for _, one in lines):
                    message = "this entry is not valid JSON"
                    raise FileError(str(path), index + 2, "", message) from None
                break
            position += len(line)


def _exchange(line: bytes, source: Source, position: int) -> Exchange:
    entry = line.rstrip(b",\n")
    begin = _BODY.search(entry)
    start = begin.end() if begin else 0
    end = _end_of_text(entry, start) if begin else 0
    if end - start <= _SMALL:
        return exchange_from(json.loads(entry))
    rest = json.loads(entry[:start] + entry[end:])
    content = rest["response"]["content"]
    is_base64 = content.pop("encoding", "") == "base64"
    body = StoredBody(source, position + start, end - start, is_base64, content["size"])
    return replace(exchange_from(rest), response_body=body)


def _end_of_text(entry: bytes, start: int) -> int:
    """Where a JSON string ends; in base64 that is the first quote."""
    end = entry.find(b'"', start)
    if entry.find(b"\\", start, end) < 0:
        return end
    match = _TEXT.match(entry, start)
    return match.end() if match else start
