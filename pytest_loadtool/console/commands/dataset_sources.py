"""Where datasets come from: columns that a person names, and tables of other programs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.casefile.files import read_bytes
from pytest_loadtool.casefile.foreign_csv import read_table
from pytest_loadtool.casefile.syntax import dataset_name
from pytest_loadtool.console.arguments import DatasetName, NewColumns
from pytest_loadtool.console.commands.dataset_files import PREVIEW, declared, unlogged
from pytest_loadtool.console.errors import CommandError, UsageError, as_usage
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import datasets as views
from pytest_loadtool.editing import datasets as editing
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.workflow.datasets import dataset_file
from pytest_loadtool.workflow.telling import counted


async def dataset_new(
    session: Console,
    name: DatasetName,
    *columns: NewColumns,
    rows: int = 0,
    fill: tuple[str, ...] = (),
    identity: bool = False,
) -> None:
    """Navigator, New, Dataset: make a dataset.

    It has these columns, and its values are in the file NAME.csv. --rows makes so many rows, and
    --fill COLUMN=PATTERN fills a column of them, as `dataset-fill` does. --identity is for who the
    virtual users are: each has a row for itself, for all of its life. So 50 users are `dataset new
    users username password --rows 50 --identity --fill username=user{:03} --fill password=secret`.
    The file is for you alone if a column is called like a secret.

    Example: `dataset new users username password --rows 50 --fill username=user{:03}`
    """
    case = session.opened().case
    if not columns:
        raise UsageError("dataset-new needs COLUMNS, such as username password")
    with as_usage():
        dataset_name(name)
        content = Dataset(editing.checked_columns(",".join(columns).split(",")), ())
        content = replace(content, rows=tuple(("",) * len(content.columns) for _ in range(rows)))
        for one in fill:
            column, equals, pattern = one.partition("=")
            if not equals:
                raise UsageError(
                    f"--fill is COLUMN=PATTERN, such as username=user{{}}, not {one!r}"
                )
            unlogged(session, column, "" if "{" in pattern else pattern)
            values = editing.generated(pattern, range(1, rows + 1))
            content = editing.filled(content, column, values)
    if fill and not rows:
        raise UsageError("--fill goes with --rows, the number of rows to be filled")
    if name in {one.name for one in case.datasets}:
        raise UsageError(f"there is a dataset {name!r} already: `dataset-show {name}`")
    use = DatasetUse(name, dataset_file(session.case_path, name))
    if identity:
        use = replace(use, lifespan="virtual user", sharable=False)
    path = session.case_path.parent / use.file
    if path.exists():
        shown = session.shown(path)
        raise CommandError(f"{shown} is there already: `dataset import {shown}` uses it")
    declared(session, use, content)


async def dataset_import(
    session: Console,
    file: Path,
    *,
    name: str = "",
    delimiter: str = "",
    encoding: str = "",
    header: bool = False,
    no_header: bool = False,
    replace_: bool = False,
    preview: bool = False,
) -> None:
    """Make a dataset of a table of another program: CSV and the like, JSON, or JSON Lines.

    Of CSV, what separates values, the encoding, and whether the first row names the columns is
    found out, and told with the first rows; --delimiter ';' (or tab), --encoding cp1252, --header
    and --no-header say it. --preview only shows. The dataset is called like the file unless --name
    says otherwise, and its own file NAME.csv stands beside the test case, in UTF-8 with commas, or
    NAME.json for JSON; one that is there is written over only with --replace, or if you agree. FILE
    stays as it is, unless it is that very file: then it is told, and `undo` brings it back.

    Example: `dataset import people.csv --name users --preview`
    """
    case = session.opened().case
    if header and no_header:
        raise UsageError("--header and --no-header exclude each other")
    found = read_table(
        file,
        delimiter={"tab": "\t"}.get(delimiter, delimiter),
        encoding=encoding,
        header=True if header else False if no_header else None,
    )
    session.say(f"{session.shown(file)}: {counted(len(found.dataset.rows), 'row')}")
    session.tell(views.understood(found))
    count = len(found.dataset.rows)
    session.tell(views.grid(found.dataset, range(min(count, PREVIEW))))
    if preview:
        return
    name = name or re.sub(r"[^A-Za-z0-9_-]+", "_", file.name.partition(".")[0])
    with as_usage():
        dataset_name(name)
    new = DatasetUse(name, dataset_file(session.case_path, name, file))
    use = next((one for one in case.datasets if one.name == name), new)
    path = session.case_path.parent / use.file
    itself = _same(path, file)
    before = read_bytes(path) if itself else b""
    if path.exists() and not replace_ and not itself:
        shown = session.shown(path)
        await session.agree(
            f"{shown} would be written over. Replace?",
            f"{shown} is there already: give --replace, or another name by --name",
            "--replace",
        )
    declared(session, use, found.dataset)
    if itself and read_bytes(path) != before:
        session.say(
            f"{session.shown(path)} was that table, and is written anew: `undo` brings it back."
        )


def _same(one: Path, other: Path) -> bool:
    return one.exists() and one.resolve() == other.resolve()
