"""Metrics of a project's own as summaries have them: of a run, and of a part of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_loadtool.load.metrics.custom import CustomMetrics, CustomStretch
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.verdict.summary import CustomMoment, CustomSummary
from pytest_loadtool.load.verdict.times import moment_times, times_of
from pytest_loadtool.model.custom import PARTS


def custom_of(custom: CustomMetrics, asked: Sequence[float] = ()) -> Iterator[CustomSummary]:
    """Yield what they came to, by name: counters, rates, trends."""
    nothing = times_of(Histogram(), asked)
    for name, count in sorted(custom.counters.items()):
        yield CustomSummary(name, "counter", count, None, nothing)
    for name, (true, of) in sorted(custom.rates.items()):
        yield CustomSummary(name, "rate", of, true / of if of else None, nothing)
    for name, trend in sorted(custom.trends.items()):
        yield CustomSummary(name, "trend", trend.count, None, times_of(trend, asked).scaled(1e-3))


def custom_moments(custom: CustomStretch, asked: Sequence[float]) -> Iterator[CustomMoment]:
    """Yield those that were recorded in a part of a run, in the same order."""
    for name, count in sorted(custom.counters.items()):
        yield CustomMoment(name, "counter", count)
    for name, (true, of) in sorted(custom.rates.items()):
        yield CustomMoment(name, "rate", of, true / of if of else None)
    for name, trend in sorted(custom.trends.items()):
        values = moment_times(trend, asked, unit=PARTS)
        yield CustomMoment(name, "trend", trend.count, None, values)
