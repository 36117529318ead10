"""The values of datasets: filling columns with them, and setting them one by one."""

from __future__ import annotations

from pytest_loadtool.codec.names import is_secret
from pytest_loadtool.console.arguments import ColumnName, DatasetName
from pytest_loadtool.console.commands.dataset_files import PREVIEW, named, unlogged, written
from pytest_loadtool.console.errors import UsageError, as_usage
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import datasets as views
from pytest_loadtool.editing import datasets as editing
from pytest_loadtool.workflow.telling import counted


async def dataset_fill(
    session: Console,
    name: DatasetName,
    column: ColumnName,
    first: int | None = None,
    last: int | None = None,
    *,
    pattern: str = editing.NUMBERS,
    preview: bool = False,
) -> None:
    """Fill, Generate Values: number a column, row by row.

    The numbers are those from FIRST to LAST. --pattern 'user{:03}' puts each into a text: user001,
    user002; without braces all rows get that text. Rows that are missing are added, empty but for
    this column; those behind the last number keep their values. Without FIRST and LAST the rows
    that are there are numbered from 1. --preview only shows.

    Example: `dataset fill users username 1 50 --pattern 'user{:03}'`
    """
    one = named(session, name)
    count = len(one.content.rows)
    begin, end = 1 if first is None else first, count if last is None else last
    if last is None and first is not None:
        end = first + count - 1
    if end < begin:
        hint = "it has no rows yet: say FIRST and LAST" if not count else "LAST comes after FIRST"
        raise UsageError(f"there is nothing to fill from {begin} to {end}: {hint}")
    with as_usage():
        unlogged(session, column, "" if "{" in pattern else pattern)
        values = editing.generated(pattern, range(begin, end + 1))
        content = editing.filled(one.content, column, values)
    if preview:
        session.tell(views.grid(content, range(min(len(content.rows), PREVIEW))))
        return
    written(session, one.path, content)
    session.say(f"Filled {column} of {counted(len(values), 'row')}{_ends(column, values)}.")
    if len(values) > count:
        others = [each for each in content.columns if each != column]
        empty = f", in which {', '.join(others)} is empty" if others else ""
        session.say(f"  {counted(len(values) - count, 'row')} of them new{empty}")
    elif len(values) < count:
        session.say(f"  rows {len(values) + 1} to {count} keep their values")


async def dataset_set(
    session: Console, name: DatasetName, row: int, column: ColumnName, value: str
) -> None:
    """Set one value of a dataset.

    It is that of COLUMN in ROW, counted from 1.

    Example: `dataset set users 2 username bob`
    """
    one = named(session, name)
    with as_usage():
        unlogged(session, column, value)
        content = editing.with_value(one.content, row, column, value)
    written(session, one.path, content)
    session.tell(views.grid(content, range(row - 1, row)))


async def dataset_add_row(session: Console, name: DatasetName, *values: str) -> None:
    """Add a row to a dataset.

    VALUES are as many as it has columns, in their order.

    Example: `dataset add row users carol secret3`
    """
    one = named(session, name)
    with as_usage():
        content = editing.with_row(one.content, values)
        for column, value in zip(one.content.columns, values, strict=True):
            unlogged(session, column, value)
    written(session, one.path, content)
    session.tell(views.grid(content, range(len(content.rows) - 1, len(content.rows))))


async def dataset_add_column(
    session: Console, name: DatasetName, column: str, *, value: str = ""
) -> None:
    """Add a column (a field) to a dataset.

    --value is what all rows have in it; without it, it is empty.

    Example: `dataset add column users town --value Ulm`
    """
    one = named(session, name)
    with as_usage():
        unlogged(session, column, value)
        content = editing.with_column(one.content, column, value)
    written(session, one.path, content)
    session.say(f"{name} has {', '.join(content.columns)}.")


def _ends(column: str, values: tuple[str, ...]) -> str:
    """Return the first value and the last; nothing of secrets."""
    if is_secret(column):
        return ""
    return f": {values[0]}" if len(values) == 1 else f": {values[0]} to {values[-1]}"
