"""The counts of one row of buckets of a histogram, in memory that hardly grows."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import compress
from operator import ne
from typing import Final

BUCKETS: Final = 1024
"""So many equal buckets make a row: the values up to the double."""

_CARRY: Final = 256

# Never written to.
_NOTHING: Final = array("I", [0] * BUCKETS)

_STRIDE: Final = 64  # buckets that are compared at once


class Buckets:
    """Counts of values in each of `BUCKETS` buckets: 1 KB, and 4 KB more from the first count of
    256 on, whatever the counts (up to 10**12 in a bucket)."""

    __slots__ = ("high", "low")

    def __init__(self) -> None:
        self.low = bytearray(BUCKETS)
        self.high = _NOTHING

    def count(self, bucket: int) -> None:
        """Count one value of that bucket."""
        self.add(bucket, 1)

    def add(self, bucket: int, more: int) -> None:
        """Count that many values of that bucket."""
        counted = self.low[bucket] + more
        if counted < _CARRY:
            self.low[bucket] = counted
        else:
            carried, self.low[bucket] = divmod(counted, _CARRY)
            self._carry(bucket, carried)

    def add_all(self, gained: Iterable[tuple[int, int]]) -> None:
        """Count values of several buckets: each bucket, and how many."""
        low = self.low
        for bucket, more in gained:
            try:  # quicker than a call: what is merged of a second is many buckets with few values
                low[bucket] += more
            except (ValueError, IndexError):  # it is full, or elsewhere
                self.add(bucket, more)

    def merge(self, other: Buckets) -> None:
        """Add the other's counts to these."""
        self.add_all(zip(*other.gained(None), strict=True))

    def counts(self) -> list[int]:
        """Return how many values each bucket has."""
        low = list(self.low)
        if self.high is _NOTHING:
            return low
        return [least + _CARRY * high for least, high in zip(low, self.high, strict=True)]

    def since(self, earlier: Buckets | None) -> Buckets:
        """Return what came after ``earlier``, which is this one as it was then; None is empty."""
        gained = Buckets()
        for bucket, more in zip(*self.gained(earlier), strict=True):
            gained.add(bucket, more)
        return gained

    def gained(self, earlier: Buckets | None) -> tuple[list[int], list[int]]:
        """Return the buckets that have more than ``earlier`` had, and how many more each has.

        Of a thousand a few do, and this is asked once a second of every histogram of a run: so it
        compares many at once.
        """
        if earlier is None:
            counts = self.counts()
            return list(compress(range(BUCKETS), counts)), list(filter(None, counts))
        lows, was_lows = self.low, earlier.low
        buckets: list[int] = []
        for part in _PARTS:
            low, was_low = lows[part], was_lows[part]
            high, was_high = self.high[part], earlier.high[part]
            if low != was_low or high != was_high:
                now, then = zip(low, high, strict=True), zip(was_low, was_high, strict=True)
                buckets += compress(range(part.start, part.stop), map(ne, now, then))
        return buckets, [
            lows[bucket] - was_lows[bucket] + _CARRY * (self.high[bucket] - earlier.high[bucket])
            for bucket in buckets
        ]

    def _carry(self, bucket: int, carried: int) -> None:
        if carried:
            if self.high is _NOTHING:
                self.high = array("I", _NOTHING)
            self.high[bucket] += carried


_PARTS: Final = [slice(start, start + _STRIDE) for start in range(0, BUCKETS, _STRIDE)]
