"""Tables of other programs, as text: how they are written is found out from what is in them."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from pathlib import Path
from unicodedata import combining, normalize

from pytest_loadtool.casefile.dataset import is_json, read_dataset
from pytest_loadtool.casefile.files import read_bytes
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.dataset import Dataset, is_column_name

#: What separates values, the most usual first.
DELIMITERS = (",", ";", "\t", "|")
#: Byte order marks, and the encodings that begin so.
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
#: What is no UTF-8 was most likely written by a spreadsheet on Windows. It has a text for each byte
#: but five, which cp1252 leaves open.
_FALLBACK = "cp1252"
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class ForeignTable:
    """A table as it was understood: how it is written, and what is in it.

    JSON has no ``delimiter``.

    ``renamed`` are the columns whose names no placeholder could use, each with what it is called
    now. ``skipped`` are the lines whose rows are not as wide as the first, ``empty`` those of rows
    without a value.
    """

    dataset: Dataset
    encoding: str
    delimiter: str
    header: bool
    renamed: tuple[tuple[str, str], ...] = ()
    skipped: tuple[int, ...] = field(default=())
    empty: tuple[int, ...] = field(default=())


def read_table(
    path: Path, *, delimiter: str = "", encoding: str = "", header: bool | None = None
) -> ForeignTable:
    """Return the table in a file of values. What is not given is found out.

    Raises:
        FileError: it cannot be read, or understood; the message says what to say.
    """
    if is_json(path):
        found = read_dataset(path)
        columns, renamed = _columns(found.columns)
        return ForeignTable(Dataset(columns, found.rows), "utf-8", "", True, renamed)
    content = read_bytes(path)
    encoding = encoding or _encoding(content)
    try:
        text = content.decode(encoding)
    except LookupError:
        raise FileError(
            str(path), 0, "", f"there is no encoding {encoding!r}: utf-8, cp1252, utf-16"
        ) from None
    except UnicodeError:
        raise FileError(
            str(path), 0, "", f"it is not {encoding}: say --encoding, such as cp1252 or utf-16"
        ) from None
    delimiter = delimiter or _delimiter(text)
    written = _rows(path, text, delimiter)
    rows = [(line, row) for line, row in written if any(row)]
    if not rows:
        raise FileError(str(path), 0, "", "there is nothing in it")
    (_, first), *others = rows
    header = _is_header(first) if header is None else header
    columns, renamed = _columns(first if header else tuple("" for _ in first))
    data = others if header else rows
    fitting = tuple(row for _, row in data if len(row) == len(columns))
    skipped = tuple(line for line, row in data if len(row) != len(columns))
    return ForeignTable(
        Dataset(columns, fitting),
        encoding,
        delimiter,
        header,
        renamed if header else (),
        skipped,
        empty=tuple(line for line, row in written if not any(row)),
    )


def _encoding(content: bytes) -> str:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    try:
        content.decode()
    except UnicodeDecodeError:
        return _FALLBACK
    return "utf-8"


def _delimiter(text: str) -> str:
    """Return the one that is in the first lines most often, as often in each; a comma if none is.
    What stands in quotes may have any in it, and line ends."""
    lines = [line for line in _QUOTED.sub('""', text).splitlines() if line.strip()][:20]
    counts = {one: [line.count(one) for line in lines] for one in DELIMITERS}

    def rank(one: str) -> tuple[bool, int]:
        found = counts[one]
        return (len(set(found)) == 1 and found[0] > 0, min(found, default=0))

    return max(DELIMITERS, key=rank)  # of equals, the first


def _rows(path: Path, text: str, delimiter: str) -> list[tuple[int, tuple[str, ...]]]:
    """Return the rows, each with the line that it ends on; lines that hold nothing are none."""
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        found = [(reader.line_num, tuple(one.strip() for one in row)) for row in reader]
    except (csv.Error, TypeError) as error:
        what = str(error).replace('"delimiter"', "--delimiter")
        raise FileError(
            str(path), 0, "", f"it is no table of values: {what}; --delimiter says another"
        ) from None
    return [(line, row) for line, row in found if row]


def _is_header(row: tuple[str, ...]) -> bool:
    """Return whether the first row names columns: texts without numbers, none twice, none empty."""
    words = all(one and not any(map(str.isdigit, one)) and "@" not in one for one in row)
    return words and len(set(row)) == len(row)


def _columns(row: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the columns as placeholders can name them, and those that were called otherwise."""
    names: list[str] = []
    renamed = []
    for number, written in enumerate(row, 1):
        plain = written if is_column_name(written) else _in_ascii(written)
        name = plain or f"column{number}"
        while name in names:
            name += "_2"
        names.append(name)
        if name != written:
            renamed.append((written, name))
    return tuple(names), tuple(renamed)


def _in_ascii(text: str) -> str:
    """Return a name in the letters that placeholders have: ``Grosse`` for ``Größe``."""
    letters = normalize("NFKD", text.replace("ß", "ss"))
    base = "".join(one for one in letters if not combining(one))
    return _NO_NAME.sub("_", base).strip("_")
