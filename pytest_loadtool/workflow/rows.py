"""Which row of its datasets the next replay of the console takes.

Each replay takes the next row, so that a person tries one user after the other. Where a dataset
stands is kept for this user, outside of the project, in ``rows.json`` of
``$XDG_STATE_HOME/pytest-loadtool``: tests and load tests know nothing of it, and begin with the
first row.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.casefile.files import replace_file
from pytest_loadtool.errors import FileError, ReplayError
from pytest_loadtool.load.cluster.share import row_of
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.replay import Plan
from pytest_loadtool.replay.user.user import RowChoice
from pytest_loadtool.workflow.known import state_file

_FILE = "rows.json"


def next_row(file: Path, use: DatasetUse, rows: int) -> int | None:
    """Return the row (from 0) of a dataset's file that the next replay takes; None: none is left.

    After the last row comes the first again, unless rows are used only once.
    """
    return _at(use, rows, _positions().get(_key(file), 0))


def reset(files: Iterable[Path]) -> None:
    """Have the next replay take the first row of these datasets (Reset Dataset State)."""
    gone = set(map(_key, files))
    _write({key: at for key, at in _positions().items() if key not in gone})


def take_rows(plan: Plan, case_path: Path, row: int | None = None) -> tuple[RowChoice, list[str]]:
    """Return what gives a replay its rows, and a line for each dataset that has
    several, on which one that is.

    The next replay takes the rows after these. ``row``, from 1, is taken in place of the next one.

    Raises:
        ReplayError: a dataset has no such row, or no row is left.
    """
    if row is not None and not plan.datasets:
        raise ReplayError(f"no field has a value of a dataset: there is no row {row} to take")
    known = {key: at for key, at in _positions().items() if Path(key).exists()}
    taken: dict[str, int] = {}
    said = []
    for slots in plan.datasets:
        use, rows = slots.use, len(slots.dataset.rows)
        key = _key(case_path.parent / use.file)
        at = known.get(key, 0) if row is None else row - 1
        found = _at(use, rows, at) if row is None else at
        if found is None or not 0 <= found < rows:
            raise ReplayError(_missing(use, rows, row))
        taken[use.name] = found
        if row is None or use.order == "sequential":
            known[key] = at + 1
        if rows > 1:
            said.append(f"Row {found + 1} of {rows} of {use.file}.")
    if taken:
        _write(known)
    return (lambda use, _rows, _iteration: taken[use.name]), said


def _at(use: DatasetUse, rows: int, position: int) -> int | None:
    """Return the row of a user who takes one for each replay, whatever users of a load test do."""
    return row_of(replace(use, lifespan="test case"), rows, 0, 1, position)


def _missing(use: DatasetUse, rows: int, row: int | None) -> str:
    if not rows:
        return (
            f"dataset {use.name!r} ({use.file}) has no rows: `dataset add-row {use.name}` adds one"
        )
    if row is not None:
        return f"dataset {use.name!r} ({use.file}) has no row {row}: it has rows 1 to {rows}"
    return (
        f"dataset {use.name!r} ({use.file}) has no row left, and none is used twice "
        f"(reusable = false): `dataset reset {use.name}` starts again at the first"
    )


def _key(file: Path) -> str:
    return os.path.realpath(file)


def _positions() -> dict[str, int]:
    """Return by file how many rows were taken since the first; nothing where that cannot be
    known."""
    found = {}
    with suppress(OSError, RuntimeError, ValueError):
        found = json.loads(state_file(_FILE).read_text(encoding="utf-8") or "{}")
    kept = found.items() if isinstance(found, dict) else ()
    return {key: at for key, at in kept if isinstance(at, int) and at >= 0}


def _write(positions: Mapping[str, int]) -> None:
    """Keep where datasets stand. Without a place for it, each replay begins with the first row."""
    with suppress(OSError, RuntimeError, FileError):
        text = json.dumps(dict(positions), ensure_ascii=False, indent=1)
        replace_file(state_file(_FILE), f"{text}\n".encode())
