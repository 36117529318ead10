"""What is measured of one transaction, of one page, of one test case."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from pytest_loadtool.load.histogram import Histogram

__all__ = ["Spans", "TransactionMetrics"]


class TransactionMetrics:
    """One transaction's requests. Times are in microseconds, sizes in bytes.

    ``errors`` counts requests with at least one failure; ``statuses`` counts by status code, 0 for
    no response. Failed requests are in the histograms like all others.
    """

    __slots__ = (
        "errors",
        "received",
        "record_response",
        "record_service",
        "response",
        "sent",
        "service",
        "statuses",
    )

    def __init__(self) -> None:
        self.service, self.response = Histogram(), Histogram()
        # Bound once: looking the methods up is a tenth of what a request costs here.
        self.record_service, self.record_response = self.service.record, self.response.record
        self.statuses: defaultdict[int, int] = defaultdict(int)
        self.received = self.sent = self.errors = 0

    @property
    def requests(self) -> int:
        """How many requests were finished, well or not."""
        return sum(self.statuses.values())

    def merge(self, other: TransactionMetrics) -> None:
        """Add the other's numbers to these."""
        self.service.merge(other.service)
        self.response.merge(other.response)
        for status, count in other.statuses.items():
            self.statuses[status] += count
        self.received += other.received
        self.sent += other.sent
        self.errors += other.errors

    def to_wire(self) -> list[Any]:
        """Builtin types only; an empty list when nothing was recorded."""
        if not self.statuses:
            return []
        statuses = [list(self.statuses), list(self.statuses.values())]
        sizes = [self.received, self.sent]
        return [statuses, self.errors, sizes, self.service.to_wire(), self.response.to_wire()]

    def merge_wire(self, wire: list[Any]) -> None:
        """Add the numbers that `to_wire` described."""
        if not wire:
            return
        statuses, errors, (received, sent), service, response = wire
        for status, count in zip(*statuses, strict=True):
            self.statuses[status] += count
        self.errors += errors
        self.received += received
        self.sent += sent
        self.service.merge_wire(service)
        self.response.merge_wire(response)


class Spans:
    """Durations of pages, or of iterations of a test case, and how many of them failed."""

    __slots__ = ("durations", "failed")

    def __init__(self) -> None:
        self.durations = Histogram()
        self.failed = 0

    def record(self, duration_us: int, failed: bool) -> None:
        """Count one."""
        self.durations.record(duration_us)
        self.failed += failed

    def merge(self, other: Spans) -> None:
        """Add the other's numbers to these."""
        self.durations.merge(other.durations)
        self.failed += other.failed

    def to_wire(self) -> list[Any]:
        """Builtin types only."""
        return [self.failed, self.durations.to_wire()]

    def merge_wire(self, wire: list[Any]) -> None:
        """Add the numbers that `to_wire` described."""
        self.failed += wire[0]
        self.durations.merge_wire(wire[1])
