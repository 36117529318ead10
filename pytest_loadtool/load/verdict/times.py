"""Distributions of times as summaries have them."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_loadtool.load.metrics.histogram import Extent, Histogram
from pytest_loadtool.load.metrics.sparse import SparseHistogram
from pytest_loadtool.load.verdict.summary import MomentTimes, TimeSummary, percentile_name

#: Percentiles that tables have, whatever else is asked for.
_ALWAYS = (50.0, 95.0, 99.0)


def times_of(durations: Histogram | Extent, asked: Sequence[float] = ()) -> TimeSummary:
    """Return the distribution in milliseconds; of an `Extent` without percentiles."""
    names = [percentile_name(p) for p in asked]
    if not durations.count:
        return TimeSummary(None, None, None, None, None, tuple((name, None) for name in names))
    if not isinstance(durations, Histogram):
        return TimeSummary(durations.mean / 1000, None, None, None, durations.max / 1000)
    p50, p95, p99, *others = (one / 1000 for one in durations.percentiles([*_ALWAYS, *asked]))
    told = tuple(zip(names, others, strict=True))
    return TimeSummary(durations.mean / 1000, p50, p95, p99, durations.max / 1000, told)


def moment_times(
    times: SparseHistogram,
    asked: Sequence[float],
    longest_us: int | None = None,
    unit: int = 1000,
) -> MomentTimes:
    """Return the distribution in milliseconds, or in a ``unit`` of so many. ``longest_us`` is the
    exact maximum, if that is known."""
    names = [percentile_name(p) for p in asked]
    if not times.count:
        return MomentTimes(percentiles=tuple((name, None) for name in names))
    *found, most = (one / unit for one in times.percentiles([*asked, 100], longest_us))
    return MomentTimes(times.mean / unit, tuple(zip(names, found, strict=True)), most)
