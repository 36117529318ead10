"""What transactions did in a part of a run, in columns: so a thousand workers' add up cheaply.

A worker's report has some of each transaction that had requests. A list for each number rather than
an object for each transaction is put together with others by extending lists, and travels as
arrays.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Set
from itertools import compress
from typing import Any, Final

from pytest_loadtool.load.metrics.buckets import BUCKETS
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.measures import TransactionMetrics

KINDS: Final = ("first_byte", "service", "response")
"""The histograms of `TransactionMetrics`, in their order here."""

_SUMS: Final = ("errors", "received", "sent", "first_byte_us", "service_us", "response_us")
_LISTS: Final = 1 + len(_SUMS) + 3 + 4 + 3 * len(KINDS)


class Slices:
    """What transactions did in ``length`` seconds of a run, from ``second`` on.

    A transaction may come more than once. Of each there is a place in the first ``columns``: its
    index, its errors, bytes received and sent, and the sums of its three times. Then follow lists
    whose places go together: index, status, how many; index, kind of time, least, most, both of
    the run so far; and for each kind of time the buckets with a value, then those with more than
    one and how many more. A bucket is told by its number in a `SparseHistogram`, with the
    transaction's index above the lower 16 bits. Of a thousand workers' few buckets have two values.

    ``others`` are what is rare: index, how many were not as recorded, and in which ways.
    """

    __slots__ = ("_together", "columns", "length", "others", "second")

    def __init__(self, second: int, length: int = 1) -> None:
        self.second = second
        self.length = length
        self.columns: list[list[int]] = [[] for _ in range(_LISTS)]
        self.others: list[list[Any]] = []
        self._together: dict[int, Counter[int]] = {}

    @property
    def requests(self) -> int:
        """Return how many there were."""
        return sum(self.columns[_STATUSES + 2])

    @property
    def errors(self) -> int:
        """Return how many of them failed."""
        return sum(self.columns[1])

    @property
    def size(self) -> int:
        """Return how many buckets it has of the three times."""
        return sum(len(one) for one in self.columns[_BUCKETS::3])

    def add(self, index: int, wire: list[Any], before: TransactionMetrics) -> None:
        """Add one transaction: what `TransactionMetrics.to_wire` says of what came after
        ``before``."""
        self._together.clear()
        (statuses, counts), errors, (received, sent), (not_as_recorded, *differences), *times = wire
        columns = self.columns
        sums = [index, errors, received, sent, *(one[0] for one in times)]
        for column, value in zip(columns, sums, strict=False):
            column.append(value)
        columns[_STATUSES] += [index] * len(statuses)
        columns[_STATUSES + 1] += statuses
        columns[_STATUSES + 2] += counts
        for kind, (_, least, most, *rows) in enumerate(times):
            known = getattr(before, KINDS[kind])
            if rows and (least != known.min or most != known.max or not known.max):
                for place, value in enumerate((index, kind, least, most)):
                    columns[_EXTENTS + place].append(value)
            place = _BUCKETS + 3 * kind
            for shift, buckets, gained in rows:
                start = (index << 16) + (shift + 1) * BUCKETS
                columns[place] += [start + bucket for bucket in buckets]
                if max(gained) > 1:
                    many = [count > 1 for count in gained]
                    columns[place + 1] += [start + bucket for bucket in compress(buckets, many)]
                    columns[place + 2] += [count - 1 for count in compress(gained, many)]
        if not_as_recorded or differences:
            self.others.append([index, not_as_recorded, *differences])

    def extend(self, other: Slices) -> None:
        """Add another's, of the same time."""
        self._together.clear()
        for mine, theirs in zip(self.columns, other.columns, strict=True):
            mine += theirs
        self.others += other.others

    def fold(self) -> None:
        """Have the sums of each transaction once, and each of its statuses: of many reports."""
        rows: dict[int, list[int]] = {}
        for row in zip(*self.columns[:_STATUSES], strict=True):
            known = rows.get(row[0])
            if known is None:
                rows[row[0]] = list(row)
                continue
            _, errors, received, sent, first_byte, service, response = row
            known[1] += errors
            known[2] += received
            known[3] += sent
            known[4] += first_byte
            known[5] += service
            known[6] += response
        counts: dict[int, int] = {}
        for index, status, count in self.statuses():
            key = index << 16 | status
            counts[key] = counts.get(key, 0) + count
        self.columns[:_EXTENTS] = [
            *map(list, zip(*rows.values(), strict=True) if rows else [()] * _STATUSES),
            [key >> 16 for key in counts],
            [key & 0xFFFF for key in counts],
            list(counts.values()),
        ]

    def of(self, indices: Set[int]) -> Slices:
        """Return those of some transactions."""
        found = Slices(self.second, self.length)
        for begin, end in _TABLES:
            columns = self.columns[begin:end]
            shift = 16 if begin >= _BUCKETS else 0
            kept = [one >> shift in indices for one in columns[0]]
            found.columns[begin:end] = [list(compress(one, kept)) for one in columns]
        found.others = [one for one in self.others if one[0] in indices]
        return found

    def sums(self) -> Iterable[tuple[int, ...]]:
        """Index, errors, bytes received and sent, the sums of three times: of each."""
        return zip(*self.columns[:_STATUSES], strict=True)

    def added(self) -> list[int]:
        """Return the same, of all together; the first of it means nothing."""
        return [sum(one) for one in self.columns[:_STATUSES]]

    def statuses(self) -> Iterable[tuple[int, ...]]:
        """Index, status, how many."""
        return zip(*self.columns[_STATUSES:_EXTENTS], strict=True)

    def extents(self) -> Iterable[tuple[int, ...]]:
        """Index, kind of time, the least and the most of the run so far, where these are new."""
        return zip(*self.columns[_EXTENTS:_BUCKETS], strict=True)

    def times(self, kind: int) -> list[int]:
        """Return the buckets of a kind of time in which there are values, by transaction."""
        return self.columns[_BUCKETS + 3 * kind]

    def repeated(self, kind: int) -> Iterable[tuple[int, ...]]:
        """Return those that have more than one value, and how many more."""
        place = _BUCKETS + 3 * kind
        return zip(*self.columns[place + 1 : place + 3], strict=True)

    def together(self, kind: int) -> Counter[int]:
        """Return how many values there are of all transactions in each bucket of a kind of time."""
        found = self._together.get(kind)
        if found is None:
            found = self._together[kind] = Counter([key & 0xFFFF for key in self.times(kind)])
            for key, more in self.repeated(kind):
                found[key & 0xFFFF] += more
        return found

    def add_times(self, kind: int, times: Histogram) -> None:
        """Add a kind of time of all transactions to a histogram; not its sum."""
        times.add_counts(self.together(kind))
        for _, of, least, most in self.extents():
            if of == kind:
                times.extend(least, most)

    def to_bytes(self) -> tuple[list[Any], bytes]:
        """Return what `of_bytes` takes: a head of builtin types, and all numbers."""
        packed = [_packed(one) for one in self.columns]
        sizes = [[one.typecode, len(one)] for one in packed]
        return [self.second, self.length, self.others, sizes], b"".join(
            one.tobytes() for one in packed
        )

    @classmethod
    def of_bytes(cls, head: list[Any], content: memoryview) -> tuple[Slices, int]:
        """Return the slices that `to_bytes` described, and how many bytes of ``content`` they
        took."""
        second, length, others, sizes = head
        self = cls(second, length)
        self.others, self.columns, end = others, [], 0
        for code, size in sizes:
            numbers: array[int] = array(code)
            begin, end = end, end + size * numbers.itemsize
            numbers.frombytes(content[begin:end])
            if _SWAPPED:
                numbers.byteswap()
            self.columns.append(numbers.tolist())
        return self, end


_STATUSES: Final = 1 + len(_SUMS)
_EXTENTS: Final = _STATUSES + 3
_BUCKETS: Final = _EXTENTS + 4

#: Which columns have places that go together.
_TABLES: Final = (
    (0, _STATUSES), (_STATUSES, _EXTENTS), (_EXTENTS, _BUCKETS),
    *((_BUCKETS + 3 * kind + begin, _BUCKETS + 3 * kind + end)
      for kind in range(len(KINDS)) for begin, end in ((0, 1), (1, 3))),
)  # fmt: skip

#: On the wire, numbers are little-endian, as they are on almost all machines.
_SWAPPED: Final = sys.byteorder == "big"


def _packed(numbers: list[int]) -> array[int]:
    """In as few bytes as the greatest takes; all numbers are natural."""
    greatest = max(numbers, default=0)
    code = "B" if greatest < 1 << 8 else "I" if greatest < 1 << 32 else "Q"
    packed = array(code, numbers)
    if _SWAPPED:
        packed.byteswap()
    return packed
