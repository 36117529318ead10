"""How a run is getting on, read off snapshots."""

from __future__ import annotations

from pytest_loadtool.load import Glimpse, LoadMetrics, glimpse
from tests.load.simulation import one_worker


def test_the_same_as_the_whole_truth() -> None:
    """What a glimpse shows is what merging the metrics would give."""
    parts = [one_worker(1, failing=20), one_worker(2, failing=20)]
    merged, seen = LoadMetrics.merge(parts), glimpse([(part.snapshot(), True) for part in parts])
    total = merged.total()
    assert (seen.requests, seen.errors) == (merged.requests, merged.failed_requests)
    assert seen.statuses == total.statuses
    assert seen.response == total.response
    assert sum(seen.causes.values()) == sum(error.count for error in merged.errors)
    last = list(merged.timeline)[9]
    assert (seen.requests_per_second, seen.errors_per_second) == (last.requests, last.errors)


def test_a_quiet_second() -> None:
    """When nothing was finished in the last whole second, the rate is none."""
    metrics = one_worker(1)
    metrics.begin_second(30)
    assert glimpse([(metrics.snapshot(), True)]).requests_per_second == 0


def test_before_anything_happened() -> None:
    """Without snapshots there is nothing to see, and no error."""
    assert glimpse([]) == Glimpse()
