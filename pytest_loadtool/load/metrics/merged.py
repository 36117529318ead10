"""Numbers of several workers as one, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from pytest_loadtool.load.metrics.buckets import Buckets
from pytest_loadtool.load.metrics.errorlog import ErrorLog
from pytest_loadtool.load.metrics.firsts import FirstFailures
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.keys import FlowKey, PageKey, TransactionKey
from pytest_loadtool.load.metrics.measures import TransactionMetrics
from pytest_loadtool.load.metrics.metrics import ADDED, DELAYS, GREATEST, MEASURED, LoadMetrics
from pytest_loadtool.load.metrics.slices import KINDS, Slices

_NOTHING_YET: Final = 1 << 60
_NO_ROW: Final = bytearray()  # never written to
_ROW_BITS: Final = 6  # of the number of a row, below a transaction's index


class MergedMetrics(LoadMetrics):
    """Numbers that come from others, whole or report by report. Nothing is recorded in them."""

    def __init__(
        self,
        transactions: Sequence[TransactionKey],
        pages: Sequence[PageKey],
        cases: Sequence[str],
        describe: Callable[[Any], str] | None = None,
        *,
        flows: Sequence[FlowKey] = (),
        detailed_pages: bool = False,
    ) -> None:
        super().__init__(
            transactions, pages, cases, describe, flows=flows, detailed_pages=detailed_pages
        )
        # Sums that somebody has asked for, and by transaction those that it belongs to: so that
        # who asks each second does not have all histograms added up each time.
        self._totals: dict[tuple[int, ...], TransactionMetrics] = {}
        self._totals_of: list[list[TransactionMetrics]] = [[] for _ in self.transactions]
        # By kind of time, the counts of rows by transaction and number: quickly found.
        rows = len(self.transactions) << _ROW_BITS
        self._counts = [[_NO_ROW] * rows for _ in KINDS]
        # The least and the most times that are known, by their places in slices.
        self._least = [_NOTHING_YET] * (len(KINDS) * len(self.transactions))
        self._most = [-1] * len(self._least)

    @staticmethod
    def of(many: Iterable[LoadMetrics]) -> MergedMetrics:
        """Return all of them as one. Durations are the longest, counts and users are added up.

        Raises:
            ValueError: they are not of the same test cases.
        """
        parts = list(many)
        if not parts:
            return MergedMetrics((), (), ())
        merged = MergedMetrics.for_reports_of(parts[0])
        for part in parts:
            merged.add(part)
        return merged

    @staticmethod
    def for_reports_of(other: LoadMetrics) -> MergedMetrics:
        """Return metrics without numbers, for the same transactions."""
        return MergedMetrics(
            other.transaction_keys,
            other.page_keys,
            other.case_keys,
            flows=other.flow_keys,
            detailed_pages=other.detailed_pages,
        )

    def total(self, indices: Sequence[int] | None = None) -> TransactionMetrics:
        """Return all transactions merged, or those at ``indices``. It goes on to grow with
        these."""
        key = tuple(range(len(self.transactions)) if indices is None else indices)
        total = self._totals.get(key)
        if total is None:
            total = self._totals[key] = super().total(key)
            for index in key:
                self._totals_of[index].append(total)
        return total

    def add(self, part: LoadMetrics) -> None:
        """Add all that another has.

        Raises:
            ValueError: it is not of the same test cases.
        """
        self.check(part)
        for name in MEASURED:
            for mine, theirs in zip(getattr(self, name), getattr(part, name), strict=True):
                mine.merge(theirs)
        self.errors.merge(part.errors)
        self.firsts.merge(part.firsts)
        self.traces.merge(part.traces)
        self.custom.merge(part.custom)
        for name in DELAYS:
            getattr(self, name).merge(getattr(part, name))
        for name in ADDED:
            setattr(self, name, getattr(self, name) + getattr(part, name))
        for name in GREATEST:
            setattr(self, name, max(getattr(self, name), getattr(part, name)))
        self._totals.clear()
        self._totals_of = [[] for _ in self.transactions]

    def check(self, part: LoadMetrics) -> None:
        """Refuse those of others.

        Raises:
            ValueError: ``part`` is not of the same test cases.
        """
        if part.keys != self.keys:
            raise ValueError("metrics of different test cases cannot be merged")

    def add_wire(self, wire: dict[str, Any]) -> None:
        """Add what `reports` describe of metrics with the same keys: all of a worker, or what came
        since its last report."""
        self.add_small(wire)
        self.custom.merge_wire(wire.get("custom", []))
        for *_, custom in wire.get("beats", ()):
            self.custom.merge_wire(custom)
        for name in MEASURED:
            for number, one in enumerate(wire.get(name, ())):
                self.add_measured(name, number, one)
        for slices in wire.get("slices", ()):
            self.add_slices(slices.unpacked())

    def add_small(self, wire: dict[str, Any]) -> None:
        """Add all of it but what is of transactions, pages and cases."""
        self.errors.merge(ErrorLog.from_wire(wire["errors"]))
        self.firsts.merge(FirstFailures.from_wire(wire["firsts"]))
        self.traces.merge_wire(wire["traces"])
        for name in DELAYS:
            getattr(self, name).merge_wire(wire[name])
        for name in ADDED:
            setattr(self, name, getattr(self, name) + wire[name])
        for name in GREATEST:
            setattr(self, name, max(getattr(self, name), wire[name]))

    def add_measured(self, name: str, number: int, wire: list[Any]) -> None:
        """Add to the one at ``number`` of those that ``name``, of `MEASURED`, says."""
        getattr(self, name)[number].merge_wire(wire)
        if name == "transactions" and wire:
            for total in self._totals_of[number]:
                total.merge_wire(wire)

    def add_slices(self, slices: Slices) -> None:
        """Add what transactions did."""
        transactions = self.transactions
        for index, *sums in slices.sums_of_each():
            transactions[index].add_sums(sums)
        for index, status, count in slices.statuses():
            statuses = transactions[index].statuses
            statuses[status] = statuses.get(status, 0) + count
        for place, least, most in slices.extents():
            if least < self._least[place] or most > self._most[place]:
                times: Histogram = getattr(transactions[place // 3], KINDS[place % 3])
                times.extend(least, most)
                self._least[place], self._most[place] = times.min, times.max
        for kind, counts in enumerate(self._counts):
            for key in slices.times(kind):
                try:  # the quickest there is, for each time that was measured
                    counts[key >> 10][key & 1023] += 1
                except (IndexError, ValueError):  # there is no row, or the bucket is full
                    row = self._row(kind, key)
                    row.count(key & 1023)
                    counts[key >> 10] = row.low
            for key, more in slices.repeated(kind):
                self._row(kind, key).add(key & 1023, more)
        for index, not_as_recorded, *differences in slices.others:
            transactions[index].add_differences(not_as_recorded, dict(differences))
        for indices, total in self._totals.items():
            whole = len(indices) == len(transactions)
            _grow(total, slices if whole else slices.of(frozenset(indices)))

    def _row(self, kind: int, key: int) -> Buckets:
        """Return the row that has a bucket as `Slices` tell it."""
        times: Histogram = getattr(self.transactions[key >> 16], KINDS[kind])
        return times.row((key & 0xFFFF) >> 10)


def _grow(total: TransactionMetrics, slices: Slices) -> None:
    """Add what all of these transactions did."""
    total.add_sums(slices.added()[1:])
    for _, status, count in slices.statuses():
        total.statuses[status] = total.statuses.get(status, 0) + count
    for kind, name in enumerate(KINDS):
        slices.add_times(kind, getattr(total, name))
    for _, not_as_recorded, *differences in slices.others:
        total.add_differences(not_as_recorded, dict(differences))
