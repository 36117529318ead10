"""The arithmetic of a slow line."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.model.bandwidth import PROFILES, Bandwidth
from pytest_loadtool.transport.wire.throttle import Line, Way

_sizes = st.lists(st.integers(1, 100_000), min_size=1, max_size=30)
_rates = st.integers(1_000, 10**9)
_times = st.floats(0, 1e6)


@given(_rates, _times, _sizes)
def test_a_busy_line_carries_at_its_rate(rate: int, start: float, sizes: list[int]) -> None:
    """However it is cut into pieces, what waits takes its bits by the rate, from the first on."""
    way = Way(rate)
    for size in sizes:
        end = way.carry(start, size)
    assert end - start == pytest.approx(sum(sizes) * 8 / rate, rel=1e-6, abs=1e-6)


@given(_rates, st.lists(st.tuples(st.floats(0, 100), st.integers(1, 100_000)), min_size=1))
def test_nothing_passes_faster_than_the_line(rate: int, given_: list[tuple[float, int]]) -> None:
    """In order, not before it was there, each after its own time on the line: so between any two
    moments no more gets through than the rate allows."""
    way = Way(rate)
    now = 0.0
    before = 0.0
    for wait, size in given_:
        now += wait
        end = way.carry(now, size)
        took = size * 8 / rate
        assert end - took >= max(now, before) - 1e-6
        assert end == pytest.approx(max(now, before) + took)
        before = end


def test_time_that_nobody_used_is_lost() -> None:
    """A line that was silent is not faster afterwards."""
    way = Way(8_000)
    assert way.carry(0.0, 1_000) == 1.0
    assert way.carry(10.0, 1_000) == 11.0


def test_directions_do_not_disturb_each_other() -> None:
    """Up and down have a rate each; connections of one user share both."""
    line = Line(Bandwidth(8_000, 4_000, 0.1))
    assert [line.down.carry(0.0, 500), line.up.carry(0.0, 500)] == [0.5, 1.0]
    assert [line.down.carry(0.0, 500), line.up.carry(0.0, 500)] == [1.0, 2.0]


def test_profiles_are_lines() -> None:
    """Each has a speed both ways; from 3G to fiber the quicker ones are quicker."""
    assert all(one.down >= one.up > 0 and 0 < one.latency < 2 for one in PROFILES.values())
    ranking = [PROFILES[name] for name in ("2G", "3G", "cable", "fiber")]
    assert all(a.down < b.down and a.latency > b.latency for a, b in pairwise(ranking))
