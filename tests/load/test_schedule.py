"""Schedules: when users start and stop, when arrivals come, in each share and in all of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import ceil, inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.load import Share
from pytest_loadtool.load.cluster.share import row_takers, rows_among
from pytest_loadtool.load.pacing.schedule import Span, arrivals, describe, describe_schedule, spans
from pytest_loadtool.model.bandwidth import PROFILES, Bandwidth
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.load import CaseShare, LoadConfiguration, Schedule, Stage

WHOLE = Share()
counts = st.integers(1, 7)


def load(*stages: Stage, **changes: Any) -> Schedule:
    """A load of these stages, or a plain one."""
    users = max((stage.users or 0 for stage in stages), default=0) or 500
    duration = sum(stage.duration for stage in stages) or 10.0
    defaults: dict[str, Any] = {"users": users, "duration": duration, "stages": stages}
    return Schedule(**(defaults | changes))


@st.composite
def _stage(draw: st.DrawFn, level: dict[str, st.SearchStrategy[Any]]) -> Stage:
    duration = draw(st.integers(1, 40)) / 4
    ramp = draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])) * duration
    return Stage(duration, ramp, **{name: draw(values) for name, values in level.items()})


closed = st.lists(_stage({"users": st.integers(0, 30)}), min_size=1, max_size=5)
opened = st.lists(_stage({"rate": st.integers(0, 80).map(lambda n: n / 4)}), min_size=1, max_size=5)


def working(found: list[Span], time: float) -> set[int]:
    """Who begins iterations at a time."""
    return {span.user for span in found if span.start <= time < span.stop}


def level_at(stages: list[Stage], time: float) -> float:
    """The line itself, read off naively."""
    begin = before = 0.0
    for stage in stages:
        if time < begin + stage.duration:
            part = min(1.0, (time - begin) / stage.ramp) if stage.ramp else 1.0
            return before + (stage.level - before) * part
        begin, before = begin + stage.duration, stage.level
    return 0.0


# The closed model.


def test_a_plain_ramp_up() -> None:
    """User i of n starts at ramp-up times i / n, or all at once, and stops at the end."""
    found = list(spans(load(users=4, duration=10.0, ramp_up=2.0), WHOLE))
    assert found == [Span(user / 2, 10.0, user) for user in range(4)]
    assert {span.start for span in spans(load(users=4), WHOLE)} == {0.0}


def test_without_a_duration_nobody_stops() -> None:
    """The iterations end the run."""
    unlimited = load(users=2, duration=None, iterations=3)
    assert {span.stop for span in spans(unlimited, WHOLE)} == {inf}


def test_stages_up_and_down() -> None:
    """The highest number stops first; who stopped starts again when there is need."""
    stages = [Stage(10, users=3), Stage(10, 4, users=5), Stage(10, 2, users=3), Stage(5, users=4)]
    found = list(spans(load(*stages), WHOLE))
    assert found == [
        Span(0.0, 35.0, 0),
        Span(0.0, 35.0, 1),
        Span(0.0, 35.0, 2),
        Span(10.0, 22.0, 3),
        Span(12.0, 21.0, 4),
        Span(30.0, 35.0, 3),
    ]


@given(closed, counts)
def test_the_shares_of_users_are_the_whole(stages: list[Stage], count: int) -> None:
    """Each span belongs to exactly one share, and each share has its own in order."""
    plan = load(*stages)
    shares = [list(spans(plan, Share(index, count))) for index in range(count)]
    for index, share in enumerate(shares):
        assert [span.start for span in share] == sorted(span.start for span in share)
        assert all(span.user in Share(index, count).users(plan.users) for span in share)
    together = [span for share in shares for span in share]
    whole = list(spans(plan, WHOLE))
    assert sorted(together, key=lambda span: (span.user, span.start)) == sorted(
        whole, key=lambda span: (span.user, span.start)
    )


@given(closed, st.floats(0, 1, exclude_max=True))
def test_as_many_users_as_the_line_says(stages: list[Stage], part: float) -> None:
    """At any time the users are those of the lowest numbers, as many as the level, rounded."""
    time = part * sum(stage.duration for stage in stages)
    found = working(list(spans(load(*stages), WHOLE)), time)
    assert found == set(range(len(found)))
    assert abs(len(found) - level_at(stages, time)) <= 1 + 1e-9


@given(closed)
def test_a_user_does_one_thing_at_a_time(stages: list[Stage]) -> None:
    """Its spans have a length and do not overlap."""
    of_user: dict[int, list[Span]] = {}
    for span in spans(load(*stages), WHOLE):
        of_user.setdefault(span.user, []).append(span)
        assert span.start < span.stop
    for own in of_user.values():
        assert all(one.stop <= other.start for one, other in pairwise(own))


# The open model.


def test_a_constant_rate() -> None:
    """The first comes at once, the others at equal distances, none at the very end."""
    assert list(arrivals(load(rate=4.0, duration=1.0), WHOLE)) == [
        (0.0, 0),
        (0.25, 1),
        (0.5, 2),
        (0.75, 3),
    ]


def test_a_rising_rate() -> None:
    """From none to 8 per second in 4 s there are t² arrivals after t seconds."""
    times = [time for time, _ in arrivals(load(rate=8.0, duration=4.0, ramp_up=4.0), WHOLE)]
    assert times == pytest.approx([number**0.5 for number in range(16)])


def test_a_falling_rate() -> None:
    """The same backwards: a first stage without a length says where the ramp begins."""
    falling = load(Stage(0, rate=8.0), Stage(4, 4, rate=0.0))
    times = [time for time, _ in arrivals(falling, WHOLE)]
    assert times == pytest.approx([4 - (16 - number) ** 0.5 for number in range(16)])


@pytest.mark.parametrize(
    ("rate", "duration", "number"),
    [(50.0, 2.0, 100), (100 / 60, 60.0, 100), (1.1, 10.0, 11), (0.1, 30.0, 3), (1 / 3600, 60, 1)],
)
def test_the_number_of_arrivals_is_what_one_expects(
    rate: float, duration: float, number: int
) -> None:
    """Also where floats are not exact; and there is at least one."""
    assert len(list(arrivals(load(rate=rate, duration=duration), WHOLE))) == number


@given(opened, counts, st.sampled_from(["even", "poisson"]))
def test_the_shares_of_arrivals_are_the_whole(
    stages: list[Stage], count: int, spacing: str
) -> None:
    """Each arrival belongs to exactly one share, at the same time, and they come in order."""
    plan = load(*stages, arrivals=spacing)
    whole = list(arrivals(plan, WHOLE))
    shares = [list(arrivals(plan, Share(index, count))) for index in range(count)]
    assert sorted(one for share in shares for one in share) == whole
    assert [number for _, number in whole] == list(range(len(whole)))
    assert all(number % count == index for index in range(count) for _, number in shares[index])


@given(opened, st.floats(0, 1))
def test_as_many_arrivals_as_the_integral_says(stages: list[Stage], part: float) -> None:
    """Before any time, the integral of the rate, rounded up."""
    end = part * sum(stage.duration for stage in stages)
    begin = before = integral = 0.0
    for stage in stages:  # trapezes, of each stage as much as lies before the end
        ramp = min(stage.ramp, max(0.0, end - begin))
        reached = before + (stage.level - before) * (ramp / stage.ramp if stage.ramp else 1.0)
        held = min(stage.duration - stage.ramp, max(0.0, end - begin - stage.ramp))
        integral += (before + reached) / 2 * ramp + stage.level * held
        begin, before = begin + stage.duration, stage.level
    times = [time for time, _ in arrivals(load(*stages), WHOLE)]
    assert times == sorted(times)
    found = sum(time < end for time in times)
    assert ceil(integral - 1e-5) <= found <= ceil(integral + 1e-5)


def test_poisson_arrivals_are_random_and_the_same_each_time() -> None:
    """Their number is about the integral; their distances vary as much as their mean."""
    plan = load(rate=100.0, duration=100.0, arrivals="poisson")
    times = [time for time, _ in arrivals(plan, WHOLE)]
    assert [time for time, _ in arrivals(plan, WHOLE)] == times
    assert abs(len(times) - 10_000) < 400  # four standard deviations
    gaps = [after - before for before, after in pairwise(times)]
    mean = sum(gaps) / len(gaps)
    deviation = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    assert deviation == pytest.approx(mean, rel=0.1)


# In words.


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (load(users=20, ramp_up=2.0), "20 users for 10 s (ramp-up 2 s)"),
        (load(users=1, duration=180.0), "1 user for 3 min"),
        (load(users=5, duration=None, iterations=3), "5 users, 3 iterations each"),
        (
            load(users=5, iterations=1, ramp_up=2.0),
            "5 users, 1 iteration each in at most 10 s (ramp-up 2 s)",
        ),
        (load(Stage(60, 30, users=100), Stage(60, users=20)), "0 → 100 → 20 users over 2 min"),
        (
            load(*(Stage(120, users=number * 50) for number in range(1, 17))),
            "50 → 100 → … → 750 → 800 users over 32 min",
        ),
        (
            load(Stage(0, rate=50.0), Stage(120, 120, rate=200.0)),
            "50 → 200 arrivals/s over 2 min, at most 500 users",
        ),
        (
            load(rate=100 / 60, duration=60.0, ramp_up=5.0, users=8),
            "100 arrivals/min for 60 s (ramp-up 5 s), at most 8 users",
        ),
        (
            load(rate=0.5, arrivals="poisson", users=1),
            "0.5 Poisson arrivals/s for 10 s, at most 1 user",
        ),
        (
            load(Stage(5, 2, users=3), Stage(5, users=1), start=60.0),
            "0 → 3 → 1 users over 10 s, 60 s after the start",
        ),
        (load(users=3, start=5.0), "3 users for 10 s, 5 s after the start"),
    ],
)
def test_a_schedule_in_a_sentence(plan: Schedule, words: str) -> None:
    """What the report says of it."""
    assert describe_schedule(plan) == words


@pytest.mark.parametrize(
    ("bandwidth", "words"),
    [
        (PROFILES["3G"], "a 3G line (1.6 Mbit/s down, 768 kbit/s up, 300 ms)"),
        (Bandwidth(2_000_000, 10**9), "a line of 2 Mbit/s down, 1 Gbit/s up"),
    ],
)
def test_a_load_names_lines_and_schedules(bandwidth: Bandwidth, words: str) -> None:
    """One schedule needs no name; of several each has those of its test cases."""
    plan = LoadConfiguration("load", (CaseShare("shop.case.toml"),), 2, 10.0, bandwidth=bandwidth)
    assert describe(plan) == f"2 users for 10 s, each on {words}"
    night = CaseShare("deep/night.case.toml", schedule=load(rate=0.5, users=2, start=3.0))
    assert describe(replace(plan, cases=(*plan.cases, night))) == (
        "shop: 2 users for 10 s; night: 0.5 arrivals/s for 10 s, at most 2 users, "
        f"3 s after the start, each on {words}"
    )


# Several schedules.


@given(closed, counts, st.floats(0.1, 100.0))
def test_a_schedule_that_starts_later_is_the_same_later(
    stages: list[Stage], shares: int, start: float
) -> None:
    """Nothing of it changes but the time."""
    if not any(stage.users for stage in stages):
        return
    for index in range(shares):
        share = Share(index, shares)
        now, later = (list(spans(load(*stages, start=at), share)) for at in (0.0, start))
        assert [one.user for one in later] == [one.user for one in now]
        assert [one.start for one in later] == pytest.approx([one.start + start for one in now])
        assert [one.stop for one in later] == pytest.approx([one.stop + start for one in now])


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), counts)
def test_users_of_all_schedules_are_dealt_evenly(sizes: list[int], shares: int) -> None:
    """Each user is in one share, and no share has two more than another: single users of many
    schedules are not all the first worker's."""
    cases = tuple(
        CaseShare(f"{at}.case.toml", schedule=load(users=n)) for at, n in enumerate(sizes)
    )
    plan = LoadConfiguration("load", cases, 0, None)
    every: dict[int, list[int]] = {}
    for index in range(shares):
        every[index] = [
            one.first + user
            for one in plan.populations
            for user in Share(index, shares).of_population(one).users(one.schedule.users)
        ]
    assert sorted(user for own in every.values() for user in own) == list(range(sum(sizes)))
    numbers = [len(own) for own in every.values()]
    assert max(numbers) - min(numbers) <= 1
    assert [Share(at, shares).users_of(plan) for at in range(shares)] == numbers


def test_rows_go_to_those_who_take_them() -> None:
    """A dataset that one test case uses has rows for its users alone; one that two share, by
    different names, has rows for both, and none twice."""
    mine, theirs = DatasetUse("mine", "a.csv"), DatasetUse("theirs", "../a.csv")
    alone = DatasetUse("alone", "b.csv")
    cases = (
        CaseShare("x/a.case.toml", schedule=load(users=100)),
        CaseShare("b.case.toml", schedule=load(users=3, iterations=4)),
        CaseShare("x/y/c.case.toml", schedule=load(users=5)),
    )
    plan = LoadConfiguration("load", cases, 0, None)
    a, b, c = row_takers(plan, [[mine], [alone], [theirs]])
    assert (a["mine"].users, c["theirs"].users, b["alone"].users) == (105, 105, 3)
    assert (a["mine"].iterations, b["alone"].iterations) == (1, 4)
    taken = [rows_among(a, 0, user)(mine, 200, 0) for user in range(100)]
    taken += [rows_among(c, 2, user)(theirs, 200, 0) for user in range(5)]
    assert taken == list(range(105))
    assert [rows_among(b, 1, user)(alone, 12, 1) for user in range(3)] == [3, 4, 5]
