"""Who does what, from numbers alone: users, their start times, test cases and dataset rows.

Every worker computes its own part from its index and the number of workers. Nothing is agreed upon
at run time, and a user does the same whichever worker runs it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress, cycle
from math import gcd
from posixpath import dirname, join, normpath
from random import Random
from typing import TypeVar

from pytest_loadtool.errors import ReplayError
from pytest_loadtool.load.formatting import plural
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.load import LoadConfiguration, Population

T = TypeVar("T")

MOST_REPORTS = 128
"""Reports of all workers in a second."""


@dataclass(frozen=True, slots=True)
class Share:
    """Part ``index`` (from 0) of ``count`` parts of a load test."""

    index: int = 0
    count: int = 1
    weights: tuple[int, ...] = ()
    """How large each part is beside the others; empty if all are alike."""
    turned: int = 0
    """So many turns are over when a series begins: without that, the first worker would have the
    only user of each schedule that has one."""

    def __post_init__(self) -> None:
        if not 0 <= self.index < self.count:
            raise ValueError(f"there is no share {self.index} of {self.count}")

    @property
    def report_length(self) -> int:
        """Return how many seconds of a run a worker's report has in one, a power of two: the more
        workers, the longer, so that who adds them up hears at most `MOST_REPORTS` a second."""
        return 1 << (-(-self.count // MOST_REPORTS) - 1).bit_length()

    def users(self, total: int) -> Sequence[int]:
        """Return the numbers, from 0, of the users that belong to this share, ascending."""
        if not self.weights:
            return range((self.index - self.turned) % self.count, total, self.count)
        return tuple(self.of(range(total)))

    def of(self, series: Iterable[T]) -> Iterator[T]:
        """Return what belongs to this share of what all take in turns, such as arrivals."""
        turns = _pattern(self.weights) if self.weights else range(self.count)
        own = deque(turn == self.index for turn in turns)
        own.rotate(-self.turned)
        return compress(series, cycle(own))

    def users_of(self, load: LoadConfiguration) -> int:
        """Return how many users of a load, of all its schedules, belong to this share."""
        return sum(
            len(self.of_population(one).users(one.schedule.users)) for one in load.populations
        )

    def of_population(self, population: Population) -> Share:
        """Return the same share of a population: its users follow those of the others in turn."""
        return replace(self, turned=population.first)


def case_of(user: int, weights: Sequence[int]) -> int:
    """Return the index of the test case that a user runs.

    The weights are dealt out evenly: of the first sum(weights) users, and of each such group after
    them, exactly ``weights[i]`` run case i.

    Each group of users begins elsewhere in the pattern. With the same pattern in each, two cases of
    equal weight on two workers would give each worker one case only, since users are dealt to
    workers by turns, too. The squares times the golden ratio have no period that the number of
    workers could share.
    """
    pattern = _pattern(tuple(weights))
    group, place = divmod(user, len(pattern))
    turn = (group * group * 2654435769 & 0xFFFFFFFF) * len(pattern) >> 32
    return pattern[(place + turn) % len(pattern)]


def case_in(population: Population, turn: int) -> int:
    """Return the number of the test case that a user of a population runs, or an arrival there."""
    return population.cases[case_of(turn, population.weights)]


@lru_cache(maxsize=64)
def _pattern(weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shortest series that holds each index in proportion to its weight, spread evenly.

    Smooth weighted round robin: everybody gains its weight, the richest has its turn and pays for
    all.
    """
    divisor = gcd(*weights)
    gains = [weight // divisor for weight in weights]
    wealth = [0] * len(gains)
    pattern = []
    for _ in range(sum(gains)):
        wealth = [have + gain for have, gain in zip(wealth, gains, strict=True)]
        turn = wealth.index(max(wealth))
        wealth[turn] -= sum(gains)
        pattern.append(turn)
    return tuple(pattern)


def row_of(use: DatasetUse, rows: int, user: int, users: int, iteration: int) -> int | None:
    """Return the row (from 0) that a user holds in an iteration (from 0); None when it has no row
    left.

    A user that keeps its row for life holds the row of its own number. Otherwise all users go down
    the rows together: row ``user`` first, then ``users`` rows further each time. After the last
    row:

    * not reusable: there is none left;
    * reusable and sharable: the first comes again, so that all rows are used equally;
    * reusable, not sharable: the user's own rows come again, which no other user ever holds.

    In random order these are the rows of a shuffled file.
    """
    row = _row_in_turn(use, rows, user, users, iteration)
    return row if row is None or use.order == "sequential" else _shuffled(use.name, rows)[row]


@lru_cache(maxsize=64)
def _shuffled(name: str, rows: int) -> tuple[int, ...]:
    """Return the rows of a dataset, shuffled: for all workers, and in each run, in the same way."""
    order = list(range(rows))
    Random(name).shuffle(order)  # noqa: S311  no secret: it is to be known
    return tuple(order)


def _row_in_turn(use: DatasetUse, rows: int, user: int, users: int, iteration: int) -> int | None:
    step = iteration if use.lifespan == "test case" else 0
    row = user + step * users
    if row < rows:
        return row
    if not use.reusable or not rows:
        return None
    if use.sharable:
        return row % rows
    own = range(user, rows, users)
    return own[step % len(own)] if own else None


def rows_for(
    use: DatasetUse, rows: int, users: Sequence[int], of: int, iterations: int | None
) -> frozenset[int] | None:
    """Return the rows that ``users``, some of ``of``, may ever hold in so many iterations each
    (None: in any number); None when that may be every row."""
    ends = use.lifespan == "virtual user" or (iterations is not None and of * iterations <= rows)
    if rows < of or (use.reusable and use.sharable and not ends):
        return None
    last = of if use.lifespan == "virtual user" else rows
    taken = {row for user in users for row in range(user, last, of)}
    if use.order == "random":
        taken = {_shuffled(use.name, rows)[row] for row in taken}
    return frozenset(taken)


@dataclass(frozen=True, slots=True)
class RowTakers:
    """The users that take rows of a dataset, who may be of several populations: how many, and how
    many iterations each does at the most (1 where nobody knows). ``firsts`` are, by a population's
    place, the numbers of their first users among them."""

    users: int
    iterations: int
    firsts: Mapping[int, int]


def rows_among(
    takers: Mapping[str, RowTakers], population: int, user: int
) -> Callable[[DatasetUse, int, int], int | None]:
    """Return `row_of` the user of this number in a population, with ``takers`` by the names of
    datasets."""

    def row(use: DatasetUse, rows: int, iteration: int) -> int | None:
        among = takers[use.name]
        return row_of(use, rows, among.firsts[population] + user, among.users, iteration)

    return row


def row_takers(
    load: LoadConfiguration, uses: Sequence[Iterable[DatasetUse]]
) -> tuple[Mapping[str, RowTakers], ...]:
    """Return for each test case, by the names of its datasets, who takes rows of these; ``uses``
    are those of each. A dataset is a file: test cases may call it by different names."""
    files = [
        {use.name: normpath(join(dirname(case.file), use.file)) for use in own}
        for case, own in zip(load.cases, uses, strict=True)
    ]
    cases: dict[str, set[int]] = {}
    for number, own in enumerate(files):
        for file in own.values():
            cases.setdefault(file, set()).add(number)
    takers = {file: takers_among(load, numbers) for file, numbers in cases.items()}
    return tuple({name: takers[file] for name, file in own.items()} for own in files)


def takers_among(load: LoadConfiguration, cases: Iterable[int]) -> RowTakers:
    """Return who takes rows of a dataset that these test cases use, by their numbers."""
    wanted, users, iterations = set(cases), 0, 1
    firsts: dict[int, int] = {}
    for place, population in enumerate(load.populations):
        if wanted.intersection(population.cases):
            firsts[place] = users
            users += population.schedule.users
            iterations = max(iterations, population.schedule.iterations or 1)
    return RowTakers(users, iterations, firsts)


def rows_of(user: int, users: int) -> Callable[[DatasetUse, int, int], int | None]:
    """Return `row_of` the user of this number (from 0), of ``users``."""

    def row(use: DatasetUse, rows: int, iteration: int) -> int | None:
        return row_of(use, rows, user, users, iteration)

    return row


#: What a test takes: the first row of each dataset.
FIRST_ROWS = rows_of(user=0, users=1)


def needed_rows(use: DatasetUse, users: int, iterations: int = 1) -> int:
    """Return how many rows there must be for each user to find one, in so many iterations each."""
    if use.reusable and use.sharable:
        return 1
    return users * (iterations if use.lifespan == "test case" and not use.reusable else 1)


def preflight(use: DatasetUse, rows: int, users: int, iterations: int = 1) -> None:
    """Check before the start that each user will find a row, in so many iterations each.

    Raises:
        ReplayError: the dataset is empty, or has too few rows that cannot be shared or used again.
    """
    if rows == 0:
        raise ReplayError(f"dataset {use.name!r} ({use.file}) has no rows: add at least one")
    needed = needed_rows(use, users, iterations)
    if rows >= needed:
        return
    rounds = needed // users
    rule, change = (
        ("no two users may hold the same row (sharable = false)", "set sharable = true")
        if rows < users and not use.sharable
        else ("no row is used twice (reusable = false)", "set reusable = true")
    )
    fewer = f"lower users to {rows // rounds}, " if rows >= rounds else ""
    each = f" with {plural(rounds, 'iteration')} each" if rounds > 1 else ""
    raise ReplayError(
        f"dataset {use.name!r} ({use.file}) has {plural(rows, 'row')} for {plural(users, 'user')}"
        f"{each}, and {rule}: add {needed - rows} more, {fewer}or {change}"
    )
