"""Rows of JSON whose fields have no keys: arrays below the names of their columns.

Influx, Trino, Kusto, SQL over Elasticsearch and pandas' ``split`` answer ``{"columns": ["id",
"name"], "rows": [[1, "Tea"]]}``; spreadsheets have the names in the first row; DataTables in none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pytest_loadtool.extraction.json_steps import Column

#: What a text without arrays in arrays does not have.
_NESTED = re.compile(r"\[\s*\[")
#: The names of a column's own fields that say how it is called.
_CALLED = ("name", "field", "key", "columnname", "title", "label", "text", "id")
#: A row has that many columns at least and at most.
_FEWEST, _MOST = 2, 200


def with_named_rows(document: Any, text: str) -> Any:
    """Return a document of JSON, each row in it an object with a key for each column; ``text`` is
    what it was read from. One that is nested too deeply for that is as it was."""
    try:
        return _named(document, ()) if _NESTED.search(text) else document
    except RecursionError:
        return document


def with_called(document: Any, called: Sequence[str]) -> Any:
    """Return the list that answers as many calls as an object, with what each is about as the key
    of its answer: which of them it is, is told by its place."""
    if not isinstance(document, list) or len(document) != len(called):
        return document
    seen: Counter[str] = Counter()
    found: dict[str, Any] = {}
    for at, (name, one) in enumerate(zip(called, document, strict=True)):
        found[Column(name + "." * seen[name], at)] = one
        seen[name] += 1
    return found


def _named(value: Any, headers: Sequence[Sequence[str]]) -> Any:
    if isinstance(value, dict):
        own = [names for one in value.values() if (names := _header(one))]
        return {key: _named(one, own) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    columns = _columns(value, headers)
    if not columns:
        return [_named(one, headers) for one in value]
    return [
        {name: _named(cell, ()) for name, cell in zip(columns, row, strict=True)} for row in value
    ]


def _columns(rows: Sequence[Any], headers: Iterable[Sequence[str]]) -> Sequence[Column]:
    """Return the columns of a list of rows; none of any other list."""
    width = len(rows[0]) if rows and isinstance(rows[0], list) else 0
    table = all(isinstance(one, list) and len(one) == width for one in rows)
    if not table or not _FEWEST <= width <= _MOST:
        return ()
    names = next((one for one in headers if len(one) == width), ()) or _first_row(rows)
    if not names:
        names = _guessed(rows, width)
    return [Column(name, at) for at, name in enumerate(names)]


def _header(value: Any) -> Sequence[str]:
    """Return the names of columns that a list has, as texts, or as objects that have a name."""
    if not isinstance(value, list) or not _FEWEST <= len(value) <= _MOST:
        return ()
    names = [_called(one) for one in value]
    return names if all(names) and len({*names}) == len(names) else ()


def _called(column: Any) -> str:
    if isinstance(column, dict):
        own = {str(key).lower(): one for key, one in column.items()}
        column = next((own[key] for key in _CALLED if isinstance(own.get(key), str)), "")
    return column if isinstance(column, str) else ""


def _first_row(rows: Sequence[Sequence[Any]]) -> Sequence[str]:
    """Return the names in the first row; none if it is like the others: their columns have numbers
    where it has words, too."""
    names = _header(rows[0])
    numbers = any(not isinstance(cell, str) for one in rows[1:] for cell in one)
    return names if numbers else ()


def _guessed(rows: Sequence[Sequence[Any]], width: int) -> Sequence[str]:
    """Return what the columns are that have no names: numbers that each row begins with, and has
    alone, are ids, and the first text that all have is their name."""
    names = [f"column {at + 1}" for at in range(width)]
    cells = [[one[at] for one in rows] for at in range(width)]
    texts = (at for at in range(1, width) if all(one and isinstance(one, str) for one in cells[at]))
    named = next(texts, 0)
    first = [*map(str, cells[0])]
    if named and all(map(str.isdecimal, first)) and len({*first}) == len(first):
        names[0], names[named] = "id", "name"
    return names
