"""Numbers of several workers as one, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pytest_loadtool.load.metrics.errorlog import ErrorLog
from pytest_loadtool.load.metrics.firsts import FirstFailures
from pytest_loadtool.load.metrics.keys import PageKey, TransactionKey
from pytest_loadtool.load.metrics.measures import TransactionMetrics
from pytest_loadtool.load.metrics.metrics import ADDED, DELAYS, LONGEST, MEASURED, LoadMetrics
from pytest_loadtool.load.metrics.timeline import Timeline


class MergedMetrics(LoadMetrics):
    """Numbers that come from others, whole or report by report. Nothing is recorded in them."""

    def __init__(
        self,
        transactions: Sequence[TransactionKey],
        pages: Sequence[PageKey],
        cases: Sequence[str],
        describe: Callable[[Any], str] | None = None,
        *,
        detailed_pages: bool = False,
    ) -> None:
        super().__init__(transactions, pages, cases, describe, detailed_pages=detailed_pages)
        # Sums that somebody has asked for, and by transaction those that it belongs to: so that
        # who asks each second does not have all histograms added up each time.
        self._totals: dict[tuple[int, ...], TransactionMetrics] = {}
        self._totals_of: list[list[TransactionMetrics]] = [[] for _ in self.transactions]

    @staticmethod
    def of(many: Iterable[LoadMetrics]) -> MergedMetrics:
        """All of them as one. Durations are the longest, counts and users are added up.

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
        """Without numbers, for the same transactions."""
        return MergedMetrics(
            other.transaction_keys,
            other.page_keys,
            other.case_keys,
            detailed_pages=other.detailed_pages,
        )

    def total(self, indices: Sequence[int] | None = None) -> TransactionMetrics:
        """All transactions merged, or those at ``indices``. It goes on to grow with these."""
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
        for name in DELAYS:
            getattr(self, name).merge(getattr(part, name))
        self._timeline.merge(part.timeline)
        for name in ADDED:
            setattr(self, name, getattr(self, name) + getattr(part, name))
        for name in LONGEST:
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
        for name in MEASURED:
            for number, one in enumerate(wire.get(name, ())):
                self.add_measured(name, number, one)
        for _, index, one in wire.get("slices", ()):
            self.add_measured("transactions", index, one)

    def add_small(self, wire: dict[str, Any]) -> None:
        """Add all of it but what is of transactions, pages and cases."""
        self.errors.merge(ErrorLog.from_wire(wire["errors"]))
        self.firsts.merge(FirstFailures.from_wire(wire["firsts"]))
        for name in DELAYS:
            getattr(self, name).merge_wire(wire[name])
        self._timeline.merge(Timeline.from_wire(wire["timeline"]))
        for name in ADDED:
            setattr(self, name, getattr(self, name) + wire[name])
        for name in LONGEST:
            setattr(self, name, max(getattr(self, name), wire[name]))

    def add_measured(self, name: str, number: int, wire: list[Any]) -> None:
        """Add to the one at ``number`` of its "transactions", "pages" or "cases"."""
        getattr(self, name)[number].merge_wire(wire)
        if name == "transactions" and wire:
            for total in self._totals_of[number]:
                total.merge_wire(wire)

    def _book(self) -> None:
        """The timeline comes from others as well."""
