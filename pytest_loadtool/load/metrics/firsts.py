"""What made iterations fail: the first failure of each, and what followed from it.

Each failed request of a run is counted once: as the first of its iteration, which opens or joins a
group, or as a consequence in the group of that first one. Nothing here grows with the number of
requests, and a run without failures never comes here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.timeline import Timeline
from pytest_loadtool.model.result import Cause, Failure, main_failure

MOST_GROUPS = 100
"""How many groups a worker tells apart; what comes after them is counted together."""

MOST_ROWS = 100
"""Of how many rows of datasets a group counts its iterations."""

MOST_GOOD_ROWS = 1000
"""Of how many rows it is known that a transaction that has failed was answered well, too."""

MOST_STEPS = 600
"""In so many intervals at most a group is divided by time."""

MOST_SAMPLES = 3
"""How many samples of a group are kept."""

_LONGEST_MESSAGE = 500

Row = tuple[str, int]
"""A dataset, and the row in it, from 0."""

Key = tuple[int, int, Cause, str]
"""Index of the transaction, status (0: no response), cause, message."""

_REST: Key = (-1, 0, "internal", "")


class RowCounts:
    """Counts of what came, up to a number of things; ``others`` counts the rest."""

    __slots__ = ("counts", "others")

    def __init__(self) -> None:
        self.counts: dict[Row, int] = {}
        self.others = 0

    def add(self, row: Row, more: int, limit: int) -> None:
        """Count it."""
        known = self.counts.get(row)
        if known is not None or len(self.counts) < limit:
            self.counts[row] = (known or 0) + more
        else:
            self.others += more

    def merge(self, other: RowCounts) -> None:
        """Add another's. Nothing is dropped, so that the order does not matter."""
        for row, count in other.counts.items():
            self.counts[row] = self.counts.get(row, 0) + count
        self.others += other.others

    def to_wire(self, known: RowCounts | None) -> list[Any]:
        """Return ``[others, [dataset, row, count], …]``; of counts what came after ``known``."""
        before = known or RowCounts()
        gained = (
            [*row, more]
            for row, count in sorted(self.counts.items())
            if (more := count - before.counts.get(row, 0))
        )
        return [self.others - before.others, *gained]

    @classmethod
    def from_wire(cls, wire: list[Any]) -> RowCounts:
        """Return the tally that `to_wire` described."""
        self = cls()
        self.others, *rows = wire
        self.counts = {(name, row): count for name, row, count in rows}
        return self


class Course:
    """Counts of something by time: in intervals of equal length, a power of two in seconds. They
    become longer before there are more than `MOST_STEPS`. All merges exactly."""

    __slots__ = ("counts", "length")

    def __init__(self) -> None:
        self.length = 1
        self.counts: dict[int, int] = {}
        """By the number of the interval."""

    def add(self, second: int, more: int = 1) -> None:
        """Count what came in this second of the run."""
        while second // self.length >= MOST_STEPS:
            self._coarsen(2 * self.length)
        number = second // self.length
        self.counts[number] = self.counts.get(number, 0) + more

    def merge(self, other: Course) -> None:
        """Add another's."""
        self._coarsen(other.length)
        for number, count in other.counts.items():
            mine = number * other.length // self.length
            self.counts[mine] = self.counts.get(mine, 0) + count

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Return the second in which an interval begins, and its count, in order."""
        return ((number * self.length, count) for number, count in sorted(self.counts.items()))

    def to_wire(self, known: Course | None) -> list[Any]:
        """Return ``[length, [number, count], …]``; of counts what came after ``known``."""
        before = Course()
        if known is not None:
            before.merge(known)
            before._coarsen(self.length)
        gained = (
            [number, more]
            for number, count in sorted(self.counts.items())
            if (more := count - before.counts.get(number, 0))
        )
        return [self.length, *gained]

    @classmethod
    def from_wire(cls, wire: list[Any]) -> Course:
        """Return the course that `to_wire` described."""
        self = cls()
        self.length, *counts = wire
        self.counts = dict(counts)
        return self

    def _coarsen(self, length: int) -> None:
        """Make intervals longer, until they have this length at least."""
        while self.length < length:
            finer, self.counts = self.counts, {}
            self.length *= 2
            for number, count in finer.items():
                self.counts[number // 2] = self.counts.get(number // 2, 0) + count


class FailureGroup:
    """Iterations that failed first in the same way, at the same transaction.

    ``second`` is when the first of them failed; ``course`` has them by time. ``youngest_us`` and
    ``oldest_us`` are the least and the greatest age of the user's session (its cookies) when they
    failed. ``samples`` are what was sent and received, of the first one and of some after it;
    ``unmade`` counts those that could not be made when the load was over, by the reason.
    """

    __slots__ = (
        "consequences", "course", "iterations", "key", "oldest_us", "rows", "samples", "second",
        "tries", "unmade", "youngest_us",
    )  # fmt: skip

    def __init__(self, key: Key, second: int) -> None:
        self.key = key
        self.second = second
        self.iterations = self.consequences = 0
        self.course = Course()
        self.rows = RowCounts()
        self.youngest_us, self.oldest_us = 1 << 60, 0
        self.samples: list[Any] = []
        self.unmade: dict[str, int] = {}
        self.tries = 0
        """How many users were asked to keep a whole iteration."""

    def add(self, second: int, age_us: int, rows: Iterable[Row]) -> None:
        """Count an iteration."""
        self.iterations += 1
        self.course.add(second)
        self.youngest_us = min(self.youngest_us, age_us)
        self.oldest_us = max(self.oldest_us, age_us)
        for row in rows:
            self.rows.add(row, 1, MOST_ROWS)

    def merge(self, other: FailureGroup) -> None:
        """Add the other's numbers to these. Of the samples the whole and the early ones stay."""
        self.second = min(self.second, other.second)
        self.iterations += other.iterations
        self.consequences += other.consequences
        self.course.merge(other.course)
        self.rows.merge(other.rows)
        self.youngest_us = min(self.youngest_us, other.youngest_us)
        self.oldest_us = max(self.oldest_us, other.oldest_us)
        every = sorted([*self.samples, *other.samples], key=_whole_and_early)
        self.samples = every[:MOST_SAMPLES]
        for reason, count in other.unmade.items():
            self.unmade[reason] = self.unmade.get(reason, 0) + count

    def to_wire(self, known: FailureGroup | None, samples: list[Any]) -> list[Any]:
        """Return all of it, or what came after ``known``; an empty list when nothing came. Of
        ``samples`` those are a reason, as text, that could not be made."""
        iterations = self.iterations - (known.iterations if known else 0)
        consequences = self.consequences - (known.consequences if known else 0)
        if not iterations and not consequences:
            return []
        return [
            [*self.key],
            [self.second, iterations, consequences, self.youngest_us, self.oldest_us],
            self.course.to_wire(known.course if known else None),
            self.rows.to_wire(known.rows if known else None),
            samples,
        ]

    @classmethod
    def from_wire(cls, wire: list[Any]) -> FailureGroup:
        """Return the group that `to_wire` described."""
        key, (second, iterations, consequences, youngest, oldest), course, rows, samples = wire
        self = cls(tuple(key), second)
        self.iterations, self.consequences = iterations, consequences
        self.youngest_us, self.oldest_us = youngest, oldest
        self.course = Course.from_wire(course)
        self.rows = RowCounts.from_wire(rows)
        self.samples = [one for one in samples if not isinstance(one, str)]
        for one in samples:
            if isinstance(one, str):
                self.unmade[one] = self.unmade.get(one, 0) + 1
        return self


def _whole_and_early(sample: dict[str, Any]) -> tuple[bool, float]:
    return not sample["whole"], sample["started"]


def _index(item: tuple[int, object]) -> int:
    return item[0]


class GoodAnswers:
    """The good answers to a transaction since it failed first: how many, the greatest age of a
    session that had one, and the rows of those who got them."""

    __slots__ = ("count", "oldest_us", "rows")

    def __init__(self) -> None:
        self.count = self.oldest_us = 0
        self.rows = RowCounts()

    def merge(self, other: GoodAnswers) -> None:
        """Add another worker's."""
        self.count += other.count
        self.oldest_us = max(self.oldest_us, other.oldest_us)
        self.rows.merge(other.rows)

    def to_wire(self, known: GoodAnswers | None) -> list[Any]:
        """Return all of them, or what came after ``known``."""
        before = known or GoodAnswers()
        rows = self.rows.to_wire(before.rows)
        return [self.count - before.count, self.oldest_us, rows]

    @classmethod
    def from_wire(cls, wire: list[Any]) -> GoodAnswers:
        """Return the answers that `to_wire` described."""
        self = cls()
        self.count, self.oldest_us, rows = wire
        self.rows = RowCounts.from_wire(rows)
        return self


class FailedTimes:
    """The times of requests that failed, which the histograms of all requests have as well."""

    __slots__ = ("response", "service")

    def __init__(self) -> None:
        self.service = Histogram()
        self.response = Histogram()

    def merge(self, other: FailedTimes) -> None:
        """Add the other's."""
        self.service.merge(other.service)
        self.response.merge(other.response)


class FirstFailures:
    """The reasons why the iterations of a worker failed, or of several workers merged.

    ``rest`` is the group of those that are in none of the first `MOST_GROUPS`. By transaction,
    ``times`` are of failed requests, and ``good`` what is known of the others. ``course`` has all
    failed requests by time. ``exhausted`` are the datasets that had no row left, with how many they
    have. ``keep`` makes what can be sent of a sample, or says why it cannot.
    """

    def __init__(self, keep: Callable[[Any], dict[str, Any] | str] | None = None) -> None:
        self.rest = FailureGroup(_REST, 0)
        self.times: dict[int, FailedTimes] = {}
        self.good: dict[int, GoodAnswers] = {}
        self.course = Timeline()
        self.exhausted: dict[str, int] = {}
        self._groups: dict[Key, FailureGroup] = {}
        self._keep = keep

    # Recording.

    def failed(self, transaction: int, second: int, service_us: int, response_us: int) -> None:
        """Count a failed request, whatever it was in its iteration."""
        times = self.times.get(transaction)
        if times is None:
            times = self.times[transaction] = FailedTimes()
            self.good[transaction] = GoodAnswers()
        times.service.record(service_us)
        times.response.record(response_us)
        self.course.add(second, 1, 0, 0, response_us, response_us)

    def group(
        self, transaction: int, status: int, failures: tuple[Failure, ...], second: int
    ) -> FailureGroup:
        """Return the group of an iteration that has failed first here, because of these."""
        first = main_failure(failures)
        key = (transaction, status, first.cause, first.message[:_LONGEST_MESSAGE])
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= MOST_GROUPS:
                return self.rest
            group = self._groups[key] = FailureGroup(key, second)
        return group

    def passed(self, transaction: int, age_us: int, rows: Iterable[Row]) -> None:
        """Count a good answer, if the transaction has failed before."""
        good = self.good.get(transaction)
        if good is not None:
            good.count += 1
            good.oldest_us = max(good.oldest_us, age_us)
            for row in rows:
                good.rows.add(row, 1, MOST_GOOD_ROWS)

    # Reading.

    def __iter__(self) -> Iterator[FailureGroup]:
        """Return the groups with the most iterations first; of equal ones the earlier."""
        order = sorted(
            self._groups.items(), key=lambda one: (-one[1].iterations, one[1].second, one[0])
        )
        return (group for _, group in order)

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def requests(self) -> int:
        """Return how many failed requests are counted: firsts and consequences."""
        every = (*self._groups.values(), self.rest)
        return sum(one.iterations + one.consequences for one in every)

    # Merging.

    def merge(self, other: FirstFailures) -> None:
        """Add another worker's. There are at most `MOST_GROUPS` for each worker."""
        for key, theirs in other._groups.items():
            mine = self._groups.get(key)
            if mine is None:
                mine = self._groups[key] = FailureGroup(key, theirs.second)
            mine.merge(theirs)
        self.rest.merge(other.rest)
        for index, times in other.times.items():
            self.times.setdefault(index, FailedTimes()).merge(times)
        for index, good in other.good.items():
            self.good.setdefault(index, GoodAnswers()).merge(good)
        self.course.merge(other.course)
        self.exhausted |= other.exhausted

    def to_wire(self, known: FirstFailures | None = None) -> dict[str, Any]:
        """Return all of it with samples, or what came after ``known`` without. Builtin types only;
        empty as long as nothing has failed."""
        if not self.times and not self.exhausted:
            return {}
        before = known or FirstFailures()
        groups = (
            one.to_wire(before._groups.get(one.key), [] if known else self._samples(one))
            for one in self
        )
        return {
            "groups": [one for one in groups if one],
            "rest": self.rest.to_wire(before.rest if known else None, []),
            "times": [
                [
                    index,
                    one.service.to_wire(then.service if then else None),
                    one.response.to_wire(then.response if then else None),
                ]
                for index, one in sorted(self.times.items(), key=_index)
                for then in [before.times.get(index)]
            ],
            "good": [
                [index, *one.to_wire(before.good.get(index))]
                for index, one in sorted(self.good.items(), key=_index)
            ],
            "course": self.course.to_wire(before.course if known else None),
            "exhausted": dict(self.exhausted),
        }

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> FirstFailures:
        """Return what `to_wire` described."""
        self = cls()
        if not wire:
            return self
        for one in wire["groups"]:
            group = FailureGroup.from_wire(one)
            self._groups[group.key] = group
        if wire["rest"]:
            self.rest = FailureGroup.from_wire(wire["rest"])
        for index, service, response in wire["times"]:
            times = self.times[index] = FailedTimes()
            times.service.merge_wire(service)
            times.response.merge_wire(response)
        self.good = {index: GoodAnswers.from_wire(one) for index, *one in wire["good"]}
        self.course = Timeline.from_wire(wire["course"])
        self.exhausted = wire["exhausted"]
        return self

    def _samples(self, group: FailureGroup) -> list[dict[str, Any] | str]:
        keep = self._keep
        if keep is None:
            return [*group.samples]
        return [keep(one) for one in group.samples]
