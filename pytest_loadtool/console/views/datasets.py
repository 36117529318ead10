"""Datasets: what there is of them, and their values in a grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_loadtool.casefile.foreign_csv import ForeignTable
from pytest_loadtool.console.views.columns import cell_len, clipped, padded
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.masking.text import BY_NAME, Mask, Unmasked
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.workflow.datasets import OpenDataset, RowsNeeded
from pytest_loadtool.workflow.row_simulation import SimulatedUser
from pytest_loadtool.workflow.telling import counted

#: Characters of a value before it is cut.
_VALUE = 30
#: What separates values, by what people call it.
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def heading(one: OpenDataset) -> ViewLine:
    """Return name, file, size and rules of a dataset."""
    rows, columns = len(one.content.rows), ", ".join(one.content.columns)
    return ViewLine(
        (one.use.name, "heading"),
        (f"  {one.use.file}, {counted(rows, 'row')} of {columns}; {rules(one.use)}", ""),
    )


def rules(use: DatasetUse) -> str:
    """Return who gets which row, in words."""
    whose = "each virtual user" if use.lifespan == "virtual user" else "each iteration"
    shared = "" if use.sharable else ", no two users at once share one"
    once = "" if use.reusable else ", none is used twice"
    order = ", in random order" if use.order == "random" else ""
    return f"a row for {whose}{shared}{once}{order}"


def state(
    at: int | None, users: Sequence[str], needed: Sequence[RowsNeeded], rows: int
) -> Iterator[str]:
    """Yield which row the next replay takes, who takes values, and what load configurations
    lack."""
    if rows:
        yield "  next `play`: " + (f"row {at + 1}" if at is not None else "no row is left")
    yield "  used by " + ("; ".join(users) or "nothing yet: `set-field N FIELD --dataset`")
    for one in needed:
        missing = one.rows - rows
        text = f"  {one.load} ({counted(one.users, 'user')}) needs {counted(one.rows, 'row')}"
        lacks: Kind = "bad" if missing > 0 else ""
        yield ViewLine((text, ""), (f": {missing} missing" if missing > 0 else "", lacks))


def grid(
    dataset: Dataset, rows: range, at: int | None = None, *, secrets: bool = False
) -> Iterator[ViewLine]:
    """Yield the columns, and these rows (from 0), each with its number from 1; ``at`` is marked. Of
    passwords only the beginning is shown, unless ``secrets``."""
    mask: Mask = Unmasked() if secrets else BY_NAME
    shown = [
        [
            clipped(mask.value(column, value) if value else "", _VALUE)
            for column, value in zip(dataset.columns, dataset.rows[row], strict=True)
        ]
        for row in rows
    ]
    heads = [clipped(column, _VALUE) for column in dataset.columns]
    widths = [max(map(cell_len, column)) for column in zip(heads, *shown, strict=True)]
    wide = len(str(rows.stop))
    yield ViewLine(("  " + " " * wide + _cells(heads, widths), "heading"))
    for row, cells in zip(rows, shown, strict=True):
        mark = ">" if row == at else " "
        number = f"{mark} {row + 1:>{wide}}"
        yield ViewLine((number, "number"), (_cells(cells, widths), ""))


def simulation(
    content: Dataset,
    users: Sequence[SimulatedUser],
    names: Sequence[str],
    *,
    secrets: bool = False,
) -> Iterator[ViewLine]:
    """Yield a line for each user, of one at least: the row that it takes in each iteration, with
    the value there of the first column. ``names`` are those of the test cases."""
    mask: Mask = Unmasked() if secrets else BY_NAME
    name = content.columns[0]

    def cell(row: int | None) -> str:
        if row is None:
            return "none left"
        value = content.rows[row][0]
        return clipped(f"{row + 1} {mask.value(name, value) if value else ''}".rstrip(), _VALUE)

    cases = len({one.case for one in users}) > 1
    steps = ["iteration 1", *(str(at + 2) for at in range(len(users[0].rows) - 1))]
    table = [["user", *(["test case"] if cases else ()), *steps]]
    table += (
        [str(one.number), *([names[one.case]] if cases else ()), *map(cell, one.rows)]
        for one in users
    )
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    for at, cells in enumerate(table):
        none = at and None in users[at - 1].rows
        yield ViewLine((_cells(cells, widths), "bad" if none else "" if at else "heading"))


def more(dataset: Dataset, rows: range) -> Iterator[str]:
    """Yield how many rows there are behind these."""
    left = len(dataset.rows) - rows.stop
    if left > 0:
        yield f"  and {counted(left, 'more row')}"


def _cells(cells: Sequence[str], widths: Sequence[int]) -> str:
    found = (f"  {padded(cell, width)}" for cell, width in zip(cells, widths, strict=True))
    return "".join(found).rstrip()


def understood(found: ForeignTable) -> Iterator[str]:
    """Yield how a table of another program was read."""
    if found.delimiter:
        delimiter = _DELIMITERS.get(found.delimiter, repr(found.delimiter))
        names = "the first row names the columns" if found.header else "no row names the columns"
        yield f"  {found.encoding}, {delimiter} between values, {names}"
    for written, name in found.renamed:
        yield f"  column {written or '(without a name)'!r} is called {name}, for placeholders"
    left_out = (
        (found.skipped, "as they are not as wide as the first row"),
        (found.empty, "as they have no value"),
    )
    for numbers, why in left_out:
        lines = ", ".join(map(str, numbers[:5]))
        more = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
        if numbers:
            yield f"  left out, {why}: lines {lines}{more}"
