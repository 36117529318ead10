"""What is measured of one transaction, of one page, of one test case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pytest_loadtool.load.metrics.histogram import Extent, Histogram

MOST_DIFFERENCES = 3
"""How many ways in which the answers to a transaction differ from the recorded one are told
apart."""


class TransactionMetrics:
    """One transaction's requests. Times are in microseconds, sizes in bytes.

    ``errors`` counts requests with at least one failure; ``statuses`` counts by status code, 0 for
    no response. Failed requests are in the histograms like all others; only ``first_byte`` leaves
    out those of which no byte came. ``not_as_recorded`` counts requests that passed and did not
    come as recorded, ``differences`` by how they differed: the first `MOST_DIFFERENCES` of these.
    ``second`` is that of the run in which it was last recorded.
    """

    __slots__ = (
        "differences",
        "errors",
        "first_byte",
        "not_as_recorded",
        "received",
        "response",
        "second",
        "sent",
        "service",
        "statuses",
    )  # fmt: skip

    def __init__(self) -> None:
        self.service = Histogram()
        self.response = Histogram()
        self.first_byte = Histogram()
        self.statuses: dict[int, int] = {}
        self.differences: dict[str, int] = {}
        self.received = self.sent = self.errors = self.not_as_recorded = self.second = 0

    @property
    def requests(self) -> int:
        """Return how many requests were finished, well or not."""
        return sum(self.statuses.values())

    def differ(self, difference: str, count: int = 1) -> None:
        """Count requests that did not come as recorded in this way."""
        self.not_as_recorded += count
        if difference in self.differences or len(self.differences) < MOST_DIFFERENCES:
            self.differences[difference] = self.differences.get(difference, 0) + count

    def merge(self, other: TransactionMetrics) -> None:
        """Add the other's numbers to these."""
        self.service.merge(other.service)
        self.response.merge(other.response)
        self.first_byte.merge(other.first_byte)
        self._add(other.statuses, other.errors, other.received, other.sent)
        self.add_differences(other.not_as_recorded, other.differences)

    def to_wire(self, known: TransactionMetrics | None = None) -> list[Any]:
        """Return what came after ``known``, which is this one as it was before, or everything.

        Builtin types only; an empty list when nothing came.
        """
        return self._wire(known or _NO_REQUESTS, Histogram.to_wire)

    def take(self, known: TransactionMetrics) -> list[Any]:
        """Return the same, and forget how many requests took how long: see `Histogram.take`."""
        return self._wire(known, Histogram.take)

    def _wire(
        self, known: TransactionMetrics, times: Callable[[Histogram, Histogram], list[Any]]
    ) -> list[Any]:
        gained = self._gained(known)
        if gained:
            gained += [
                times(self.first_byte, known.first_byte),
                times(self.service, known.service),
                times(self.response, known.response),
            ]
        return gained

    def _gained(self, known: TransactionMetrics) -> list[Any]:
        """Return what came after ``known`` but for times; an empty list when nothing came."""
        gained = {
            status: more
            for status, count in self.statuses.items()
            if (more := count - known.statuses.get(status, 0))
        }
        if not gained and self.not_as_recorded == known.not_as_recorded:
            return []
        return [
            [list(gained), list(gained.values())],
            self.errors - known.errors,
            [self.received - known.received, self.sent - known.sent],
            [self.not_as_recorded - known.not_as_recorded, *self._gained_differences(known)],
        ]

    def merge_wire(self, wire: list[Any]) -> None:
        """Add the numbers that `to_wire` described."""
        if not wire:
            return
        statuses, errors, (received, sent), (not_as_recorded, *differences), *times = wire
        first_byte, service, response = times
        self._add(dict(zip(*statuses, strict=True)), errors, received, sent)
        self.add_differences(not_as_recorded, dict(differences))
        self.first_byte.merge_wire(first_byte)
        self.service.merge_wire(service)
        self.response.merge_wire(response)

    def _gained_differences(self, known: TransactionMetrics) -> list[list[Any]]:
        before = known.differences
        return [
            [difference, more]
            for difference, count in self.differences.items()
            if (more := count - before.get(difference, 0))
        ]

    def add_differences(self, not_as_recorded: int, differences: dict[str, int]) -> None:
        """Add requests that did not come as recorded. Ways that are too many are only counted."""
        self.not_as_recorded += not_as_recorded - sum(differences.values())
        for difference, count in differences.items():
            self.differ(difference, count)

    def add_sums(self, sums: Sequence[int]) -> None:
        """Add errors, bytes received and sent, and the sums of the three times, in microseconds."""
        errors, received, sent, first_byte, service, response = sums
        self.errors += errors
        self.received += received
        self.sent += sent
        self.first_byte.total += first_byte
        self.service.total += service
        self.response.total += response

    def _add(self, statuses: dict[int, int], errors: int, received: int, sent: int) -> None:
        for status, count in statuses.items():
            self.statuses[status] = self.statuses.get(status, 0) + count
        self.errors += errors
        self.received += received
        self.sent += sent


_NO_REQUESTS = TransactionMetrics()


class Spans:
    """Durations of pages, or of iterations of a test case, and how many of them failed.

    ``durations`` is a `Histogram` if they are ``detailed``, else an `Extent`, which has no
    percentiles. ``cut`` counts those that were cut off at the end; they are in no other number.
    """

    __slots__ = ("cut", "durations", "failed")

    def __init__(self, detailed: bool = True) -> None:
        self.durations: Histogram | Extent = Histogram() if detailed else Extent()
        self.failed = self.cut = 0

    def record(self, duration_us: int, failed: bool) -> None:
        """Count one."""
        self.durations.record(duration_us)
        self.failed += failed

    def merge(self, other: Spans) -> None:
        """Add the other's numbers to these. Both are detailed, or neither is."""
        self.merge_wire(other.to_wire())

    def to_wire(self, known: Spans | None = None) -> list[Any]:
        """Return what came after ``known``, which is this one as it was before, or everything.

        Builtin types only.
        """
        durations = self.durations
        if known is None:
            return [[self.failed, self.cut], durations.to_wire()]
        before = known.durations
        counts = [self.failed - known.failed, self.cut - known.cut]
        if isinstance(durations, Histogram):
            assert isinstance(before, Histogram)
            return [counts, durations.to_wire(before)]
        assert isinstance(before, Extent)
        return [counts, durations.to_wire(before)]

    def merge_wire(self, wire: list[Any]) -> None:
        """Add the numbers that `to_wire` described."""
        failed, cut = wire[0]
        self.failed += failed
        self.cut += cut
        self.durations.merge_wire(wire[1])


class FlowTally:
    """Counts of a flow: how often it was begun, how many ``rounds`` of it were begun in sum, and
    how often it was ``limited``: its limit was over before what it asked for. What is skipped has
    no rounds."""

    __slots__ = ("begun", "limited", "rounds")

    def __init__(self) -> None:
        self.begun = self.rounds = self.limited = 0

    def merge(self, other: FlowTally) -> None:
        """Add the other's numbers to these."""
        self.merge_wire(other.to_wire())

    def to_wire(self, known: FlowTally | None = None) -> list[int]:
        """Return what came after ``known``, which is this one as it was before, or everything."""
        if known is None:
            return [self.begun, self.rounds, self.limited]
        return [
            self.begun - known.begun,
            self.rounds - known.rounds,
            self.limited - known.limited,
        ]

    def merge_wire(self, wire: list[int]) -> None:
        """Add the numbers that `to_wire` described."""
        begun, rounds, limited = wire
        self.begun += begun
        self.rounds += rounds
        self.limited += limited
