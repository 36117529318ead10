"""Datasets: making, filling and importing them, and which row comes next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.casefile.syntax import dataset_name
from pytest_loadtool.codec.names import is_secret
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.console.arguments import (
    LIFESPANS,
    ORDERS,
    ColumnName,
    DatasetName,
    LifespanName,
    OrderName,
    YesNo,
)
from pytest_loadtool.console.errors import CommandError, UsageError, as_usage
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import datasets as views
from pytest_loadtool.editing import datasets as editing
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.workflow.datasets import (
    OpenDataset,
    open_dataset,
    rows_needed,
    write_dataset,
)
from pytest_loadtool.workflow.rows import next_row, reset
from pytest_loadtool.workflow.telling import counted

#: How many rows are shown unless others are asked for, and of a preview.
_SHOWN, PREVIEW = 20, 5


async def datasets(session: Console) -> None:
    """List the datasets of the test case, and who uses them.

    Each has its file, its columns and who gets which row. The next row is the one that the next
    `play` takes. For each load configuration beside the test case it says how many rows its users
    need, and how many are missing.

    Example: `datasets`
    """
    uses = session.opened().case.datasets
    lines: list[str] = []
    for one in (_open(session, use) for use in uses):
        lines += [views.heading(one), *_state(session, one)]
    none = "The test case has no datasets: `dataset new NAME COLUMNS` makes one."
    await session.page(lines or [none])


async def dataset_show(
    session: Console, name: DatasetName, *, rows: str = "", secrets: bool = False
) -> None:
    """Show a dataset's values in a grid.

    `>` marks the row that the next `play` takes. It shows the first 20 rows; --rows 21-40 shows
    others. Of passwords and tokens only the beginning is shown; --secrets shows them as they are.

    Example: `dataset show users --rows 21-40`
    """
    one = named(session, name)
    count = len(one.content.rows)
    shown = _span(rows, count) if rows and count else range(min(count, _SHOWN))
    lines: list[str] = [views.heading(one)]
    at = next_row(one.path, one.use, count)
    lines += views.grid(one.content, shown, at, secrets=secrets)
    lines += views.more(one.content, shown)
    if not count:
        lines.append(f"  no rows yet: `dataset fill {name} COLUMN 1 50`, `dataset add-row {name}`")
    await session.page([*lines, *_state(session, one)])


async def dataset_properties(
    session: Console,
    name: DatasetName,
    *,
    lifespan: LifespanName | None = None,
    reusable: YesNo | None = None,
    sharable: YesNo | None = None,
    order: OrderName | None = None,
) -> None:
    """Say who gets which row of a dataset, for how long.

    --lifespan is `test-case` (a user takes a new row for each iteration) or `virtual-user` (it
    keeps one for its whole life). --reusable yes: after the last row comes the first again; no:
    running out of rows is an error. --sharable yes: two users may hold the same row at once; no:
    each row is one user's. --order random shuffles them, in each run in the same way; sequential
    takes them as they are. Without options they are only shown.

    Example: `dataset properties users --lifespan virtual-user --sharable no`
    """
    one = named(session, name)
    use = one.use
    if lifespan:
        wanted = lifespan.replace(" ", "-")
        if wanted not in LIFESPANS:
            raise UsageError(
                "--lifespan is virtual-user (a user keeps its row) or test-case (it takes a new "
                f"one for each iteration), not {lifespan!r}"
            )
        use = replace(use, lifespan=LIFESPANS[wanted])
    if reusable:
        use = replace(use, reusable=_yes("--reusable", reusable))
    if sharable:
        use = replace(use, sharable=_yes("--sharable", sharable))
    if order:
        if order not in ORDERS:
            raise UsageError(f"--order is one of {', '.join(ORDERS)}, not {order!r}")
        use = replace(use, order=ORDERS[order])
    if use != one.use:
        document = session.opened()
        uses = tuple(use if each.name == name else each for each in document.case.datasets)
        session.document = replace(document, case=replace(document.case, datasets=uses))
    session.say(f"{name}: {views.rules(use)}")


async def dataset_reset(session: Console, name: DatasetName | None = None) -> None:
    """Reset Dataset State: begin with the first row again.

    The next `play` takes it, of NAME or of all datasets. Tests and load tests always begin with the
    first row.

    Example: `dataset reset users`
    """
    uses = session.opened().case.datasets if name is None else (used(session, name),)
    reset(session.case_path.parent / one.file for one in uses)
    names = ", ".join(one.name for one in uses) or "nothing: there are no datasets"
    session.say(f"The next `play` takes row 1 of {names}.")


async def dataset_rename(session: Console, name: DatasetName, new: str) -> None:
    """Give a dataset another name.

    What takes values from it follows, and its file stays.

    Example: `dataset rename users people`
    """
    document = session.opened()
    use = used(session, name)
    with as_usage():
        dataset_name(new)
    if new in {one.name for one in document.case.datasets}:
        raise UsageError(f"there is a dataset {new!r} already")
    session.document = replace(document, case=editing.renamed(document.case, name, new))
    session.say(f"{name} is called {new} now; its file is {use.file}, as before.")


async def dataset_remove(
    session: Console, name: DatasetName, *, row: int | None = None, column: ColumnName | None = None
) -> None:
    """Remove a dataset, or a row or column of it.

    --row 3 removes that row, counted from 1, --column that column. What still takes values from it
    is named, and nothing is removed then. The file of a dataset that is removed stays.

    Example: `dataset remove users --row 3`
    """
    document = session.opened()
    one = named(session, name)
    if row is not None and column is not None:
        raise UsageError("--row and --column exclude each other")
    with as_usage():
        if row is not None:
            written(session, one.path, editing.without_row(one.content, row))
            session.say(f"Removed row {row}: {counted(len(one.content.rows) - 1, 'row')} left.")
            return
        whole = f"{name}.{column}" if column is not None else name
        if users := tuple(editing.users_of(document.case, whole)):
            raise CommandError(f"{whole} is used by {'; '.join(users)}")
        if column is not None:
            written(session, one.path, editing.without_column(one.content, column))
            session.say(f"Removed the column {column}.")
            return
    kept = tuple(each for each in document.case.datasets if each.name != name)
    session.document = replace(document, case=replace(document.case, datasets=kept))
    session.say(f"Removed {name} from the test case; {session.shown(one.path)} is still there.")


def used(session: Console, name: str) -> DatasetUse:
    """Return how the test case uses the dataset of that name.

    Raises:
        UsageError: it has none; the text names the nearest.
    """
    known = {one.name: one for one in session.opened().case.datasets}
    if name not in known:
        near = did_you_mean(name, known) or (
            f": it has {', '.join(known)}" if known else ": `dataset new` makes one"
        )
        raise UsageError(f"the test case has no dataset {name!r}{near}")
    return known[name]


def named(session: Console, name: str) -> OpenDataset:
    """The dataset of that name, with what is in it.

    Raises:
        UsageError: the test case has none.
        FileError: its file cannot be read.
    """
    return _open(session, used(session, name))


def _open(session: Console, use: DatasetUse) -> OpenDataset:
    return open_dataset(session.settings, session.case_path, use)


def _state(session: Console, one: OpenDataset) -> Iterator[str]:
    rows = len(one.content.rows)
    users = tuple(editing.users_of(session.opened().case, one.use.name))
    needs = rows_needed(session.settings, session.case_path, one.use) if users else ()
    return views.state(next_row(one.path, one.use, rows), users, tuple(needs), rows)


def unlogged(session: Console, column: str, value: str) -> None:
    """Keep what is typed for a column that is called like a secret out of the session log."""
    if is_secret(column) and value:
        session.secrets.add(value)


def written(session: Console, path: Path, content: Dataset) -> None:
    """Write a dataset so that `undo` takes it back."""
    session.written.append(write_dataset(path, content))


def declared(session: Console, use: DatasetUse, content: Dataset) -> None:
    """Write a dataset, and have the test case know it."""
    path = session.case_path.parent / use.file
    if not path.exists():
        reset([path])  # there may have been one of that name
    written(session, path, content)
    document = session.opened()
    others = tuple(one for one in document.case.datasets if one.name != use.name)
    case = replace(document.case, datasets=(*others, use))
    session.document = replace(document, case=case)
    private = ", for you alone; .gitignore names it" if any(map(is_secret, content.columns)) else ""
    session.say(f"Wrote {session.shown(path)}{private}.")
    session.say(views.heading(OpenDataset(use, path, content)))


def _span(text: str, count: int) -> range:
    """``21-40`` as a range of indexes, as far as there are rows."""
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last or first > count:
        raise UsageError(f"--rows is such as 21-40, of {counted(count, 'row')}, not {text!r}")
    return range(first - 1, min(last, count))


def _yes(option: str, text: str) -> bool:
    if text not in ("yes", "no"):
        raise UsageError(f"{option} is yes or no, not {text!r}")
    return text == "yes"
