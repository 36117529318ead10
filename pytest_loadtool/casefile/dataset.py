"""Datasets as CSV (RFC 4180): a header row that names the columns, then one row per set of values.

UTF-8, with or without a byte order mark, comma between and double quotes around values; values may
hold commas, quotes and line breaks. Lines that hold nothing at all do not count; a row of commas
alone, as spreadsheets leave them behind, is refused: a value that is meant to be empty there is
written ``""``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_loadtool.casefile.files import read_text, replace_file
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.dataset import Dataset, shown_columns


def read_dataset(path: Path) -> Dataset:
    """Return the dataset in a CSV file.

    Raises:
        FileError: it cannot be read, is not UTF-8 or not CSV, has no header row, or a row is not as
            wide as the header, or has no value.
    """
    return parse_dataset(read_text(path), str(path))


def parse_dataset(source: str, path: str) -> Dataset:
    """Return the dataset that a CSV text says. ``path`` is what errors call it.

    Raises:
        FileError: as `read_dataset`.
    """
    rows = _rows(source, path)
    line, columns = next(rows, (0, ()))
    if not columns:
        raise FileError(path, 0, "", "the dataset is empty: its first row must name the columns")
    _check_columns(columns, path, line)
    found = []
    for line, row in rows:
        if len(row) != len(columns):
            raise FileError(path, line, "", _wrong_width(columns, row))
        found.append(row)
    return Dataset(columns, tuple(found))


def format_dataset(dataset: Dataset) -> str:
    """Return the CSV text that `parse_dataset` reads back as ``dataset``; lines end with a line
    feed."""
    buffer = io.StringIO(newline="")
    # The writer quotes what its own line end is made of, so it must think of both characters.
    writer = csv.writer(buffer, lineterminator="\r\n")
    quoting = csv.writer(buffer, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    lines = []
    for row in (dataset.columns, *dataset.rows):
        (quoting if _is_empty(row) else writer).writerow(row)
        lines.append(buffer.getvalue().removesuffix("\r\n") + "\n")
        buffer.seek(0)
        buffer.truncate()
    return "".join(lines)


def save_dataset(path: Path, dataset: Dataset) -> None:
    """Write a dataset to a CSV file, replacing it at once.

    Raises:
        FileError: it cannot be written.
    """
    replace_file(path, format_dataset(dataset).encode())


def _rows(source: str, path: str) -> Iterator[tuple[int, tuple[str, ...]]]:
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
