"""What a load configuration will do, before it does it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_loadtool.engine.prepare.share import LoadTest
from pytest_loadtool.errors import FileError
from pytest_loadtool.load.cluster.share import RowTakers, needed_rows, row_takers
from pytest_loadtool.load.formatting import plural
from pytest_loadtool.load.pacing.expected import CaseExpectation, expected, users_needed
from pytest_loadtool.load.verdict.unfinished import too_short
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import LoadConfiguration, Schedule
from pytest_loadtool.recording import distinct
from pytest_loadtool.structure.uses import lasting_datasets
from pytest_loadtool.workflow.datasets import open_dataset
from pytest_loadtool.workflow.project import Project


@dataclass(frozen=True, slots=True)
class CasePreview:
    """A test case of a load configuration: how long an iteration of it takes, and what is to be
    expected of it."""

    name: str
    file: str
    weight: int
    pages: int
    length: Length
    expected: CaseExpectation


@dataclass(frozen=True, slots=True)
class RowsPreview:
    """A dataset that a load configuration uses: its rows (None: they cannot be read, ``problem``
    says why), and how many it needs."""

    name: str
    file: str
    rows: int | None
    needed: int
    problem: str = ""

    @property
    def missing(self) -> int:
        """Return how many rows are missing."""
        return max(0, self.needed - (self.rows or 0))


@dataclass(frozen=True, slots=True)
class LoadPreview:
    """A load configuration, its test cases and datasets, and what is wrong with it."""

    path: Path
    configuration: LoadConfiguration
    cases: tuple[CasePreview, ...]
    datasets: tuple[RowsPreview, ...]
    warnings: tuple[str, ...]


def preview(project: Project, test: LoadTest) -> LoadPreview:
    """Return what ``test`` will do."""
    load = test.configuration
    lengths = [length for _, length in test.lengths]
    found = expected(load, lengths)
    names = distinct(case.name for case in test.cases)  # as the report numbers them
    cases = tuple(
        CasePreview(
            names[index], share.file, share.weight, len(case.pages), lengths[index], found[index]
        )
        for index, (case, share) in enumerate(zip(test.cases, load.cases, strict=True))
    )
    takers = row_takers(load, [lasting_datasets(case) for case in test.cases])
    datasets = tuple(
        _rows(
            project, test.path_of(index), use, load.schedule_of(index), takers[index], found[index]
        )
        for index, case in enumerate(test.cases)
        for use in lasting_datasets(case)
    )
    warnings = tuple(_warnings(load, cases, test.cases, datasets))
    return LoadPreview(test.path, load, cases, datasets, warnings)


def _rows(
    project: Project, case_path: Path, use: DatasetUse, schedule: Schedule,
    takers: Mapping[str, RowTakers], found: CaseExpectation,
) -> RowsPreview:  # fmt: skip
    needed = needed_rows(use, takers[use.name].users, schedule.iterations or found.each or 1)
    if schedule.open and not use.reusable and use.lifespan == "test case":
        needed = max(needed, found.begun or 0)
    try:
        rows = len(open_dataset(project, case_path, use).content.rows)
    except FileError as error:
        return RowsPreview(use.name, use.file, None, needed, error.message)
    return RowsPreview(use.name, use.file, rows, max(1, needed))


def _warnings(
    load: LoadConfiguration,
    cases: tuple[CasePreview, ...],
    read: tuple[TestCase, ...],
    datasets: tuple[RowsPreview, ...],
) -> Iterator[str]:
    for at, one in enumerate(cases):
        if hint := too_short(one.name, one.length, load.schedule_of(at), load.grace):
            yield hint
        if not one.expected.users:
            yield f"test case {one.name!r} has no user: there are fewer users than weights"
    for population in load.populations:
        schedule = population.schedule
        if not schedule.open:
            continue
        needed = users_needed(population, [one.length for one in cases])
        if needed > schedule.users:
            yield (
                f"the highest rate needs about {plural(needed, 'user')} at once, and there are at "
                f"most {schedule.users}: what finds none is dropped; raise users"
            )
    for dataset in datasets:
        if dataset.problem:
            yield f"dataset {dataset.name!r}: {dataset.problem}"
        elif dataset.missing:
            rows = plural(dataset.rows or 0, "row")
            yield (
                f"dataset {dataset.name!r} ({dataset.file}) has {rows}, and {dataset.needed} are "
                "needed: `dataset-fill` makes them, or take fewer users"
            )
    for case in read:
        if not case.tls.verify:
            yield f"test case {case.name!r} does not verify certificates"
