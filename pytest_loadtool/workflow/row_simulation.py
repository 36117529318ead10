"""Which rows of a dataset the users of a load test will take, before it runs: by what the engine
itself goes by."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_loadtool.editing.datasets import users_of
from pytest_loadtool.engine.prepare.share import LoadTest
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.load.cluster.share import case_in, preflight, row_takers, rows_among
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.structure.uses import lasting_datasets


@dataclass(frozen=True, slots=True)
class SimulatedUser:
    """A virtual user, by its number from 1: the test case that it runs, by its number, and the rows
    (from 0) that it takes in its iterations; None: none is left, and the run ends there."""

    number: int
    case: int
    rows: tuple[int | None, ...]


def simulated(test: LoadTest, file: Path, rows: int, iterations: int) -> Iterator[SimulatedUser]:
    """Yield the users that take rows of a dataset's file, which has so many, with those that they
    take in their first iterations. Where iterations begin at a rate, a user may run any test
    case."""
    load = test.configuration
    takers = row_takers(load, [lasting_datasets(case) for case in test.cases])
    uses = dict(_uses(test, file))
    for place, population in enumerate(load.populations):
        schedule = population.schedule
        for user in range(schedule.users):
            cases = population.cases if schedule.open else (case_in(population, user),)
            for case in filter(uses.__contains__, cases):
                row = rows_among(takers[case], place, user)
                steps = (0 if load.keep_state else at for at in range(iterations))
                taken = tuple(row(uses[case], rows, step) for step in steps)
                yield SimulatedUser(population.first + user + 1, case, taken)


def refused(test: LoadTest, file: Path, rows: int) -> Iterator[str]:
    """Yield why the load test would not begin with so many rows, and what to do."""
    takers = row_takers(test.configuration, [lasting_datasets(case) for case in test.cases])
    for case, use in _uses(test, file):
        among = takers[case][use.name]
        try:
            preflight(use, rows, among.users, among.iterations)
        except ReplayError as error:
            yield str(error)


def _uses(test: LoadTest, file: Path) -> Iterator[tuple[int, DatasetUse]]:
    """Yield the numbers of the test cases whose fields take values of a file, with how."""
    wanted = os.path.realpath(file)
    for at, case in enumerate(test.cases):
        for use in lasting_datasets(case):
            same = os.path.realpath(test.path_of(at).parent / use.file) == wanted
            if same and any(users_of(case, use.name)):
                yield at, use
