"""The numbers that a threshold is about, taken out of what all workers have measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pytest_loadtool.load.histogram import Extent, Histogram
from pytest_loadtool.load.measures import Spans
from pytest_loadtool.load.metrics import LoadMetrics
from pytest_loadtool.model.threshold import Threshold

__all__ = ["Tally", "tally_of", "time_of", "transactions_of"]


class Tally:
    """The numbers that a threshold is about, cumulative or of one second.

    ``number`` counts what is no request: iterations, dropped arrivals, retried requests.
    """

    __slots__ = ("errors", "number", "requests", "seconds", "times")

    def __init__(self, times: Histogram | Extent) -> None:
        self.times = times
        self.requests = self.errors = self.number = 0
        self.seconds = 0.0

    def value(self, threshold: Threshold) -> float | None:
        """What is compared with the threshold's limit; None if nothing was measured."""
        return _VALUES[threshold.metric](self, threshold.percentile)

    def since(self, earlier: Tally) -> Tally:
        """What came after ``earlier``."""
        now, before = self.times, earlier.times
        assert isinstance(now, Histogram)
        assert isinstance(before, Histogram)
        gained = Tally(now.since(before))
        gained.requests = self.requests - earlier.requests
        gained.errors = self.errors - earlier.errors
        gained.number = self.number - earlier.number
        gained.seconds = self.seconds - earlier.seconds
        return gained


_Value = Callable[[Tally, float], float | None]


def _of_times(value: Callable[[Histogram | Extent, float], float]) -> _Value:
    """A statistic of the times in seconds; there is none without a time."""

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
    "errors": lambda tally, _: tally.errors,
    "requests": lambda tally, _: tally.requests,
    "throughput": lambda tally, _: tally.requests / tally.seconds if tally.seconds else None,
    "iterations": lambda tally, _: tally.number,
    "dropped": lambda tally, _: tally.number,
    "retried": lambda tally, _: tally.number,
}

#: The histogram of a transaction that has a time.
_TIMES = {
    "": "response",
    "response time": "response",
    "service time": "service",
    "time to first byte": "first_byte",
}


def transactions_of(threshold: Threshold, metrics: LoadMetrics) -> Iterator[int]:
    """The indices of the transactions that a threshold is about."""
    scope = threshold.scope
    place = {None: "", "case": "case", "page": "page", "transaction": "name"}[scope and scope.kind]
    for index, key in enumerate(metrics.transaction_keys):
        if scope is None or getattr(key, place) == scope.name:
            yield index


def tally_of(threshold: Threshold, parts: Sequence[LoadMetrics]) -> Tally:
    """What all workers together have measured so far."""
    spans = [
        span.durations
        for part in parts
        if threshold.is_of_durations
        for span in _spans(threshold, part)
    ]
    has_histograms = all(isinstance(one, Histogram) for one in spans)
    tally = Tally(Histogram() if has_histograms else Extent())
    tally.seconds = max((part.elapsed_us for part in parts), default=0) / 1e6
    for durations in spans:
        tally.number += durations.count
        tally.times.merge_wire(durations.to_wire())
    for part in parts:
        tally.number += {"dropped": part.dropped, "retried": part.retried}.get(threshold.metric, 0)
        if threshold.is_of_durations:
            continue
        for index in transactions_of(threshold, part):
            one = part.transactions[index]
            tally.requests += one.requests
            tally.errors += one.errors
            if threshold.unit == "time":
                assert isinstance(tally.times, Histogram)
                tally.times.merge(getattr(one, _TIMES[threshold.time]))
    return tally


def _spans(threshold: Threshold, metrics: LoadMetrics) -> Iterator[Spans]:
    """The pages or test cases whose durations a threshold is about."""
    scope = threshold.scope
    if scope is None or scope.kind == "case":
        for name, span in zip(metrics.case_keys, metrics.cases, strict=True):
            if scope is None or name == scope.name:
                yield span
    else:
        for key, span in zip(metrics.page_keys, metrics.pages, strict=True):
            if key.name == scope.name:
                yield span


def time_of(threshold: Threshold, metrics: LoadMetrics, index: int) -> float | None:
    """The threshold's statistic of one transaction alone, in seconds."""
    times: Histogram = getattr(metrics.transactions[index], _TIMES[threshold.time])
    return Tally(times).value(threshold)
