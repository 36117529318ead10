"""Clocks that differ: how far is known by round trips, and what is said of a start is true."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.load.cluster.clocks import EXACT_TO_MS, ROUND_TRIPS, Clocks, exactness

#: Seconds that a message takes.
ways = st.floats(0.0, 0.5)


@given(
    st.floats(-1e5, 1e5),
    st.lists(st.tuples(ways, ways), min_size=ROUND_TRIPS, max_size=ROUND_TRIPS),
)
def test_a_start_is_as_exact_as_is_said(ahead: float, trips: list[tuple[float, float]]) -> None:
    """However unequal there and back are: who starts by its own clock when it is told does so
    within what is reported, of which the quickest trip is the measure."""
    clocks, now = Clocks(["far"]), 1e9
    number: int | None = clocks.ask("far", now)
    for there, back in trips:
        assert number is not None
        theirs = now + there + ahead
        now += there + back
        number = clocks.answered("far", number, theirs, now)
    assert number is None
    offset = clocks.offsets["far"]
    assert offset.exact_to is not None
    assert abs(offset.exact_to - min(map(sum, trips)) / 2) < 1e-6
    start = now + 1
    began = clocks.there("far", start) - ahead  # by the clock here
    assert abs(began - start) <= offset.exact_to + 1e-6


@dataclass(frozen=True)
class Began:
    """A worker that has begun."""

    name: str
    start_late_s: float
    clock_ahead_s: float | None
    start_exact_to_s: float | None


def test_what_is_less_exact_than_it_has_to_be_is_said() -> None:
    """With the worst of all, and why."""
    east, west = Began("east", 0.0, -2.0, 0.001), Began("west", 0.004, 0.5, 0.0192)
    assert exactness([east, west]) == "clocks 2.500 s apart, start exact to 20 ms"
    late = Began("west", 0.4, 0.5, 0.402)
    assert exactness([east, late]) == (
        f"clocks 2.500 s apart, start exact to 402 ms and not to {EXACT_TO_MS}: west began 400 ms "
        "late, and its clock is known to 2 ms"
    )
    assert exactness([Began("here", 0.5, None, None)]) == ""
