"""The counts of one row of buckets of a histogram, in memory that hardly grows."""

from __future__ import annotations

from array import array
from itertools import compress
from operator import add, ne, sub
from typing import Final

BUCKETS: Final = 1024
"""So many equal buckets make a row: the values up to the double."""

_CARRY: Final = 256

_NOTHING: Final = array("I", [0] * BUCKETS)  # never written to

_STRIDE: Final = 64  # buckets that are compared at once


class Buckets:
    """How many values fell into each of `BUCKETS` buckets.

    Counting is the hot path, and nothing there is as quick as a list of integers. But CPython has
    only the integers up to 256 ready; each greater one in a list takes 32 bytes of its own, which
    made a histogram grow for as long as its buckets filled up. So ``low`` never gets there: every
    256th value of a bucket carries one over to ``high``. The two take 8 KB, and 4 KB more from the
    first carry on, whatever the counts (up to 10**12 in a bucket).
    """

    __slots__ = ("high", "low")

    def __init__(self) -> None:
        self.low = [0] * BUCKETS
        self.high = _NOTHING

    def count(self, bucket: int) -> None:
        """Count one value of that bucket."""
        low = self.low
        counted = low[bucket] + 1
        if counted < _CARRY:
            low[bucket] = counted
        else:
            self.add(bucket, 1)

    def add(self, bucket: int, more: int) -> None:
        """Count that many values of that bucket."""
        carried, self.low[bucket] = divmod(self.low[bucket] + more, _CARRY)
        if carried:
            if self.high is _NOTHING:
                self.high = array("I", _NOTHING)
            self.high[bucket] += carried

    def merge(self, other: Buckets) -> None:
        """Add the other's counts to these."""
        self._set(list(map(add, self.counts(), other.counts())))

    def counts(self) -> list[int]:
        """How many values each bucket has."""
        if self.high is _NOTHING:
            return self.low.copy()
        return [low + _CARRY * high for low, high in zip(self.low, self.high, strict=True)]

    def since(self, earlier: Buckets | None) -> Buckets:
        """What came after ``earlier``, which is this one as it was then; None is empty."""
        counts = self.counts()
        gained = Buckets()
        gained._set(list(map(sub, counts, earlier.counts())) if earlier else counts)
        return gained

    def gained(self, earlier: Buckets | None) -> tuple[list[int], list[int]]:
        """The buckets that have more than ``earlier`` had, and how many more each has.

        Of a thousand a few do, and this is asked once a second of every histogram of a run: so it
        compares many at once.
        """
        if earlier is None:
            counts = self.counts()
            return list(compress(range(BUCKETS), counts)), list(filter(None, counts))
        buckets: list[int] = []
        for part in _PARTS:
            low, was_low = self.low[part], earlier.low[part]
            high, was_high = self.high[part], earlier.high[part]
            if low != was_low or high != was_high:
                now, then = zip(low, high, strict=True), zip(was_low, was_high, strict=True)
                buckets += compress(range(part.start, part.stop), map(ne, now, then))
        return buckets, [self._of(bucket) - earlier._of(bucket) for bucket in buckets]

    def _of(self, bucket: int) -> int:
        return self.low[bucket] + _CARRY * self.high[bucket]

    def _set(self, counts: list[int]) -> None:
        self.low = [count % _CARRY for count in counts]
        self.high = array("I", [count // _CARRY for count in counts])


_PARTS: Final = [slice(start, start + _STRIDE) for start in range(0, BUCKETS, _STRIDE)]
