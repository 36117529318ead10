"""Datasets: CSV (RFC 4180), whose first row names the columns, and JSON, by the end of the file's
name.

UTF-8, with or without a byte order mark. In CSV, commas stand between and double quotes around
values; values may hold commas, quotes and line breaks. Lines that hold nothing at all do not count;
a row of commas alone, as spreadsheets leave them behind, is refused: a value that is meant to be
empty there is written ``""``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from types import MappingProxyType

from pytest_loadtool.casefile.dataset_json import Rows, format_json, json_lines, json_rows
from pytest_loadtool.casefile.files import read_text, replace_file
from pytest_loadtool.casefile.trust import Trust, named_path
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.dataset import Dataset, DatasetUse, shown_columns

#: The ends of their files' names.
DATASET_SUFFIXES = (".csv", ".json", ".jsonl", ".ndjson")
#: By the end of a file's name, how its rows are read if it is not CSV.
_JSON: Mapping[str, Callable[[str, str], Rows]] = MappingProxyType(
    {".json": json_rows, ".jsonl": json_lines, ".ndjson": json_lines}
)


def is_json(path: PurePath) -> bool:
    """Return whether a dataset of that name is JSON."""
    return path.suffix.lower() in _JSON


def read_dataset(path: Path) -> Dataset:
    """Return the dataset in a file.

    Raises:
        FileError: it cannot be read, is not UTF-8 or not CSV (JSON, if its name says so), names no
            columns, or a row has others, or, in CSV, no value.
    """
    return parse_dataset(read_text(path), str(path))


def known_columns(
    case_path: Path, uses: Iterable[DatasetUse], trust: Trust
) -> dict[str, tuple[str, ...]]:
    """Return the columns of the datasets of a test case, by their names; none of one that cannot be
    read."""
    found: dict[str, tuple[str, ...]] = {}
    for one in uses:
        with suppress(FileError):
            found[one.name] = read_dataset(named_path(case_path, one.file, trust)).columns
    return found


def parse_dataset(source: str, path: str) -> Dataset:
    """Return the dataset that a text says. ``path`` is what errors call it; its end says what it
    is.

    Raises:
        FileError: as `read_dataset`.
    """
    rows = _JSON.get(PurePath(path).suffix.lower(), _rows)(source, path)
    line, columns = next(rows, (0, ()))
    if not columns:
        raise FileError(path, line, "", "the dataset is empty: its first row must name the columns")
    _check_columns(columns, path, line)
    found = []
    for line, row in rows:
        if len(row) != len(columns):
            raise FileError(path, line, "", _wrong_width(columns, row))
        found.append(row)
    return Dataset(columns, tuple(found))


def format_dataset(dataset: Dataset, path: str = "", before: str = "") -> str:
    """Return the text that `parse_dataset` reads back as ``dataset``; lines end with a line feed.

    The end of ``path`` says what it is; ``before`` is what such a file has held, whose layout and
    types are kept if it is JSON.
    """
    if is_json(PurePath(path)):
        lines = _JSON[PurePath(path).suffix.lower()] is json_lines
        return format_json(dataset, before, path, lines=lines)
    buffer = io.StringIO(newline="")
    # The writer quotes what its own line end is made of, so it must think of both characters.
    writer = csv.writer(buffer, lineterminator="\r\n")
    quoting = csv.writer(buffer, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    rows = []
    for row in (dataset.columns, *dataset.rows):
        (quoting if _is_empty(row) else writer).writerow(row)
        rows.append(buffer.getvalue().removesuffix("\r\n") + "\n")
        buffer.seek(0)
        buffer.truncate()
    return "".join(rows)


def save_dataset(path: Path, dataset: Dataset) -> None:
    """Write a dataset to a file, replacing it at once; layout and types of JSON are kept.

    Raises:
        FileError: it cannot be written.
    """
    before = ""
    if is_json(path):
        with suppress(FileError):  # there is none yet, or what is there is none
            there = read_text(path)
            parse_dataset(there, str(path))
            before = there
    replace_file(path, format_dataset(dataset, str(path), before).encode())


def _rows(source: str, path: str) -> Rows:
    """Yield the rows that hold something, each with the line it begins on."""
    lines = io.StringIO(source, newline="").readlines()
    reader = csv.reader(lines, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            what = str(error)
            hint = " (a quote is not closed)" if what == "unexpected end of data" else ""
            raise FileError(path, line, "", f"not valid CSV: {what}{hint}") from None
        if row is None:
            return
        if row and _is_empty(row) and '"' not in lines[line - 1]:
            remedy = 'delete the line, or write "" for a value that is meant to be empty'
            raise FileError(path, line, "", f"the row has no value: {remedy}")
        if row:
            yield line, tuple(row)


def _is_empty(row: Sequence[str]) -> bool:
    return not any(map(str.strip, row))


def _wrong_width(columns: tuple[str, ...], row: tuple[str, ...]) -> str:
    remedy = (
        "a value that holds a comma needs double quotes"
        if len(row) > len(columns)
        else "write a comma for each value, even if it is empty"
    )
    return f"expected {len(columns)} values ({shown_columns(columns)}), got {len(row)}: {remedy}"


def _check_columns(columns: tuple[str, ...], path: str, line: int) -> None:
    for number, column in enumerate(columns, 1):
        if not column.strip():
            raise FileError(path, line, "", f"column {number} has no name")
        if column in columns[: number - 1]:
            raise FileError(path, line, "", f"column {column!r} stands twice")
