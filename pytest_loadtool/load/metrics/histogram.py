"""A histogram of microseconds that keeps three significant digits and merges exactly.

Log-linear buckets, as in HdrHistogram: a row of 1,024 for the values up to the double, so a
bucket is never wider than 0.1 % of the value, and below 2,048 us every value has its own.
A row is made when its first value is counted, and costs 1 to 5 KB; 26 rows reach 38 hours. So the
size depends on the spread of the values, not on how many there are.

`Histogram.record` runs three times per request. Nothing is as quick as to append to a list: values
are counted when somebody asks, or when there are many. Who takes them away each second (`take`)
never has rows. `Extent` is for what needs no percentiles.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, Final

from pytest_loadtool.load.metrics.buckets import BUCKETS, Buckets

_PER_ROW: Final = BUCKETS
_MASK: Final = _PER_ROW - 1
_BITS: Final = 11  # that are kept of a value

ROWS: Final = 41
"""A histogram has at most so many."""

_LONGEST: Final = (1 << ROWS - 2 + _BITS) - 1  # 35 years; the last row ends here

_NOTHING_YET: Final = 1 << 60

_MOST_FRESH: Final = 1000  # values that are not counted yet: counting them takes 0.2 ms


class Histogram:
    """Counts of non-negative integer microseconds; ``total`` and ``max`` are exact."""

    __slots__ = ("_fresh", "_least", "_most", "_rows", "total")

    def __init__(self) -> None:
        # The first has the values below 1,024; the one at n those of n + 10 bits.
        self._rows: list[Buckets | None] = [None] * ROWS
        self._fresh: list[int] = []  # recorded, and in none of the other figures but the sum
        self._least = _NOTHING_YET
        self._most = 0
        self.total = 0

    def record(self, us: int) -> None:
        """Count one value. A negative one, which a timer that fires early can make, counts as 0."""
        if not 0 <= us <= _LONGEST:
            us = min(max(us, 0), _LONGEST)
        self.total += us
        fresh = self._fresh
        fresh.append(us)
        if len(fresh) >= _MOST_FRESH:
            self._settle()

    @property
    def count(self) -> int:
        """Return how many values were recorded."""
        return sum(sum(row.counts()) for _, row in self._made())

    @property
    def min(self) -> int:
        """The least value, exactly; 0 when there is none."""
        self._settle()
        return 0 if self._least == _NOTHING_YET else self._least

    @property
    def max(self) -> int:
        """The greatest value, exactly; 0 when there is none."""
        self._settle()
        return self._most

    @property
    def mean(self) -> float:
        """The exact sum by the count, in microseconds; 0 when there is nothing."""
        count = self.count
        return self.total / count if count else 0.0

    def percentile(self, p: float) -> int:
        """Return the nearest-rank percentile in microseconds, ``p`` from 0 to 100 (three decimals
        count).

        The answer is the highest value of the bucket that holds it, but never above the maximum:
        so it is at most 0.1 % too high and never too low, and percentiles never decrease with
        ``p``.

        Raises:
            ValueError: nothing was recorded, or ``p`` is out of range.
        """
        return self.percentiles([p])[0]

    def percentiles(self, wanted: list[float]) -> list[int]:
        """Return several at once, which is quicker than one after the other.

        Raises:
            ValueError: as `percentile`.
        """
        pages = [(shift, row.counts()) for shift, row in self._made()]
        sizes = [sum(page) for _, page in pages]
        count = sum(sizes)
        if not count:
            raise ValueError("a histogram without values has no percentiles")
        found: list[int] = []
        for p in wanted:
            if not 0 <= p <= 100:
                raise ValueError(f"a percentile lies between 0 and 100, not {p}")
            # In whole thousandths: 99.9 % of 1,000 is rank 999, which floating point makes 1,000.
            rank, number = max(1, -(-round(p * 1000) * count // 100_000)), 0
            while rank > sizes[number]:
                rank -= sizes[number]
                number += 1
            shift, page = pages[number]
            found.append(min(highest(shift, bisect_left(list(accumulate(page)), rank)), self._most))
        return found

    def merge(self, other: Histogram) -> None:
        """Add the other's counts to these. Nothing is lost: the buckets are the same everywhere."""
        for shift, row in other._made():
            self.row(shift + 1).merge(row)
        self.total += other.total
        self.extend(other._least, other._most)

    def since(self, earlier: Histogram) -> Histogram:
        """Return what came after ``earlier``, which is this one as it was then.

        Least and most are those of the buckets: at most 0.1 % off.
        """
        gained = Histogram()
        earlier._settle()
        for shift, row in self._made():
            gained._rows[shift + 1] = row.since(earlier._rows[shift + 1])
        gained.total = self.total - earlier.total
        filled = [
            (shift, bucket) for shift, row in gained._made() for bucket in row.gained(None)[0]
        ]
        if filled:
            shift, bucket = filled[0]
            gained._least = max(highest(shift, bucket - 1) + 1, self._least)
            gained._most = min(highest(*filled[-1]), self._most)
        return gained

    def to_wire(self, known: Histogram | None = None) -> list[Any]:
        """Return integers and lists only: ``[total, min, max, [shift, [bucket, …], [count, …]],
        …]``.

        With ``known``, which is this one as it was before: only the counts that came after it.
        Least and most are always those of all.
        """
        wire: list[Any] = [self.total - (known.total if known else 0), self.min, self.max]
        if known is not None:
            known._settle()
        for shift, row in self._made():
            buckets, counts = row.gained(known._rows[shift + 1] if known else None)
            if buckets:
                wire.append([shift, buckets, counts])
        return wire

    def take(self, known: Histogram) -> list[Any]:
        """Return the same, and forget the counts: the next time there are those that came after
        it. Of ``known`` only the sum is asked for."""
        if any(self._rows):
            wire = self.to_wire()
            wire[0] -= known.total
            self._rows = [None] * ROWS
            return wire
        fresh, self._fresh = self._fresh, []
        if fresh:
            self.extend(min(fresh), max(fresh))
        wire = [self.total - known.total, self.min, self._most]
        pages: dict[int, list[Any]] = {}
        for number, count in sorted(_counted(fresh).items()):
            page = pages.get(number >> 10)
            if page is None:
                page = pages[number >> 10] = [(number >> 10) - 1, [], []]
            page[1].append(number & _MASK)
            page[2].append(count)
        wire += pages.values()
        return wire

    def merge_wire(self, wire: list[Any]) -> None:
        """Add the counts of a histogram that `to_wire` described."""
        total, least, greatest, *pages = wire
        for shift, buckets, counts in pages:
            self.row(shift + 1).add_all(zip(buckets, counts, strict=True))
        if pages or greatest:
            self.total += total
            self.extend(least, greatest)

    def add_counts(self, counts: Mapping[int, int]) -> None:
        """Add counts by the number of the bucket, as a `SparseHistogram` has it; not their sum."""
        rows = self._rows
        for number, more in counts.items():
            row = rows[number >> 10] or self._make(number >> 10)
            try:  # as in `Buckets.add_all`
                row.low[number & _MASK] += more
            except (ValueError, IndexError):
                row.add(number & _MASK, more)

    def extend(self, least: int, greatest: int) -> None:
        """Know of a least and a greatest value, whose counts are added to rows."""
        self._most = max(self._most, greatest)
        self._least = min(self._least, least)

    def row(self, number: int) -> Buckets:
        """Return the row of that number, for counts to be added; it is made if there is none."""
        return self._rows[number] or self._make(number)

    @classmethod
    def from_wire(cls, wire: list[Any]) -> Histogram:
        """Return the histogram that `to_wire` described."""
        self = cls()
        self.merge_wire(wire)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Histogram) and self.to_wire() == other.to_wire()

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"<Histogram of {self.count} values, {self.min} to {self.max} us>"

    def _make(self, number: int) -> Buckets:
        row = self._rows[number] = Buckets()
        return row

    def _settle(self) -> None:
        """Count what was recorded."""
        fresh = self._fresh
        if fresh:
            self._fresh = []
            self.extend(min(fresh), max(fresh))
            self.add_counts(_counted(fresh))

    def _made(self) -> list[tuple[int, Buckets]]:
        """Return the rows that exist in ascending order of value, by their shift; -1 is the
        first."""
        self._settle()
        return [(at - 1, row) for at, row in enumerate(self._rows) if row is not None]


def _counted(values: Iterable[int]) -> dict[int, int]:
    """Return how many of these there are by the number of the bucket, as a `SparseHistogram` has
    it."""
    counts: dict[int, int] = {}
    for us in values:
        if us < _PER_ROW:
            number = us
        else:
            shift = us.bit_length() - _BITS
            number = (shift + 1 << 10) + (us >> shift & _MASK)
        counts[number] = counts.get(number, 0) + 1
    return counts


class Extent:
    """Count, sum, least and most of integer microseconds: all exact, and without percentiles."""

    __slots__ = ("_least", "count", "max", "total")

    def __init__(self) -> None:
        self._least = _NOTHING_YET
        self.count = self.total = self.max = 0

    def record(self, us: int) -> None:
        """Count one value. A negative one counts as 0."""
        us = max(us, 0)
        self.count += 1
        self.total += us
        self._least = min(self._least, us)
        self.max = max(self.max, us)

    @property
    def min(self) -> int:
        """The least value; 0 when there is none."""
        return 0 if self._least == _NOTHING_YET else self._least

    @property
    def mean(self) -> float:
        """The sum by the count, in microseconds; 0 when there is nothing."""
        return self.total / self.count if self.count else 0.0

    def merge_wire(self, wire: list[int]) -> None:
        """Add the numbers that `to_wire` described."""
        total, least, greatest, count = wire
        if count:
            self.count += count
            self.total += total
            self._least = min(self._least, least)
            self.max = max(self.max, greatest)

    def to_wire(self, known: Extent | None = None) -> list[int]:
        """Return ``[total, min, max, count]``; of total and count what came after ``known``."""
        if known is None:
            return [self.total, self.min, self.max, self.count]
        return [self.total - known.total, self.min, self.max, self.count - known.count]


def highest(shift: int, bucket: int) -> int:
    """Return the highest value that falls into a bucket."""
    return bucket if shift < 0 else (_PER_ROW + bucket + 1 << shift) - 1
