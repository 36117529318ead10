"""The course of a run: what was measured when, with histograms, of all requests and of each
transaction.

Whoever merges the reports of workers has one; workers have none. It is bounded: there are at most
`MOST_STRETCHES` of a run and `MOST_OF_TRANSACTION` of each transaction. Before there are more, or
before they take more memory than they may, two that follow one another become one, so
that a long run is known in longer stretches; each is at most twice as long as any other. Nothing
is lost by that but when something was within a stretch: histograms merge exactly.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_loadtool.load.metrics.custom import CustomStretch
from pytest_loadtool.load.metrics.slices import Slices
from pytest_loadtool.load.metrics.sparse import COARSE, SparseHistogram

MOST_STRETCHES = 3600
MOST_OF_TRANSACTION = 120
MOST_BYTES = 24 << 20
"""What the stretches of a run may take, and as much those of all transactions."""

_FEWEST = 8  # stretches that are left, however much memory they take
_FEWER = 4  # stretches each second, while there is too much
_OBJECTS: Final = 300  # bytes of a packed histogram and what it is in, beside its counts
_OPEN: Final = 2  # of the last stretches that are not packed: workers are not quite in step


class TransactionStretch:
    """The requests of one transaction in ``length`` seconds of a run, from ``second`` on.

    ``errors`` of its ``requests`` failed. ``response`` has their response times, coarse ones;
    ``service_us`` is the sum of their service times.
    """

    __slots__ = ("errors", "length", "requests", "response", "second", "service_us", "size")

    def __init__(self, second: int, length: int = 1) -> None:
        self.second = second
        self.length = length
        self.requests = self.errors = self.service_us = 0
        self.response = SparseHistogram(coarse=True)
        self.size = 0
        """How many bytes it took when it was packed."""

    def merge(self, other: TransactionStretch) -> None:
        """Add what another did."""
        self.requests += other.requests
        self.errors += other.errors
        self.service_us += other.service_us
        self.response.merge(other.response)

    def pack(self) -> int:
        """Make it small, and return how many bytes more it takes than when it was so before."""
        before, self.size = self.size, sum(_OBJECTS + one.pack() for one in self.histograms())
        return self.size - before

    def histograms(self) -> tuple[SparseHistogram, ...]:
        """Return all of its histograms."""
        return (self.response,)


class Stretch(TransactionStretch):
    """What happened in ``length`` seconds of a run, from ``second`` on.

    Requests and their ``errors`` count, bytes and times are of those that were finished in it;
    ``causes`` counts the errors by their cause, ``longest_us`` is the longest response time.
    ``user_seconds`` adds up how many users were at work in each second, ``opened`` counts
    connections, ``cpu_us`` is the processor time that the workers used. Histograms are of
    microseconds; ``lateness`` is the generator's own. ``custom`` are metrics of the project's own.
    """

    __slots__ = (
        "causes", "cpu_us", "custom", "lateness", "longest_us", "opened", "received", "sent",
        "service", "user_seconds",
    )  # fmt: skip

    def __init__(self, second: int, length: int = 1) -> None:
        super().__init__(second, length)
        self.response = SparseHistogram()
        self.service = SparseHistogram()
        self.lateness = SparseHistogram()
        self.received = self.sent = self.opened = self.cpu_us = 0
        self.user_seconds = self.longest_us = 0
        self.causes: dict[str, int] = {}
        self.custom = CustomStretch()

    @property
    def users(self) -> float:
        """Return how many were at work, on average."""
        return self.user_seconds / self.length

    def merge(self, other: TransactionStretch) -> None:
        """Add what happened in another."""
        super().merge(other)
        assert isinstance(other, Stretch)
        self.service.merge(other.service)
        self.lateness.merge(other.lateness)
        self.received += other.received
        self.sent += other.sent
        self.opened += other.opened
        self.cpu_us += other.cpu_us
        self.user_seconds += other.user_seconds
        self.longest_us = max(self.longest_us, other.longest_us)
        self._count(other.causes)
        self.custom.merge(other.custom)

    def histograms(self) -> tuple[SparseHistogram, ...]:
        """Return all of its histograms."""
        return self.response, self.service, self.lateness, *self.custom.trends.values()

    def add_beat(self, wire: list[Any]) -> None:
        """Add what `Reporter` says of a second, all transactions together."""
        user_seconds, longest_us, opened, cpu_us, lateness, causes, custom = wire
        self.user_seconds += user_seconds
        self.longest_us = max(self.longest_us, longest_us)
        self.opened += opened
        self.cpu_us += cpu_us
        self.lateness.add_wire(lateness)
        self._count(causes)
        self.custom.add_wire(custom)

    def _count(self, causes: Mapping[str, int]) -> None:
        for cause, count in causes.items():
            self.causes[cause] = self.causes.get(cause, 0) + count


class StretchList:
    """Stretches in the order of time, of a run or of one of its transactions: ``most`` at most."""

    __slots__ = ("_known", "_loose", "_whole_run", "most", "size")

    def __init__(self, most: int, *, whole_run: bool = False) -> None:
        self.most = most
        self.size = 0
        """How many bytes the packed ones take."""
        self._known: list[TransactionStretch] = []
        self._loose: list[TransactionStretch] = []  # that something was added to
        self._whole_run = whole_run

    def at(self, second: int, length: int = 1) -> TransactionStretch:
        """Return the stretch that has this second of the run, for something to be added; it is made
        of this length if there is none."""
        known = self._known
        place = bisect_right(known, second, key=_begin)
        if place:
            found = known[place - 1]
            if second < found.second + found.length:
                if found not in self._loose:
                    self._loose.append(found)
                return found
        kind = Stretch if self._whole_run else TransactionStretch
        known.insert(place, kind(second, length))
        while len(known) > self.most:
            self._join()
        self._pack()
        return self.at(second, length)

    def of_length(self, length: int = 1, since: int = 0) -> list[TransactionStretch]:
        """Return all of them, or those from a second of the run on, in equal stretches of at least
        so many seconds: a power of two."""
        length = max([length, *(one.length for one in self._known)])
        equal: list[TransactionStretch] = []
        for one in self._known:
            if one.second < since:
                continue
            begin = one.second // length * length
            if not equal or equal[-1].second != begin:
                kind = Stretch if self._whole_run else TransactionStretch
                equal.append(kind(begin, length))
            equal[-1].merge(one)
        return equal

    def __len__(self) -> int:
        return len(self._known)

    def _join(self) -> None:
        """Make one stretch of two that follow one another: of those that become the shortest."""
        known = self._known
        shortest, place = 1 << 62, 0
        for number in range(len(known) - 1):
            first, last = known[number], known[number + 1]
            length = 1 << (first.second ^ (last.second + last.length - 1)).bit_length()
            if length < shortest:
                shortest, place = length, number
        first, last = known[place], known.pop(place + 1)
        first.merge(last)
        first.second, first.length = first.second // shortest * shortest, shortest
        self.size += first.pack() - last.size
        self._loose = [one for one in self._loose if one is not last]

    def _pack(self) -> None:
        """Make those small that are over: workers are not quite in step, so not the last ones."""
        last = self._known[-_OPEN:]
        for one in self._loose:
            if one not in last:
                self.size += one.pack()
        self._loose = [one for one in self._loose if one in last]


class RunCourse:
    """The course of a run of so many transactions: ``run`` has what all did together, and
    ``transactions`` by index those that had requests."""

    def __init__(self) -> None:
        self.run = StretchList(MOST_STRETCHES, whole_run=True)
        self.transactions: dict[int, StretchList] = {}
        self._size = 0  # of what transactions have
        self._most = MOST_OF_TRANSACTION
        self.second = 0
        """The last one in which a request was finished."""

    def add_slices(self, slices: Slices) -> None:
        """Add what transactions did in a part of the run."""
        second, length = slices.second, slices.length
        _, errors, received, sent, _, service_us, response_us = slices.added()
        stretch = self.run.at(second, length)
        assert isinstance(stretch, Stretch)
        stretch.errors += errors
        stretch.received += received
        stretch.sent += sent
        stretch.service_us += service_us
        stretch.service.add(service_us, slices.together(1))
        stretch.response.add(response_us, slices.together(2))
        found: dict[int, TransactionStretch] = {}
        for index, errors, _, _, _, service_us, response_us in slices.sums_of_each():
            own = found.get(index)
            if own is None:
                own = found[index] = self._of_transaction(index, second, length)
            own.errors += errors
            own.service_us += service_us
            own.response.total += response_us
        for index, _, count in slices.statuses():
            found[index].requests += count
            stretch.requests += count
        counts = {index: own.response.loose() for index, own in found.items()}
        for key in slices.times(2):
            counts[key >> 16][COARSE[key & 0xFFFF]] += 1
        for key, more in slices.repeated(2):
            counts[key >> 16][COARSE[key & 0xFFFF]] += more
        if second > self.second:
            self.second = second
            self._limit()

    def _of_transaction(self, index: int, second: int, length: int) -> TransactionStretch:
        course = self.transactions.get(index)
        if course is None:
            course = self.transactions[index] = StretchList(self._most)
        course.most, before = self._most, course.size
        own = course.at(second, length)
        self._size += course.size - before
        return own

    def add_beat(self, second: int, wire: list[Any], length: int = 1) -> None:
        """Add what a worker says of a part of its run, all transactions together."""
        stretch = self.run.at(second, length)
        assert isinstance(stretch, Stretch)
        stretch.add_beat(wire)

    def _limit(self) -> None:
        """Have fewer stretches if all take too much memory: not at once, as joining takes its
        time."""
        if self._size > MOST_BYTES:
            self._most = max(_FEWEST, self._most - _FEWER)
        if self.run.size > MOST_BYTES:
            self.run.most = max(_FEWEST, len(self.run) - _FEWER)

    def add_beats(self, report: Mapping[str, Any]) -> None:
        """Add what the report of a worker has beside the slices."""
        for second, length, *beat in report["beats"]:
            self.add_beat(second, beat, length)

    def stretches(self, length: int = 1, since: int = 0) -> Iterator[Stretch]:
        """Yield what happened in the run, from a second of it on, in equal stretches, in order."""
        for one in self.run.of_length(length, since):
            assert isinstance(one, Stretch)
            yield one

    def of(self, index: int, length: int = 1) -> Sequence[TransactionStretch]:
        """Return what one transaction did, in equal stretches, in order."""
        course = self.transactions.get(index)
        return course.of_length(length) if course is not None else ()


def _begin(stretch: TransactionStretch) -> int:
    return stretch.second
