"""What happened when: exact, and bounded however long a run is."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.load.metrics.timeline import MOST_INTERVALS, Interval, Timeline

Second = tuple[int, int, int, int, int, int]

counts = st.integers(0, 1000)
seconds = st.lists(st.tuples(st.integers(0, 50), counts, counts, counts, counts, counts))


def filled(entries: list[Second]) -> Timeline:
    """A timeline of these."""
    timeline = Timeline()
    for entry in entries:
        timeline.add(*entry)
    return timeline


def long_run(hours: int, first: int = 0) -> Timeline:
    """Ten requests in each second, of 2 ms and one of 5 ms."""
    return filled([(second, 10, 1, 3, 23_000, 5_000) for second in range(first, hours * 3600)])


def test_seconds_add_up() -> None:
    """What is added to a second is summed, and the longest stays the longest."""
    timeline = filled([(4, 1, 0, 2, 10, 10), (2, 1, 1, 2, 5, 5), (4, 2, 1, 1, 9, 6)])
    assert list(timeline) == [Interval(2, 1, 1, 1, 2, 5, 5), Interval(4, 1, 3, 1, 3, 19, 10)]


def test_nothing_leaves_no_trace() -> None:
    """A second without users and requests is not there; one with users alone is."""
    assert [one.second for one in filled([(1, 0, 0, 0, 0, 0), (2, 0, 0, 5, 0, 0)])] == [2]


def test_two_days_stay_small() -> None:
    """48 hours fit into as many intervals as an hour, and nothing of the sums is lost."""
    timeline = long_run(48)
    intervals = list(timeline)
    assert timeline.length == 64
    assert len(intervals) == 48 * 3600 // 64 <= MOST_INTERVALS
    assert sum(one.requests for one in intervals) == 48 * 3600 * 10
    assert sum(one.response_us for one in intervals) == 48 * 3600 * 23_000
    assert {one.longest_us for one in intervals} == {5_000}
    assert len(json.dumps(timeline.to_wire())) < 200_000


def test_an_hour_is_kept_by_the_second() -> None:
    """Intervals become longer only when they must."""
    assert long_run(1).length == 1


@given(st.lists(seconds, max_size=4), st.randoms(use_true_random=False))
def test_merging_is_exact_in_any_order(parts: list[list[Second]], random) -> None:  # type: ignore[no-untyped-def]  # Random
    """However seconds are spread over workers, the merged timeline is that of all of them."""
    whole = filled([entry for part in parts for entry in part])
    random.shuffle(parts)
    merged = Timeline()
    for part in parts:
        merged.merge(Timeline.from_wire(json.loads(json.dumps(filled(part).to_wire()))))
    assert list(merged) == list(whole)


def test_reports_over_two_hours() -> None:
    """When the seconds become pairs, what was reported becomes pairs as well."""
    timeline, reported, heard = Timeline(), Timeline(), Timeline()
    for second in range(2 * 3600):
        timeline.add(second, 1, 0, 0, second, second)
        if second % 1300 == 0 or second == 2 * 3600 - 1:
            wire = json.loads(json.dumps(timeline.to_wire(reported)))
            reported.merge_wire(wire)
            heard.merge_wire(wire)
    assert list(heard) == list(timeline)
    assert sum(one.requests for one in heard) == 2 * 3600


def test_coarse_and_fine_merge() -> None:
    """A worker that ran for long and one that was lost early: the result does not depend on who
    is first, and has the coarser intervals."""
    long, short = long_run(3), filled([(0, 1, 0, 1, 7, 7), (9, 1, 0, 1, 9_999, 9_999)])
    one, other = Timeline(), Timeline()
    for part in (long, short):
        one.merge(part)
    for part in (short, long):
        other.merge(part)
    assert list(one) == list(other)
    assert one.length == long.length == 4
    first, _, third, *_ = one
    assert first == Interval(0, 4, 41, 4, 13, 92_007, 5_000)
    assert third.longest_us == 9_999
