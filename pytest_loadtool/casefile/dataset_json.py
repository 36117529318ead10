"""Datasets as JSON (RFC 8259) and JSON Lines: rows are objects, whose keys are the columns, or
arrays, of which the first names the columns.

Placeholders stand for text. A text is itself; anything else is its JSON text: numbers as they are
written, ``true``, ``false``, ``null``, objects and arrays without blanks. So a JSON body that has
such a placeholder outside of quotes gets the value back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.dataset import Dataset, shown_columns

#: A row with the line that it begins on, as text; the first one names the columns.
Rows = Iterator[tuple[int, tuple[str, ...]]]

_BLANK = re.compile(r"[ \t\r\n]*")
_LAYOUTS = (
    'expected an array of rows: [{"username": "anna"}, …], or [["username"], ["anna"], …]; '
    "rows without brackets around and commas between them are JSON Lines, in a file *.jsonl"
)


class _Number(str):
    """A number as it is written: 1.0 is not 1 to who is sent it."""

    __slots__ = ()


def json_rows(source: str, path: str) -> Rows:
    """Yield the rows of an array.

    Raises:
        FileError: it is no JSON, or not made of rows that have the same columns.
    """
    return _as_text(_elements(source, path), path)


def json_lines(source: str, path: str) -> Rows:
    """Yield the rows of lines; empty ones do not count.

    Raises:
        FileError: as `json_rows`.
    """
    return _as_text(_lines(source, path), path)


def format_json(dataset: Dataset, before: str, path: str, *, lines: bool) -> str:
    """Return the text that reads back as ``dataset``, with one row on each line.

    It is laid out as ``before``, what the file has held, and keeps its types: a value is no string
    if it was none there, or if its column has none there and it is JSON.
    """
    known = [row for _, row in (_lines if lines else _elements)(before, path)] if before else []
    kinds = dict(_kinds(known))
    names = [json.dumps(one, ensure_ascii=False) for one in dataset.columns]
    kinds_here = [kinds.get(one, _NEW) for one in dataset.columns]
    written = [
        [kind.written(value) for kind, value in zip(kinds_here, row, strict=True)]
        for row in dataset.rows
    ]
    if not written or (known and isinstance(known[0], list)):  # no object names the columns
        rows = [f"[{', '.join(row)}]" for row in (names, *written)]
    else:
        pairs = (map("{}: {}".format, names, row) for row in written)
        rows = [f"{{{', '.join(row)}}}" for row in pairs]
    if lines:
        return "".join(f"{row}\n" for row in rows)
    return "[\n" + ",\n".join(rows) + "\n]\n"


class _Kind:
    """The kind of value in a column, as the file has it."""

    def __init__(self, values: Sequence[Any]) -> None:
        strings = {one for one in values if _is_string(one)}
        self._others = {_text(one) for one in values if not _is_string(one)} - strings
        self._only_others = bool(values) and not strings

    def written(self, text: str) -> str:
        """Return the JSON of a value."""
        if text in self._others or (self._only_others and _is_json(text)):
            return text
        return json.dumps(text, ensure_ascii=False)


_NEW = _Kind(())


def _kinds(rows: Sequence[Any]) -> Iterator[tuple[str, _Kind]]:
    if rows and isinstance(rows[0], list):
        columns, rows = rows[0], [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    else:
        columns = list(rows[0]) if rows else []
    for column in columns:
        yield column, _Kind([row[column] for row in rows])


def _is_string(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, _Number)


def _is_json(text: str) -> bool:
    """Return whether a text is JSON, other than a string, in the form that is read back as it."""
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return False
    return not _is_string(value) and _text(value) == text


def _text(value: Any) -> str:
    """Return a value as placeholders stand for it."""
    if isinstance(value, str):
        return str(value)
    return _json(value)


def _json(value: Any) -> str:
    """Return JSON without blanks, numbers as they are written."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, list):
        return f"[{','.join(map(_json, value))}]"
    if isinstance(value, dict):
        pairs = (f"{_json(key)}:{_json(one)}" for key, one in value.items())
        return f"{{{','.join(pairs)}}}"
    return json.dumps(value, ensure_ascii=False)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(one for one in names if names.count(one) > 1)
        raise ValueError(f"{twice!r} stands twice in one object")
    return found


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON: write it in quotes, or null")


_DECODER = json.JSONDecoder(
    parse_float=_Number, parse_int=_Number, parse_constant=_constant, object_pairs_hook=_pairs
)


def _value(source: str, at: int, path: str, line: int) -> tuple[Any, int]:
    """Return the value that begins at ``at``, on ``line``, and where it ends."""
    try:
        return _DECODER.raw_decode(source, at)
    except json.JSONDecodeError as error:
        number = line + source.count("\n", at, error.pos)
        raise FileError(path, number, "", f"not valid JSON: {error.msg.lower()}") from None
    except RecursionError:
        raise FileError(path, line, "", "not a row: it is nested too deeply") from None
    except ValueError as error:
        raise FileError(path, line, "", f"not valid JSON: {error}") from None


def _elements(source: str, path: str) -> Iterator[tuple[int, Any]]:
    """Yield the elements of an array, each with its line."""
    line = 1
    at = 0

    def after_blanks(start: int) -> tuple[int, int]:
        match = _BLANK.match(source, start)
        end = match.end() if match else start
        return end, source.count("\n", start, end)

    def wrong(message: str) -> FileError:
        return FileError(path, line, "", message)

    at, passed = after_blanks(0)
    line += passed
    if not source[at : at + 1]:
        return
    if source[at] != "[":
        raise wrong(_LAYOUTS)
    separator = "["
    while separator != "]":
        at, passed = after_blanks(at + 1)
        line += passed
        if separator == "[" and source[at : at + 1] == "]":
            break
        value, end = _value(source, at, path, line)
        yield line, value
        line += source.count("\n", at, end)
        at, passed = after_blanks(end)
        line += passed
        separator = source[at : at + 1]
        if separator not in (",", "]") or not separator:
            raise wrong("not valid JSON: expected a comma, or ] at the end of all rows")
    at, passed = after_blanks(at + 1)
    line += passed
    if source[at:]:
        raise wrong("not valid JSON: expected nothing after the ] at the end of all rows")


def _lines(source: str, path: str) -> Iterator[tuple[int, Any]]:
    """Yield the values of lines, each with its number."""
    for line, text in enumerate(source.split("\n"), 1):
        text = text.strip()
        if not text:
            continue
        value, end = _value(text, 0, path, line)
        if end < len(text):
            raise FileError(path, line, "", "not valid JSON: expected one row on each line")
        yield line, value


def _as_text(rows: Iterator[tuple[int, Any]], path: str) -> Rows:
    """Yield the columns, and then the rows, which all have these."""
    columns: list[str] = []
    by_name = False
    for line, row in rows:
        if not isinstance(row, list | dict):
            raise FileError(path, line, "", f"expected an object or an array, got {_json(row):.40}")
        if not columns:
            columns, by_name = list(row), isinstance(row, dict)
            if wrong := next((one for one in columns if not _is_string(one)), None):
                problem = f"the first array names the columns, got {_json(wrong):.40}"
                raise FileError(path, line, "", problem)
            yield line, tuple(columns)
            if not by_name:
                continue
        if isinstance(row, dict) != by_name:
            kind = "an object" if by_name else "an array"
            raise FileError(path, line, "", f"expected {kind}, as the first row is one")
        if isinstance(row, dict):
            _check_keys(columns, row, path, line)
            values = [row[one] for one in columns]
        else:
            if len(row) != len(columns):
                expected = f"expected {len(columns)} values ({shown_columns(columns)})"
                raise FileError(path, line, "", f"{expected}, got {len(row)}")
            values = row
        texts = tuple(map(_text, values))
        if not _is_encodable("".join(texts)):
            raise FileError(path, line, "", r"half of a character: \ud800 to \udfff come in pairs")
        yield line, texts


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_keys(columns: Sequence[str], row: Mapping[str, Any], path: str, line: int) -> None:
    for name in row:
        if name not in columns:
            near = did_you_mean(name, columns) or f": the first row has {shown_columns(columns)}"
            raise FileError(path, line, "", f"unknown column {name!r}{near}")
    for name in columns:
        if name not in row:
            raise FileError(path, line, "", f'no {name!r}: write "" or null, if it has none')
