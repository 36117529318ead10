"""What functions of a project have recorded: counters, rates and trends by their names. They merge
exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.sparse import SparseHistogram
from pytest_loadtool.model.custom import MOST_METRICS, MetricKind, counted


class CustomMetrics:
    """``counters`` are sums; ``rates`` have how many of them were true, and of how many; ``trends``
    hold millionths. ``others`` counts what was recorded under names that are too many."""

    __slots__ = ("counters", "others", "rates", "trends")

    def __init__(self) -> None:
        self.counters: dict[str, int] = {}
        self.rates: dict[str, tuple[int, int]] = {}
        self.trends: dict[str, Histogram] = {}
        self.others = 0

    def record(self, kind: MetricKind, name: str, value: float) -> None:
        """Record a value.

        Raises:
            TypeError, ValueError: it cannot be, or there are too many names.
        """
        amount = counted(kind, name, value)
        known: dict[str, Any] = getattr(self, f"{kind}s")
        if not _has_room(known, name):
            raise ValueError(
                f"{kind} {name!r} would be one of more than {MOST_METRICS}: names are not to have "
                "values in them"
            )
        if kind == "trend":
            self._trend(name).record(amount)
        else:
            self._add(kind, name, amount, 1)

    def merge(self, other: CustomMetrics) -> None:
        """Add the other's numbers to these."""
        self.merge_wire(other.to_wire())

    def to_wire(self, known: CustomMetrics | None = None) -> list[Any]:
        """Return what came after ``known``, which is this one as it was before, or everything.

        Builtin types only; an empty list when nothing came.
        """
        before = known or _NOTHING
        counters = {
            name: value - before.counters.get(name, 0)
            for name, value in self.counters.items()
            if value != before.counters.get(name)
        }
        rates = {
            name: [true - before.rates.get(name, (0, 0))[0], of - before.rates.get(name, (0, 0))[1]]
            for name, (true, of) in self.rates.items()
            if (true, of) != before.rates.get(name)
        }
        trends = {
            name: one.to_wire(before.trends.get(name))
            for name, one in self.trends.items()
            if name not in before.trends or one.count != before.trends[name].count
        }
        others = self.others - before.others
        return [counters, rates, trends, others] if counters or rates or trends or others else []

    def merge_wire(self, wire: list[Any]) -> None:
        """Add the numbers that `to_wire` described. Names that are too many are only counted."""
        if not wire:
            return
        counters, rates, trends, others = wire
        self.others += others
        for name, value in counters.items():
            if self._room("counter", name):
                self._add("counter", name, value, 1)
        for name, (true, of) in rates.items():
            if self._room("rate", name):
                self._add("rate", name, true, of)
        for name, one in trends.items():
            if self._room("trend", name):
                self._trend(name).merge_wire(one)

    def _room(self, kind: MetricKind, name: str) -> bool:
        if _has_room(getattr(self, f"{kind}s"), name):
            return True
        self.others += 1
        return False

    def _add(self, kind: MetricKind, name: str, amount: int, of: int) -> None:
        if kind == "counter":
            self.counters[name] = self.counters.get(name, 0) + amount
        else:
            true, before = self.rates.get(name, (0, 0))
            self.rates[name] = true + amount, before + of

    def _trend(self, name: str) -> Histogram:
        found = self.trends.get(name)
        if found is None:
            found = self.trends[name] = Histogram()
        return found


class CustomStretch:
    """What was recorded in a part of a run."""

    __slots__ = ("counters", "rates", "trends")

    def __init__(self) -> None:
        self.counters: dict[str, int] = {}
        self.rates: dict[str, tuple[int, int]] = {}
        self.trends: dict[str, SparseHistogram] = {}

    def add_wire(self, wire: list[Any]) -> None:
        """Add the numbers that `CustomMetrics.to_wire` described, of names as long as there are not
        too many."""
        if not wire:
            return
        counters, rates, trends, _ = wire
        for name, more in counters.items():
            if _has_room(self.counters, name):
                self.counters[name] = self.counters.get(name, 0) + more
        for name, (true, of) in rates.items():
            if _has_room(self.rates, name):
                known = self.rates.get(name, (0, 0))
                self.rates[name] = known[0] + true, known[1] + of
        for name, one in trends.items():
            if _has_room(self.trends, name):
                self.trends.setdefault(name, SparseHistogram()).add_wire(one)

    def merge(self, other: CustomStretch) -> None:
        """Add the other's numbers to these."""
        trends = {name: one.whole().to_wire() for name, one in other.trends.items()}
        self.add_wire([other.counters, other.rates, trends, 0])


def _has_room(known: Mapping[str, object], name: str) -> bool:
    return name in known or len(known) < MOST_METRICS


_NOTHING = CustomMetrics()
