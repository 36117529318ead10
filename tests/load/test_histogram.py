"""Histograms: three significant digits, exact merging, bounded size."""

from __future__ import annotations

import json
import tracemalloc
from math import ceil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.load import Histogram
from pytest_loadtool.load.metrics import buckets
from pytest_loadtool.load.metrics.histogram import Extent

HOURS_38 = 2**37
values = st.one_of(
    st.integers(0, HOURS_38), st.integers(0, 5000), st.integers(0, 37).map(lambda bits: 2**bits)
)
percentiles = st.sampled_from([0, 1, 25, 50, 75, 90, 95, 99, 99.9, 100])


def filled(numbers: list[int]) -> Histogram:
    """A histogram of the numbers."""
    histogram = Histogram()
    for number in numbers:
        histogram.record(number)
    return histogram


def nearest_rank(numbers: list[int], p: float) -> int:
    """The definition, on the numbers themselves."""
    return sorted(numbers)[max(1, ceil(round(p * len(numbers) / 100, 9))) - 1]


@given(st.lists(values, min_size=1, max_size=300), percentiles, st.data())
def test_merging_is_pooling(numbers: list[int], p: float, data: st.DataObject) -> None:
    """However values are spread over workers, the merged percentile is that of all values pooled:
    never below it, and at most a bucket (a thousandth) above."""
    owners = data.draw(
        st.lists(st.integers(0, 4), min_size=len(numbers), max_size=len(numbers)), label="owners"
    )
    merged = Histogram()
    for worker in range(5):
        mine = [value for value, owner in zip(numbers, owners, strict=True) if owner == worker]
        merged.merge(filled(mine))
    truth = nearest_rank(numbers, p)
    assert truth <= merged.percentile(p) <= truth * (1 + 1 / 1024)
    assert merged == filled(numbers)


@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 700)), max_size=5), st.data())
def test_full_buckets(counts: list[tuple[int, int]], data: st.DataObject) -> None:
    """Buckets that have counted hundreds of values, whole or split at any point: recorded, merged,
    taken apart and sent as reports, they have the same counts."""
    numbers = [value for value, count in counts for _ in range(count)]
    split = data.draw(st.integers(0, len(numbers)), label="split")
    whole, before, after = filled(numbers), filled(numbers[:split]), filled(numbers[split:])
    reported = Histogram.from_wire(json.loads(json.dumps(before.to_wire())))
    reported.merge_wire(json.loads(json.dumps(whole.to_wire(known=before))))
    merged = filled(numbers[:split])
    merged.merge(after)
    assert whole == reported == merged
    assert whole.count == len(numbers)
    assert whole.since(before).to_wire()[3:] == after.to_wire()[3:]


@pytest.mark.parametrize("size", [3, 2500])
def test_what_is_taken_is_forgotten(size: int) -> None:
    """Of few values and of many: each is taken once, and together they are all of them."""
    recorded, taken, whole = Histogram(), Histogram(), Histogram()
    for part in range(3):
        for us in range(part, 1000 * size, 1000):
            recorded.record(us)
            whole.record(us)
        taken.merge_wire(recorded.take(taken))
    assert recorded.count == 0
    assert taken == whole


def test_more_values_take_no_more_memory() -> None:
    """When the buckets in use have carried, nothing grows: neither where values are counted nor
    where reports of them are. Other threads of the process may take memory meanwhile."""
    histogram, reported = filled([*range(0, 8192, 16)] * 300), Histogram()
    reported.merge_wire(histogram.to_wire())
    tracemalloc.start()
    try:
        for _ in range(300):
            for value in range(0, 8192, 16):
                histogram.record(value)
        reported.merge_wire(histogram.to_wire(reported))
        # What is compiled has no frame of its own: its memory is that of whoever calls it.
        counting = (f"{Path(buckets.__file__).parent}/*", __file__)
        ours = [tracemalloc.Filter(True, one) for one in counting]
        taken = tracemalloc.take_snapshot().filter_traces(ours).traces
        assert sum(one.size for one in taken) < 2000
    finally:
        tracemalloc.stop()
    assert reported == histogram


@given(st.lists(values, min_size=1))
def test_percentiles_are_possible(numbers: list[int]) -> None:
    """No percentile is above the maximum or below the minimum, and none above a higher one."""
    histogram = filled(numbers)
    p0, p50, p95, p99, p100 = (histogram.percentile(p) for p in (0, 50, 95, 99, 100))
    assert min(numbers) <= p0 <= p50 <= p95 <= p99 <= p100 == max(numbers)


@given(st.lists(values))
def test_exact_figures(numbers: list[int]) -> None:
    """Count, sum, mean, minimum and maximum are those of the values, not of their buckets."""
    histogram = filled(numbers)
    assert histogram.count == len(numbers)
    assert histogram.total == sum(numbers)
    assert histogram.mean == (sum(numbers) / len(numbers) if numbers else 0.0)
    assert histogram.min == min(numbers, default=0)
    assert histogram.max == max(numbers, default=0)


@given(st.lists(values), st.lists(values))
def test_wire(numbers: list[int], more: list[int]) -> None:
    """The wire form survives JSON, gives an equal histogram, and adds up like the original."""
    wire = json.loads(json.dumps(filled(numbers).to_wire()))
    assert Histogram.from_wire(wire) == filled(numbers)
    pooled = filled(more)
    pooled.merge_wire(wire)
    assert pooled == filled(more + numbers)


def test_exact_ranks() -> None:
    """The rank is counted exactly: 99.9 % of 1,000 values is the 999th, not the 1,000th."""
    histogram = filled(list(range(1, 1001)))
    assert histogram.percentile(99.9) == 999
    assert histogram.percentile(50) == 500
    assert histogram.percentile(95) == 950


def test_small_values_are_exact() -> None:
    """Below 2,048 microseconds each value is a bucket of its own."""
    for value in range(2048):
        histogram = filled([value, HOURS_38])
        assert histogram.percentile(50) == value


def test_size_is_bounded() -> None:
    """The size depends on the spread of the values, never on how many there are."""
    histogram = Histogram()
    everything = [step << bits for bits in range(27) for step in range(1024, 2048)]
    for value in everything:
        histogram.record(value)
    size = len(histogram.to_wire())
    for value in everything:
        histogram.record(value + 1)
    assert len(histogram.to_wire()) == size == 3 + 27


def test_early_timers_count_as_punctual() -> None:
    """A negative value, from a timer that fired early, is counted as nothing and harms nothing."""
    histogram = filled([500, -3, 700])
    assert (histogram.count, histogram.min, histogram.total) == (3, 0, 1200)
    assert histogram.percentile(1) == 0


def test_nothing_has_no_percentile() -> None:
    """Without values, or for an impossible rank, there is an error and no made-up number."""
    with pytest.raises(ValueError, match="without values"):
        Histogram().percentile(50)
    with pytest.raises(ValueError, match="between 0 and 100"):
        filled([1]).percentile(101)


@given(st.lists(values), st.lists(values))
def test_what_came_since(before: list[int], after: list[int]) -> None:
    """Taking an earlier state away leaves what was recorded after it; least and most are within a
    bucket."""
    earlier = filled(before)
    gained, expected = filled([*before, *after]).since(earlier), filled(after)
    assert gained.to_wire()[3:] == expected.to_wire()[3:]
    assert gained.total == expected.total
    assert gained.min == pytest.approx(expected.min, rel=0.001)
    assert gained.max == pytest.approx(expected.max, rel=0.001)


@given(st.lists(values), st.lists(values))
def test_an_extent_has_the_same_exact_figures(numbers: list[int], more: list[int]) -> None:
    """Without percentiles there are still count, sum, average, least and most; and they add up."""
    extent, pooled = Extent(), filled(numbers + more)
    for number in numbers:
        extent.record(number)
    for part in (more, []):
        other = Extent()
        for number in part:
            other.record(number)
        extent.merge_wire(json.loads(json.dumps(other.to_wire())))
    for figure in ("count", "total", "mean", "min", "max"):
        assert getattr(extent, figure) == getattr(pooled, figure)


def test_the_longest_time() -> None:
    """What is longer than any run counts as 35 years, and not as an error."""
    histogram = filled([1 << 80, 5])
    assert (histogram.count, histogram.max) == (2, (1 << 50) - 1)
    assert histogram.percentile(100) == histogram.max
