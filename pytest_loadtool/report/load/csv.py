"""The results of a session's load tests as tables of comma-separated values: the numbers of the
JSON, under the same names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: Files, and where the JSON has what they tell.
TABLES = {
    "over-time.csv": "timeline",
    "pages.csv": "pages",
    "transactions.csv": "transactions",
    "flows.csv": "flows",
    "errors.csv": "errors",
    "metrics.csv": "metrics",
}

#: What formulas begin with in one spreadsheet or another.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def load_tables(runs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files for these runs, of what `load_data` made of
    each."""
    for name, place in TABLES.items():
        rows = [
            {"run": _plain(run["name"]), **dict(_flat(row))} for run in runs for row in run[place]
        ]
        yield name, _table(rows)


def _flat(row: Mapping[str, Any], prefix: str = "", unit: str = "") -> Iterator[tuple[str, Any]]:
    """Yield columns: ``{"time_ms": {"p95": 1}}`` is ``time_p95_ms``."""
    for key, value in row.items():
        if isinstance(value, Mapping):
            name = key.removesuffix("_ms")
            yield from _flat(value, f"{prefix}{name}_", key[len(name) :])
        elif not isinstance(value, list):  # of a moment's metrics: a table has one row for each
            yield f"{prefix}{key}{unit}", _plain(value)


def _plain(value: Any) -> Any:
    """Return a value, with an apostrophe before text that a spreadsheet would take for a
    formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _table(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return all columns that any row has; empty where one has none or nothing was measured."""
    columns = list(dict.fromkeys(column for row in rows for column in row)) or ["run"]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()
