"""The datasets of a test case: their files, and what load configurations want of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pytest_loadtool import LOAD_SUFFIX
from pytest_loadtool.casefile import read_dataset, read_load, save_dataset
from pytest_loadtool.casefile.dataset import DATASET_SUFFIXES, is_json
from pytest_loadtool.casefile.files import read_bytes, replace_file
from pytest_loadtool.casefile.trust import named_path
from pytest_loadtool.codec.names import is_secret
from pytest_loadtool.editing.datasets import users_of
from pytest_loadtool.errors import FileError, LoadToolError
from pytest_loadtool.load.cluster.share import needed_rows, preflight, takers_among
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.structure.uses import lasting_datasets
from pytest_loadtool.workflow.files import load_name, write_private
from pytest_loadtool.workflow.project import Project


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that a command has written: what it holds ``now`` and what it is to hold ``then`` when
    that is taken back; None: nothing, it is not there."""

    path: Path
    now: bytes | None
    then: bytes | None

    @property
    def back(self) -> FileChange:
        """The change that takes this one back."""
        return FileChange(self.path, self.then, self.now)


@dataclass(frozen=True, slots=True)
class OpenDataset:
    """A dataset of the test case with its file and what is in that."""

    use: DatasetUse
    path: Path
    content: Dataset


def open_dataset(project: Project, case_path: Path, use: DatasetUse) -> OpenDataset:
    """Read a dataset.

    Raises:
        FileError: its file is not there, is no dataset, or may not be read.
    """
    path = named_path(case_path, use.file, project.trust)
    return OpenDataset(use, path, read_dataset(path))


def dataset_file(case_path: Path, name: str, like: Path | None = None) -> str:
    """Return what the file of a dataset of that name is called: one that is there beside the test
    case, or is to be there, of the kind of ``like``."""
    suffix = like.suffix.lower() if like is not None and is_json(like) else ".csv"
    names = [f"{name}{one}" for one in ((suffix,) if like is not None else DATASET_SUFFIXES)]
    return next((one for one in names if case_path.with_name(one).exists()), names[0])


def write_dataset(path: Path, dataset: Dataset) -> FileChange:
    """Write a dataset at once or not at all; for its owner alone, and named in ``.gitignore``, if a
    column is called like a secret.

    Raises:
        FileError: it cannot be written.
        OSError: likewise.
    """
    before = _content(path)
    if any(map(is_secret, dataset.columns)):
        write_private(path, dataset)
    else:
        save_dataset(path, dataset)
    return FileChange(path, _content(path), before)


def take_back(change: FileChange) -> bool:
    """Make a file what it was, unless somebody has changed it since; return whether that was done.

    Raises:
        FileError: it cannot be written.
        OSError: it cannot be removed.
    """
    if _content(change.path) != change.now:
        return False
    if change.then is None:
        change.path.unlink()
        return True
    if change.now is None:  # it was private, as far as anybody knows
        os.close(os.open(change.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    replace_file(change.path, change.then)
    return True


def _content(path: Path) -> bytes | None:
    return read_bytes(path) if path.exists() else None


@dataclass(frozen=True, slots=True)
class RowsNeeded:
    """The number of rows that a load configuration needs of a dataset, so that each user finds
    one."""

    load: str
    users: int
    rows: int


def rows_needed(project: Project, case_path: Path, use: DatasetUse) -> Iterator[RowsNeeded]:
    """Yield what the load configurations beside a test case need of its dataset; those that cannot
    be read, or do not replay it, need nothing."""
    for path in sorted(case_path.parent.glob(f"*{LOAD_SUFFIX}")):
        with suppress(FileError):
            load = read_load(path, project.trust)
            files = [os.path.realpath(path.parent / one.file) for one in load.cases]
            own = os.path.realpath(case_path)
            takers = takers_among(load, [at for at, file in enumerate(files) if file == own])
            if own in files:
                rows = needed_rows(use, takers.users, takers.iterations)
                yield RowsNeeded(load_name(path), takers.users, rows)


def lacking(
    project: Project, case_path: Path, case: TestCase, load: LoadConfiguration
) -> Iterator[str]:
    """Yield why the users of a load configuration would find no rows in datasets of a test case,
    and what to do."""
    takers = takers_among(load, range(len(load.cases)))
    for use in lasting_datasets(case):
        if not any(users_of(case, use.name)):
            continue
        try:
            rows = len(open_dataset(project, case_path, use).content.rows)
            preflight(use, rows, takers.users, takers.iterations)
        except LoadToolError as error:
            yield str(error)
