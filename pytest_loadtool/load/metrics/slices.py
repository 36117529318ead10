"""What transactions did in a part of a run, in columns: so a thousand workers' add up cheaply.

A worker's report has some of each transaction that had requests. A list for each number rather than
an object for each transaction is put together with others by extending lists, and travels as
arrays: `packed` has them as they travel.
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

#: How many transactions a load test may have: what tells a bucket has 16 bits for them.
MOST_TRANSACTIONS: Final = 1 << 16

KINDS: Final = ("first_byte", "service", "response")
"""The histograms of `TransactionMetrics`, in their order here."""

SUMS: Final = ("errors", "received", "sent", "first_byte_us", "service_us", "response_us")
"""What is added up of each transaction."""

_EXTENTS: Final = 3  # columns, before the three of each kind of time

_LOW: Final = int(sys.byteorder == "big")  # which half of an integer has its lower 16 bits


class TimeColumns:
    """Times of transactions, counted by bucket, in ``columns`` whose places go together.

    Of a transaction whose least or most time of the run so far is new: its place (three times its
    index, and the kind of time), the least, the most; ``spans`` has both by kind, of all of these.
    For each kind of time the buckets with a value, then those with more than one and how many more.
    A bucket is told by its number in a `SparseHistogram`, with the transaction's index above the
    lower 16 bits. Of a thousand workers' few buckets have two values.
    """

    __slots__ = ("_together", "columns", "spans")

    def __init__(self) -> None:
        self.columns: list[array[int]] = [array(code) for code in TIME_CODES]
        self.spans: list[list[int]] = [[] for _ in KINDS]
        self._together: dict[int, Counter[int]] = {}

    @property
    def size(self) -> int:
        """Return how many buckets it has of the three times."""
        return sum(map(len, self.columns[_EXTENTS::3]))

    def add(self, index: int, kind: int, wire: list[Any], known: Histogram) -> None:
        """Add what `Histogram.to_wire` says of what came after ``known``."""
        self._together.clear()
        _, least, most, *rows = wire
        columns = self.columns
        if rows and (least != known.min or most != known.max or not known.max):
            for column, value in zip(columns, (3 * index + kind, least, most), strict=False):
                column.append(value)
            self._span(kind, [least, most])
        buckets, repeated, more = columns[_EXTENTS + 3 * kind : _EXTENTS + 3 * kind + 3]
        for shift, found, gained in rows:
            start = (index << 16) + (shift + 1) * BUCKETS
            buckets.extend([start + bucket for bucket in found])
            if max(gained) > 1:
                many = [count > 1 for count in gained]
                repeated.extend([start + bucket for bucket in compress(found, many)])
                more.extend([count - 1 for count in compress(gained, many)])

    def extend_times(self, other: TimeColumns) -> None:
        """Add another's, of the same time."""
        self._together.clear()
        for mine, theirs in zip(self.columns, other.columns, strict=True):
            mine.extend(theirs)
        for kind, span in enumerate(other.spans):
            self._span(kind, span)

    def extents(self) -> Iterable[tuple[int, ...]]:
        """Return the place, the least and the most of the run so far, where these are new."""
        return zip(*self.columns[:_EXTENTS], strict=True)

    def times(self, kind: int) -> array[int]:
        """Return the buckets of a kind of time in which there are values, by transaction."""
        return self.columns[_EXTENTS + 3 * kind]

    def sort(self) -> None:
        """Put buckets in order: what is counted next is then near in memory, which is quicker than
        to count as it came."""
        for place in range(_EXTENTS, len(self.columns), 3):
            self.columns[place] = array("I", sorted(self.columns[place]))

    def numbers(self, kind: int) -> array[int]:
        """Return their numbers alone, whichever transactions they are of: no loop takes these out,
        of a hundred thousand a second."""
        return array("H", self.times(kind).tobytes())[_LOW::2]

    def repeated(self, kind: int) -> Iterable[tuple[int, ...]]:
        """Return those that have more than one value, and how many more."""
        place = _EXTENTS + 3 * kind
        return zip(*self.columns[place + 1 : place + 3], strict=True)

    def together(self, kind: int) -> Counter[int]:
        """Return how many values there are of all transactions in each bucket of a kind of time."""
        found = self._together.get(kind)
        if found is None:
            found = self._together[kind] = Counter(self.numbers(kind))
            self.add_repeated(kind, found)
        return found

    def add_repeated(self, kind: int, counts: Counter[int]) -> None:
        """Add to how often each number is one of `numbers` how many values more there are."""
        for key, more in self.repeated(kind):
            counts[key & 0xFFFF] += more

    def add_times(self, kind: int, times: Histogram) -> None:
        """Add a kind of time of all transactions to a histogram; not its sum."""
        times.add_counts(self.together(kind))
        self.extend_span(kind, times)

    def extend_span(self, kind: int, times: Histogram) -> None:
        """Have a histogram know of the least and the most of a kind of time."""
        if self.spans[kind]:
            times.extend(*self.spans[kind])

    def take(self, other: TimeColumns, indices: Set[int]) -> None:
        """Take those of some transactions from another."""
        for begin, end in _TABLES:
            columns = other.columns[begin:end]
            kept = [(one >> 16 if begin else one // 3) in indices for one in columns[0]]
            for mine, theirs in zip(self.columns[begin:end], columns, strict=True):
                mine.extend(compress(theirs, kept))
        for place, least, most in self.extents():
            self._span(place % 3, [least, most])

    def _span(self, kind: int, span: list[int]) -> None:
        both = [*self.spans[kind], *span]
        self.spans[kind] = [min(both), max(both)] if both else []


class Slices(TimeColumns):
    """What transactions did in ``length`` seconds of a run, from ``second`` on.

    A transaction may come more than once. ``sums`` has by column its index, its errors, bytes
    received and sent, and the sums of its three times; ``counts`` its index, a status, and how many
    had that. ``others`` are what is rare: index, how many were not as recorded, in which ways.
    """

    __slots__ = ("counts", "length", "others", "second", "sums")

    def __init__(self, second: int, length: int = 1) -> None:
        super().__init__()
        self.second = second
        self.length = length
        self.sums: list[list[int]] = [[] for _ in range(1 + len(SUMS))]
        self.counts: list[list[int]] = [[] for _ in range(3)]
        self.others: list[list[Any]] = []

    @property
    def requests(self) -> int:
        """Return how many there were."""
        return sum(self.counts[2])

    @property
    def errors(self) -> int:
        """Return how many of them failed."""
        return sum(self.sums[1])

    def add_transaction(self, index: int, wire: list[Any], before: TransactionMetrics) -> None:
        """Add one transaction: what `TransactionMetrics.to_wire` says of what came after
        ``before``."""
        (statuses, counts), errors, (received, sent), (not_as_recorded, *differences), *times = wire
        sums = [index, errors, received, sent, *(one[0] for one in times)]
        for column, value in zip(self.sums, sums, strict=True):
            column.append(value)
        for column, values in zip(
            self.counts, ([index] * len(statuses), statuses, counts), strict=True
        ):
            column += values
        for kind, one in enumerate(times):
            self.add(index, kind, one, getattr(before, KINDS[kind]))
        if not_as_recorded or differences:
            self.others.append([index, not_as_recorded, *differences])

    def extend(self, other: Slices) -> None:
        """Add another's, of the same time."""
        self.extend_times(other)
        for mine, theirs in zip(
            (*self.sums, *self.counts), (*other.sums, *other.counts), strict=True
        ):
            mine += theirs
        self.others += other.others

    def of(self, indices: Set[int]) -> Slices:
        """Return those of some transactions."""
        found = Slices(self.second, self.length)
        found.sums, found.counts = (
            [list(compress(column, [one in indices for one in table[0]])) for column in table]
            for table in (self.sums, self.counts)
        )
        found.take(self, indices)
        found.others = [one for one in self.others if one[0] in indices]
        return found

    def sums_of_each(self) -> Iterable[tuple[int, ...]]:
        """Return of each transaction its index, errors, bytes received and sent, and the sums of
        three times."""
        return zip(*self.sums, strict=True)

    def added(self) -> list[int]:
        """Return the same, of all together; the first of it means nothing."""
        return [sum(one) for one in self.sums]

    def statuses(self) -> Iterable[tuple[int, ...]]:
        """Return of each status the index of its transaction, the status and how many."""
        return zip(*self.counts, strict=True)


TIME_CODES: Final = ("I", "Q", "Q", *("I", "I", "I") * len(KINDS))
"""How columns of times travel, as `array` says it."""

#: Which columns have places that go together.
_TABLES: Final = (
    (0, _EXTENTS),
    *((_EXTENTS + 3 * kind + begin, _EXTENTS + 3 * kind + end)
      for kind in range(len(KINDS)) for begin, end in ((0, 1), (1, 3))),
)  # fmt: skip
