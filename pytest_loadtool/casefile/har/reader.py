"""HAR files to exchanges: our own, even if the recorder was killed while it wrote, and others'."""

from __future__ import annotations

import json
import mmap
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_loadtool.casefile.files import file_errors, read_bytes
from pytest_loadtool.casefile.har.entries import all_told, converted
from pytest_loadtool.casefile.har.exchange import CREATOR, HEAD, TROUBLES, exchange_from
from pytest_loadtool.casefile.har.foreign import foreign_exchange, mitmproxy_exchange
from pytest_loadtool.casefile.har.lines import ENTRY, exchanges_of_lines
from pytest_loadtool.casefile.har.table import HarTable
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.model.exchange import Exchange

#: How far from its end, in bytes, the last line of a file is sought.
_LAST_BYTES = 64 * 1024

#: Bytes of a file up to which it is read at once.
_IN_MEMORY = 32 * 1024 * 1024
#: How far the first line is read, in bytes.
_FIRST_LINE = 4096
#: The key of the decisions, which stands behind all entries; in a string its quotes have escapes.
_DECISIONS = b'"_asm":'
#: What reading them raises where they are not as they were written.
_WRONG = (ValueError, TypeError, RecursionError)


def read_har(path: Path) -> tuple[Exchange, ...]:
    """Return the exchanges of a HAR file in its order.

    A file of ours whose last write was torn is read up to that. In a large one response bodies are
    left where they are until they are asked for. What cannot be read of an entry is left out of its
    exchange, which names it (`Exchange.lost`): there are as many exchanges as entries.

    Raises:
        FileError: it cannot be read, is no HAR, or nothing of any entry can be kept.
    """
    if _is_large(path):
        with file_errors(path, "read"):
            return all_told(exchanges_of_lines(path), str(path))
    return parse_har(read_bytes(path), str(path))


def _is_large(path: Path) -> bool:
    """Return whether it is a file of ours that is better not held in memory."""
    with suppress(OSError), path.open("rb") as file:  # whoever reads it will say what is wrong
        return path.stat().st_size > _IN_MEMORY and file.read(len(HEAD)) == HEAD
    return False


def read_troubles(path: Path) -> tuple[str, ...]:
    """Return what makes a recording of ours as a whole doubtful: it stands in the file's last line.

    Raises:
        FileError: the file cannot be read.
    """
    with file_errors(path, "read"), path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _LAST_BYTES))
        end = file.read()
    _, mark, troubles = end.rpartition(TROUBLES)
    try:
        found = json.loads(troubles.strip().removesuffix(b"}}")) if mark else []
    except ValueError:
        found = []
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def read_decisions(path: Path) -> tuple[Decision, ...]:
    """Return the decisions that `write_decisions` left in a HAR file; none if one is not as it
    wrote it.

    Raises:
        FileError: the file cannot be read.
    """
    with file_errors(path, "read"), path.open("rb") as file, suppress(*_WRONG):
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            begin = content.rfind(_DECISIONS)
            text = content[begin + len(_DECISIONS) :] if begin >= 0 else b"[]"
        found, _ = json.JSONDecoder().raw_decode(text.decode().lstrip())
        return tuple(map(_decision, found))
    return ()


def _decision(found: Any) -> Decision:
    table = HarTable.of(found)
    value, variable, producer, rule, reason = (
        table.needed(name, str) for name in ("value", "variable", "producer", "rule", "reason")
    )
    consumers = tuple(map(str, table.needed("consumers", list)))
    confidence = float(table.needed("confidence", (int, float)))
    secret = table.members.get("secret") is True
    return Decision(value, variable, producer, consumers, rule, reason, confidence, secret)


def har_comment(path: Path) -> str:
    """Return what a file of ours says about itself; empty if it says nothing or cannot be read."""
    try:
        with path.open("rb") as file:
            head = file.readline(_FIRST_LINE)
        found = json.loads(head + b"]}}")["log"].get("comment", "")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""
    return found if isinstance(found, str) else ""


def parse_har(content: bytes, path: str) -> tuple[Exchange, ...]:
    """Return the exchanges that a HAR file's content describes. ``path`` is what errors call it.

    Raises:
        FileError: as `read_har`.
    """
    try:
        data = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        if content.startswith(HEAD):
            return _torn(content, path)
        raise _not_json(content, path, error) from None
    log = data.get("log") if isinstance(data, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        raise FileError(path, 0, "", "not a HAR file: expected an object with log.entries")
    creator = log.get("creator") if isinstance(log, dict) else None
    name = creator.get("name") if isinstance(creator, dict) else None
    convert = _CONVERTERS.get(str(name), foreign_exchange)
    return all_told((converted(convert, entry, index) for index, entry in enumerate(entries)), path)


_CONVERTERS: Mapping[str, Callable[[Any], Exchange]] = {
    CREATOR: exchange_from,
    "mitmproxy": mitmproxy_exchange,
}


def _torn(content: bytes, path: str) -> tuple[Exchange, ...]:
    """Return the entries before the break: the writer puts each on a line of its own, below the
    head."""
    decoder = json.JSONDecoder()
    exchanges: list[Exchange] = []
    lines = content.split(b"\n")[1:]
    for index, line in enumerate(lines):
        try:
            # Behind a whole entry may stand what is left of the old end of the file, which must
            # not be taken for the end of an entry either, as in "{" before what is left of "]}}".
            entry, _ = decoder.raw_decode(line.decode() if line.startswith(ENTRY) else "")
        except (ValueError, RecursionError):
            if any(one.startswith(ENTRY) for one in lines[index + 1 :]):
                raise FileError(path, index + 2, "", "this entry is not valid JSON") from None
            break
        exchanges.append(converted(exchange_from, entry, index))
    return all_told(exchanges, path)


def _not_json(content: bytes, path: str, error: Exception) -> FileError:
    if isinstance(error, json.JSONDecodeError):
        message = f"not valid JSON: {error.msg}, column {error.colno}"
        if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated"):
            message += " (the file ends early: export it again)"
        return FileError(path, error.lineno, "", message)
    if isinstance(error, UnicodeDecodeError):
        line = content.count(b"\n", 0, error.start) + 1
        return FileError(path, line, "", "not a HAR file: expected UTF-8 text")
    what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return FileError(path, 0, "", f"not valid JSON: {what}")
