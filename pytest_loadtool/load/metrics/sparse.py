"""A histogram of which little is kept: the buckets that have something, and nothing for others.

The buckets are those of `Histogram`, so both merge exactly. A ``coarse`` one puts sixteen of them
together: 7 significant bits are kept of a value, which is at most 1.6 % of it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from pytest_loadtool.load.metrics.buckets import BUCKETS
from pytest_loadtool.load.metrics.histogram import ROWS, Histogram, highest

_COARSE_BITS: Final = 7
_TOGETHER: Final = BUCKETS * 2 >> _COARSE_BITS


def _coarse(value: int) -> int:
    """Return the first of the values below `BUCKETS` that are kept as one."""
    dropped = max(0, value.bit_length() - _COARSE_BITS)
    return value >> dropped << dropped


_COARSE_FIRST_ROW: Final = [_coarse(value) for value in range(BUCKETS)]


#: By number of a bucket, the number of that in which a coarse histogram has it.
COARSE: Final = _COARSE_FIRST_ROW + [
    number for number in range(BUCKETS, ROWS * BUCKETS, _TOGETHER) for _ in range(_TOGETHER)
]


class SparseHistogram:
    """Counts by bucket. ``total`` is the exact sum of the values, in microseconds.

    Buckets are numbered through: those of the first row of a `Histogram`, then those of the next.
    `pack` makes it small: 3 or 6 bytes for each bucket with something in it.
    """

    __slots__ = ("_counts", "_packed", "coarse", "total")

    def __init__(self, coarse: bool = False) -> None:
        self.coarse = coarse
        self.total = 0
        self._counts: defaultdict[int, int] | None = None
        self._packed = b""

    @property
    def count(self) -> int:
        """Return how many values there are."""
        return sum(self.buckets()[1])

    @property
    def mean(self) -> float:
        """The exact sum by the count, in microseconds; 0 when there is nothing."""
        count = self.count
        return self.total / count if count else 0.0

    def buckets(self) -> tuple[Sequence[int], Sequence[int]]:
        """Return the numbers of the buckets with something in them, ascending, and their counts."""
        counts = self._counts
        if counts is not None:
            numbers = sorted(counts)
            return numbers, [counts[number] for number in numbers]
        packed = self._packed
        if not packed:
            return (), ()
        kept: array[int] = array("H")
        found: array[int] = array(chr(packed[0]))
        end = 1 + (len(packed) - 1) * kept.itemsize // (kept.itemsize + found.itemsize)
        kept.frombytes(packed[1:end])
        found.frombytes(packed[end:])
        return kept, found

    def bounds(self, number: int) -> tuple[int, int]:
        """Return the least and the highest value of the bucket of that number."""
        shift, bucket = divmod(number, BUCKETS)
        shift -= 1
        last = bucket
        if self.coarse and shift >= 0:
            last = bucket | (_TOGETHER - 1)
        elif self.coarse:
            last = bucket + (1 << max(0, bucket.bit_length() - _COARSE_BITS)) - 1
        return highest(shift, bucket - 1) + 1, highest(shift, last)

    def percentiles(self, wanted: Sequence[float], most: int | None = None) -> list[int]:
        """Return nearest-rank percentiles in microseconds, as `Histogram.percentiles` has them;
        none is above ``most``.

        Raises:
            ValueError: there are no values.
        """
        numbers, counts = self.buckets()
        if not numbers:
            raise ValueError("a histogram without values has no percentiles")
        ranks = list(accumulate(counts))
        found: list[int] = []
        for p in wanted:
            rank = max(1, -(-round(p * 1000) * ranks[-1] // 100_000))
            value = self.bounds(numbers[bisect_left(ranks, rank)])[1]
            found.append(value if most is None else min(value, most))
        return found

    def add_wire(self, wire: list[Any]) -> None:
        """Add what `Histogram.to_wire` described."""
        counts = self.loose()
        coarse = self.coarse
        self.total += wire[0]
        for shift, buckets, gained in wire[3:]:
            start = (shift + 1) * BUCKETS
            for bucket, more in zip(buckets, gained, strict=True):
                number = COARSE[start + bucket] if coarse else start + bucket
                counts[number] += more

    def add(self, total: int, found: Mapping[int, int]) -> None:
        """Add counts by the number of the bucket, of values whose sum is ``total``."""
        self.total += total
        counts = self.loose()
        for number, more in found.items():
            counts[number] += more

    def merge(self, other: SparseHistogram) -> None:
        """Add another's counts, which is as coarse as this."""
        counts = self.loose()
        self.total += other.total
        numbers, gained = other.buckets()
        for number, more in zip(numbers, gained, strict=True):
            counts[number] += more

    def pack(self) -> int:
        """Make it small, until something is added, and return how many bytes its counts then
        take."""
        counts = self._counts
        if counts:
            numbers = sorted(counts)
            code = "B" if max(counts.values()) < 256 else "I"
            found = array(code, [counts[number] for number in numbers])
            self._packed = code.encode() + array("H", numbers).tobytes() + found.tobytes()
        self._counts = None
        return len(self._packed)

    def whole(self) -> Histogram:
        """Return the same as a `Histogram`."""
        pages: dict[int, list[Any]] = {}
        numbers, counts = self.buckets()
        for number, count in zip(numbers, counts, strict=True):
            row, bucket = divmod(number, BUCKETS)
            page = pages.setdefault(row, [row - 1, [], []])
            page[1].append(bucket)
            page[2].append(count)
        least = self.bounds(numbers[0])[0] if numbers else 0
        most = self.bounds(numbers[-1])[1] if numbers else 0
        return Histogram.from_wire([self.total, least, most, *pages.values()])

    def loose(self) -> defaultdict[int, int]:
        """Return counts by the number of the bucket, for more to be added until it is packed."""
        counts = self._counts
        if counts is None:
            numbers, found = self.buckets()
            counts = self._counts = defaultdict(int, zip(numbers, found, strict=True))
            self._packed = b""
        return counts
