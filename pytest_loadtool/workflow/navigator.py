"""What belongs to a project, around the test case that is open: each with the command for it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_loadtool import CASE_SUFFIX, LOAD_SUFFIX
from pytest_loadtool.casefile import read_load
from pytest_loadtool.casefile.files import read_bytes
from pytest_loadtool.errors import FileError
from pytest_loadtool.load.formatting import plural
from pytest_loadtool.load.pacing.schedule import describe
from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.workflow.datasets import open_dataset, rows_needed
from pytest_loadtool.workflow.keeping import kept_replays
from pytest_loadtool.workflow.project import Project
from pytest_loadtool.workflow.replays import OpenReplay
from pytest_loadtool.workflow.rows import next_row
from pytest_loadtool.workflow.telling import counted, place_of, who

#: Bytes of the largest JSON file that is read to see whether it holds results.
_LARGEST_RESULTS = 10_000_000


@dataclass(frozen=True, slots=True)
class ProjectEntry:
    """An entry of the project: what it is called, what there is to say of it in a few words, and
    the command that opens it."""

    name: str
    about: str
    command: str
    current: bool = False
    """Whether it is the one that is open."""


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """A folder of entries of one kind."""

    title: str
    entries: tuple[ProjectEntry, ...]


def navigate(project: Project, case_path: Path, case: TestCase | None) -> Iterator[ProjectFolder]:
    """Yield what belongs to the project, by kinds; kinds of which there is nothing are left out.

    Looked at are the folders of the test case and of the project, and those right below that.
    """
    folders = tuple(_folders(project, case_path))
    found = (
        ProjectFolder("Test cases", tuple(_cases(project, folders, case_path, case))),
        ProjectFolder("Authentication", tuple(_authentication(case))),
        ProjectFolder("Datasets", tuple(_datasets(project, case_path, case))),
        ProjectFolder("Load configurations", tuple(_loads(project, folders))),
        ProjectFolder("Replays", tuple(_replays(case_path))),
        ProjectFolder("Results of load tests", tuple(_results(project, folders))),
    )
    return (one for one in found if one.entries)


def _folders(project: Project, case_path: Path) -> Iterator[Path]:
    around = [case_path.parent, project.directory]
    with suppress(OSError):
        below = (one for one in project.directory.iterdir() if not one.name.startswith("."))
        around += sorted(one for one in below if one.is_dir())
    return (one for one in dict.fromkeys(around) if one.is_dir())


def _files(folders: tuple[Path, ...], suffix: str) -> Iterator[Path]:
    for folder in folders:
        with suppress(OSError):
            yield from sorted(one for one in folder.glob(f"*{suffix}") if one.is_file())


def _cases(
    project: Project, folders: tuple[Path, ...], case_path: Path, case: TestCase | None
) -> Iterator[ProjectEntry]:
    paths = list(_files(folders, CASE_SUFFIX))
    if case is not None and case_path not in paths:
        paths.insert(0, case_path)
    for path in paths:
        shown = project.shown(path)
        if path == case_path and case is not None:
            pages = counted(len(case.pages), "page")
            transactions = counted(sum(1 for _ in case.transactions()), "transaction")
            yield ProjectEntry(shown, f"{pages}, {transactions}", "tree", current=True)
        else:
            yield ProjectEntry(shown, "", _line("open-case", shown))


def _authentication(case: TestCase | None) -> Iterator[ProjectEntry]:
    if case is None:
        return
    for one in case.identities:
        yield _login(case, one, place_of(case, one))
    if case.proxy is not None and case.proxy.username:
        yield _login(case, case.proxy, "the proxy", "properties")


def _login(
    case: TestCase, one: Identity | Proxy, place: str, command: str = "user-identity"
) -> ProjectEntry:
    return ProjectEntry(place, who(case, one), command)


def _datasets(project: Project, case_path: Path, case: TestCase | None) -> Iterator[ProjectEntry]:
    for use in case.datasets if case is not None else ():
        command = _line("dataset-show", use.name)
        try:
            one = open_dataset(project, case_path, use)
        except FileError as error:
            yield ProjectEntry(use.name, f"{use.file}: {error.message}", command)
            continue
        rows = len(one.content.rows)
        at = next_row(one.path, use, rows)
        following = "no row left" if at is None else f"next: row {at + 1}"
        needs = max((need.rows for need in rows_needed(project, case_path, use)), default=0)
        missing = f", {needs - rows} missing for a load" if needs > rows else ""
        yield ProjectEntry(
            use.name, f"{use.file}, {plural(rows, 'row')}, {following}{missing}", command
        )


def _loads(project: Project, folders: tuple[Path, ...]) -> Iterator[ProjectEntry]:
    for path in _files(folders, LOAD_SUFFIX):
        shown = project.shown(path)
        try:
            about = describe(read_load(path, project.trust))
        except FileError as error:
            about = f"cannot be read: {error.message}"
        yield ProjectEntry(shown, about.partition("\n")[0], _line("load", shown))


def _replays(case_path: Path) -> Iterator[ProjectEntry]:
    for number, path in enumerate(kept_replays(case_path), 1):
        try:
            replay = OpenReplay.read(path).replay
        except FileError as error:
            about = f"cannot be read: {error.message}"
        else:
            failed = f", {len(replay.failed)} failed" if replay.failed else ""
            ending = "" if replay.ending == "finished" else f", {replay.ending}"
            total = counted(len(replay.transactions), "transaction")
            about = f"{len(replay.sent)} of {total}{failed}{ending}"
        yield ProjectEntry(path.stem, about, f"replays {number}")


def _results(project: Project, folders: tuple[Path, ...]) -> Iterator[ProjectEntry]:
    for path in _files(folders, ".json"):
        found = results_in(path)
        if found is not None:
            about = f"{found['name']}, {found['started']}: {found['verdict']}"
            shown = project.shown(path)
            yield ProjectEntry(shown, about, _line("load-result", shown))


def results_in(path: Path) -> dict[str, Any] | None:
    """Return the results of a load test in a JSON file (``--load-json``, ``--load-save``); None if
    it holds something else.

    Raises:
        FileError: it cannot be read.
    """
    if path.stat().st_size > _LARGEST_RESULTS:
        return None
    try:
        found = json.loads(read_bytes(path))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("format") != 1:
        return None
    texts = (found.get(key) for key in ("name", "started", "verdict"))
    return found if all(isinstance(text, str) for text in texts) else None


def _line(*words: str) -> str:
    return shlex.join(words)
