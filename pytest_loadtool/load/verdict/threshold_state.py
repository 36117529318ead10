"""The numbers that a threshold is about, taken out of what all workers have measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pytest_loadtool.load.metrics.histogram import Extent, Histogram
from pytest_loadtool.load.metrics.keys import TransactionKey
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.model.threshold import ScopeKind, Threshold


class Tally:
    """The numbers that a threshold is about, cumulative or of one second.

    ``number`` counts what is no request: iterations, dropped arrivals, retried requests.
    """

    __slots__ = ("errors", "not_as_recorded", "number", "requests", "seconds", "times")

    def __init__(self, times: Histogram | Extent) -> None:
        self.times = times
        self.requests = self.errors = self.not_as_recorded = self.number = 0
        self.seconds = 0.0

    def value(self, threshold: Threshold) -> float | None:
        """Return what is compared with the threshold's limit; None if nothing was measured."""
        return _VALUES[threshold.metric](self, threshold.percentile)

    def since(self, earlier: Tally) -> Tally:
        """Return what came after ``earlier``."""
        now, before = self.times, earlier.times
        assert isinstance(now, Histogram)
        assert isinstance(before, Histogram)
        gained = Tally(now.since(before))
        gained.requests = self.requests - earlier.requests
        gained.errors = self.errors - earlier.errors
        gained.not_as_recorded = self.not_as_recorded - earlier.not_as_recorded
        gained.number = self.number - earlier.number
        gained.seconds = self.seconds - earlier.seconds
        return gained


_Value = Callable[[Tally, float], float | None]


def _of_times(value: Callable[[Histogram | Extent, float], float]) -> _Value:
    """Return a statistic of the times in seconds; there is none without a time."""

    def of(tally: Tally, percentile: float) -> float | None:
        return value(tally.times, percentile) / 1e6 if tally.times.count else None

    return of


def _percentile(times: Histogram | Extent, percentile: float) -> float:
    assert isinstance(times, Histogram), "a threshold on pages makes them keep histograms"
    return times.percentile(percentile)


#: By name of the metric, its value from a tally (and a percentile).
_VALUES: Mapping[str, _Value] = {
    "percentile": _of_times(_percentile),
    "median": _of_times(lambda times, _: _percentile(times, 50)),
    "mean": _of_times(lambda times, _: times.mean),
    "average": _of_times(lambda times, _: times.mean),
    "min": _of_times(lambda times, _: times.min),
    "max": _of_times(lambda times, _: times.max),
    "error rate": lambda tally, _: tally.errors / tally.requests if tally.requests else None,
    "not as recorded": lambda tally, _: (
        tally.not_as_recorded / tally.requests if tally.requests else None
    ),
    "errors": lambda tally, _: tally.errors,
    "requests": lambda tally, _: tally.requests,
    "throughput": lambda tally, _: tally.requests / tally.seconds if tally.seconds else None,
    "iterations": lambda tally, _: tally.number,
    "dropped": lambda tally, _: tally.number,
    "retried": lambda tally, _: tally.number,
    "count": lambda tally, _: tally.number if tally.requests else None,
    "rate": lambda tally, _: tally.errors / tally.requests if tally.requests else None,
}

#: The histogram of a transaction that has a time.
_TIMES = {
    "": "response",
    "response time": "response",
    "service time": "service",
    "time to first byte": "first_byte",
}


#: The part of a transaction's key that a scope names.
_PLACES: Mapping[ScopeKind, Callable[[TransactionKey], str]] = {
    "case": lambda key: key.case,
    "page": lambda key: key.page,
    "transaction": lambda key: key.name,
    "metric": lambda _: "",
}


def transactions_of(threshold: Threshold, metrics: LoadMetrics) -> Sequence[int]:
    """Return the indices of the transactions that a threshold is about."""
    scope = threshold.scope
    if scope is None:
        return range(len(metrics.transaction_keys))
    if scope.kind == "metric":
        return ()
    place = _PLACES[scope.kind]
    return [n for n, key in enumerate(metrics.transaction_keys) if place(key) == scope.name]


def tally_of(threshold: Threshold, parts: Sequence[LoadMetrics]) -> Tally:
    """Return what all workers together have measured so far."""
    seconds = max((part.elapsed_us for part in parts), default=0) / 1e6
    if threshold.is_custom:
        tally = _of_custom(threshold, parts)
    elif threshold.is_of_durations:
        tally = _of_durations([one for part in parts for one in _spans(threshold, part)])
    else:
        tally = _of_requests(threshold, parts)
    tally.seconds = seconds
    return tally


class Tallies:
    """The tallies that several thresholds need at the same moment: each is made once."""

    def __init__(self, parts: Sequence[LoadMetrics]) -> None:
        self._parts = parts
        self._known: dict[tuple[object, ...], Tally] = {}

    def of(self, threshold: Threshold) -> Tally:
        """Return what all workers together have measured so far."""
        metric = threshold.metric if threshold.unit == "count" or threshold.is_custom else ""
        key = (threshold.scope, threshold.time, threshold.unit, metric)
        if key not in self._known:
            self._known[key] = tally_of(threshold, self._parts)
        return self._known[key]


def _of_requests(threshold: Threshold, parts: Sequence[LoadMetrics]) -> Tally:
    times = Histogram()
    tally = Tally(times)
    for part in parts:
        tally.number += {"dropped": part.dropped, "retried": part.retried}.get(threshold.metric, 0)
        total = part.total(transactions_of(threshold, part))
        tally.requests += total.requests
        tally.errors += total.errors
        tally.not_as_recorded += total.not_as_recorded
        if threshold.unit == "time":
            times.merge(getattr(total, _TIMES[threshold.time]))
    return tally


def _of_custom(threshold: Threshold, parts: Sequence[LoadMetrics]) -> Tally:
    """Return the tally of a metric of the project's own: what was true counts as its errors."""
    times = Histogram()
    tally, name = Tally(times), threshold.scope.name if threshold.scope is not None else ""
    for custom in (part.custom for part in parts):
        if threshold.metric == "count":
            tally.number += custom.counters.get(name, 0)
            tally.requests += name in custom.counters
        elif threshold.metric == "rate":
            true, of = custom.rates.get(name, (0, 0))
            tally.errors += true
            tally.requests += of
        elif name in custom.trends:
            times.merge(custom.trends[name])
    return tally


def _of_durations(durations: Sequence[Histogram | Extent]) -> Tally:
    """Return the tally of pages or iterations; pages may have no histograms."""
    detailed = all(isinstance(one, Histogram) for one in durations)
    tally = Tally(Histogram() if detailed else Extent())
    for one in durations:
        tally.number += one.count
        tally.times.merge_wire(one.to_wire())
    return tally


def _spans(threshold: Threshold, metrics: LoadMetrics) -> Iterator[Histogram | Extent]:
    """Yield the durations of the pages or test cases that a threshold is about."""
    scope = threshold.scope
    if scope is None or scope.kind == "case":
        for name, span in zip(metrics.case_keys, metrics.cases, strict=True):
            if scope is None or name == scope.name:
                yield span.durations
    else:
        for key, span in zip(metrics.page_keys, metrics.pages, strict=True):
            if key.name == scope.name:
                yield span.durations


def time_of(threshold: Threshold, metrics: LoadMetrics, index: int) -> float | None:
    """Return the threshold's statistic of one transaction alone, in seconds."""
    times: Histogram = getattr(metrics.transactions[index], _TIMES[threshold.time])
    return Tally(times).value(threshold)
