"""What a load test has to reach, and what ends it early."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Unit = Literal["time", "share", "rate", "count", "number"]
ScopeKind = Literal["case", "page", "transaction", "metric"]
Comparison = Literal["<", "<=", ">", ">="]

#: The times that a statistic can be of. The first is meant where none is named.
TIMES = ("response time", "service time", "time to first byte")


@dataclass(frozen=True, slots=True)
class Metric:
    """A kind of number: its unit, whether more of it is better, and what it can be asked of."""

    unit: Unit
    more_is_better: bool
    scopes: tuple[ScopeKind, ...] = ("case", "page", "transaction")

    @property
    def is_custom(self) -> bool:
        """Return whether only a metric of the project's own has it."""
        return self.scopes == ("metric",)


_TIME = Metric("time", more_is_better=False, scopes=("case", "page", "transaction", "metric"))

#: By name. Percentiles are called "percentile" here, and ``p95`` or ``p99.9`` by users.
METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "percentile": _TIME,
        "mean": _TIME,
        "average": _TIME,
        "median": _TIME,
        "min": _TIME,
        "max": _TIME,
        "error rate": Metric("share", more_is_better=False),
        "not as recorded": Metric("share", more_is_better=False),
        "errors": Metric("count", more_is_better=False),
        "requests": Metric("count", more_is_better=True),
        "throughput": Metric("rate", more_is_better=True),
        "iterations": Metric("count", more_is_better=True, scopes=("case",)),
        "dropped": Metric("count", more_is_better=False, scopes=()),
        "retried": Metric("count", more_is_better=False, scopes=()),
        "count": Metric("count", more_is_better=True, scopes=("metric",)),
        "rate": Metric("share", more_is_better=True, scopes=("metric",)),
    }
)


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of the load test, by name. A name that several parts have means all of them."""

    kind: ScopeKind
    name: str


@dataclass(frozen=True, slots=True)
class Threshold:
    """A comparison of something measured with ``limit``; ``text`` is how the user wrote it.

    Without ``stop`` it is a requirement: the run fails unless it holds. With ``stop`` it is the
    condition that ends the run, and fails it.

    ``during`` is 0 where the whole run's value counts. Otherwise each second's own value counts,
    and it takes that many seconds of them, without a break, to fail or to stop the run.

    ``limit`` is in seconds, a share of 1, per second, or a count. ``time`` is empty where no time
    was named; of a page or a case that is its own duration, else the response time.
    """

    text: str
    metric: str
    comparison: Comparison
    limit: float
    percentile: float = 0.0
    time: str = ""
    scope: Scope | None = None
    during: float = 0.0
    stop: bool = False

    @property
    def unit(self) -> Unit:
        """The unit of what is measured."""
        unit = METRICS[self.metric].unit
        return "number" if self.is_custom and unit == "time" else unit

    @property
    def is_custom(self) -> bool:
        """Return whether it is about a metric of the project's own."""
        return self.scope is not None and self.scope.kind == "metric"

    @property
    def is_of_durations(self) -> bool:
        """Return whether it is about how long pages or iterations take, and not about requests."""
        if self.metric == "iterations":
            return True
        of_whole = self.scope is not None and self.scope.kind in ("case", "page")
        return self.unit == "time" and of_whole and not self.time

    @property
    def needs_page_histograms(self) -> bool:
        """Return whether average, shortest and longest of a page are not enough to judge it."""
        return (
            self.is_of_durations
            and self.scope is not None
            and self.scope.kind == "page"
            and (self.metric in ("percentile", "median") or bool(self.during))
        )

    @property
    def replaces_not_as_recorded(self) -> bool:
        """Return whether it says itself how much of the run need not come as recorded."""
        return self.metric == "not as recorded" and self.scope is None and not self.stop

    @property
    def replaces_error_rate(self) -> bool:
        """Return whether it says itself what ``max_error_rate`` would say: the run's rate of
        errors."""
        return (
            self.metric == "error rate" and self.scope is None and not self.during and not self.stop
        )
