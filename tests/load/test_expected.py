"""What a load comes to, worked out before it runs."""

from __future__ import annotations

import pytest

from pytest_loadtool.load.pacing.expected import expected, level_at, users_needed
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import CaseShare, Distribution, LoadConfiguration, Stage

ONE = (CaseShare("shop.case.toml"),)
TWO = (CaseShare("shop.case.toml", 3), CaseShare("api.case.toml", 1))


def test_users_go_on_until_the_time_is_over() -> None:
    """Ten users for a minute, 25 s each: two iterations in full, and a third that the grace period
    lets finish."""
    [found] = expected(LoadConfiguration("a", ONE, 10, 60.0), [Length(20, 5)])
    assert (found.begun, found.finished, found.each) == (30, 30, 3)
    assert found.per_minute == 24


def test_what_the_grace_period_cuts_is_no_finished_iteration() -> None:
    """The third would take until second 75."""
    [found] = expected(LoadConfiguration("a", ONE, 10, 60.0, grace=14.0), [Length(25)])
    assert (found.begun, found.finished) == (30, 20)


def test_no_iteration_is_finished_where_one_takes_longer_than_all() -> None:
    """They begin all the same."""
    [found] = expected(LoadConfiguration("a", ONE, 5, 10.0), [Length(113)])
    assert (found.begun, found.finished) == (5, 0)


def test_ramp_up_leaves_later_users_less_time() -> None:
    """The user that begins at second 30 has half of the minute."""
    [found] = expected(LoadConfiguration("a", ONE, 2, 60.0, 60.0), [Length(10)])
    assert (found.begun, found.each) == (6 + 3, 6)


def test_iterations_and_pacing_are_bounds() -> None:
    """Not more than are wanted, and not more often than the pacing has it."""
    [few] = expected(LoadConfiguration("a", ONE, 4, None, iterations=2), [Length(5)])
    assert (few.begun, few.finished, few.each) == (8, 8, 2)
    paced = LoadConfiguration("a", ONE, 1, 60.0, pacing=Distribution("uniform", (10.0, 30.0)))
    [slow] = expected(paced, [Length(5)])
    assert (slow.begun, slow.per_minute) == (3, 3)


def test_without_any_time_of_its_own_nobody_knows() -> None:
    """The server says how many there are."""
    [found] = expected(LoadConfiguration("a", ONE, 4, 60.0), [Length()])
    assert (found.begun, found.finished, found.per_minute) == (None, None, None)


def test_weights_share_the_users() -> None:
    """Three of four play the first."""
    shop, api = expected(LoadConfiguration("a", TWO, 8, 60.0), [Length(30), Length(10)])
    assert (shop.users, shop.begun) == (6, 12)
    assert (api.users, api.begun) == (2, 12)


@pytest.mark.parametrize(("rate", "ramp", "begun"), [(10.0, 0.0, 600), (10.0, 60.0, 300)])
def test_arrivals_are_the_area_below_the_line(rate: float, ramp: float, begun: int) -> None:
    """A ramp over all of it has half of them."""
    load = LoadConfiguration("a", ONE, 100, 60.0, ramp, rate=rate)
    [found] = expected(load, [Length(5)])
    assert (found.begun, found.finished) == (begun, begun)


def test_arrivals_that_are_too_late_to_finish() -> None:
    """Those of the last seconds that the grace period does not make up for."""
    load = LoadConfiguration("a", ONE, 900, 60.0, rate=10.0, grace=10.0)
    [found] = expected(load, [Length(20)])
    assert (found.begun, found.finished) == (600, 500)


def test_users_that_a_rate_needs() -> None:
    """Ten each second, who stay for 25.7 seconds: 257 at once."""
    load = LoadConfiguration("a", ONE, 20, 60.0, rate=10.0)
    assert users_needed(load.populations[0], [Length(25.7)]) == 257


def test_level_over_the_stages() -> None:
    """Up, level, down; and nothing afterwards."""
    stages = (Stage(10.0, 4.0, users=8), Stage(10.0, 2.0, users=2))
    load = LoadConfiguration("a", ONE, 8, 20.0, stages=stages)
    levels = [level_at(load.populations[0].schedule, at) for at in (0, 1, 4, 9, 11, 12, 19, 20)]
    assert levels == [0, 2, 8, 8, 5, 2, 2, 0]
