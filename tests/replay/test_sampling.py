"""Durations drawn from distributions, and think times made of them."""

from __future__ import annotations

from random import Random
from statistics import mean, stdev

import pytest

from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.load import Distribution, ThinkTime
from pytest_loadtool.replay import compile_case
from pytest_loadtool.replay.compile.sampling import draw


def drawn(distribution: Distribution) -> list[float]:
    random = Random(1)
    return [draw(distribution, random) for _ in range(20_000)]


def test_constant() -> None:
    """Always the same."""
    assert set(drawn(Distribution("constant", (3.0,)))) == {3.0}


def test_uniform() -> None:
    """Anything in between, as often."""
    found = drawn(Distribution("uniform", (1.0, 5.0)))
    assert 1.0 <= min(found) < 1.1
    assert 4.9 < max(found) <= 5.0
    assert mean(found) == pytest.approx(3.0, rel=0.02)


def test_normal() -> None:
    """Mean and standard deviation are as asked for when nearly nothing is negative."""
    found = drawn(Distribution("normal", (10.0, 2.0)))
    assert mean(found) == pytest.approx(10.0, rel=0.02)
    assert stdev(found) == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize("centre", [0.0, 1.0])
def test_normal_is_never_negative(centre: float) -> None:
    """What is negative is drawn again: it does not pile up at nothing."""
    found = drawn(Distribution("normal", (centre, 2.0)))
    assert min(found) >= 0
    assert found.count(0.0) == 0


def test_exponential() -> None:
    """Mean and standard deviation are the same; no time at all is one, too."""
    found = drawn(Distribution("exponential", (3.0,)))
    assert mean(found) == pytest.approx(3.0, rel=0.03)
    assert stdev(found) == pytest.approx(3.0, rel=0.05)
    assert set(drawn(Distribution("exponential", (0.0,)))) == {0.0}


def pauses(think_time: ThinkTime, user: int) -> list[list[float] | None]:
    """A user's think times in 50 iterations after each of three pages, of which the first was
    recorded with one."""
    pages = tuple(
        Page(name, (Transaction(Request("GET", "/")),), think_time=seconds)
        for name, seconds in (("one", 4.0), ("two", 0.0), ("three", 0.0))
    )
    plan = compile_case(TestCase("case", pages, "http://h"), think_time=think_time)
    return [page.pause and [page.pause(user, n) for n in range(50)] for page in plan.pages]


def test_drawn_think_times() -> None:
    """After every page but the last, whatever was recorded; each user has its own, always."""
    think_time = ThinkTime(cap=2.0, drawn=Distribution("exponential", (1.0,)))
    first, second, last = pauses(think_time, user=1)
    assert first is not None
    assert last is None
    assert max(first) == 2.0
    assert len(set(first)) > 20
    assert first != second
    assert pauses(think_time, user=1) == [first, second, None]
    assert pauses(think_time, user=2)[0] != first


def test_users_do_not_share_their_chance() -> None:
    """What one draws does not depend on what others have drawn before it."""
    drawn = ThinkTime(drawn=Distribution("normal", (5.0, 2.0)))
    pages = tuple(Page(name, (Transaction(Request("GET", "/")),)) for name in ("one", "two"))
    plan = compile_case(TestCase("case", pages, "http://h"), think_time=drawn)
    pause = plan.pages[0].pause
    assert pause is not None
    in_order = {(user, n): pause(user, n) for user in range(4) for n in range(3)}
    assert len(set(in_order.values())) == 12
    assert {key: pause(*key) for key in reversed(in_order)} == in_order


def test_constant_think_time() -> None:
    """The same for all; none at all is not waited for."""
    constant = ThinkTime(cap=2.5, drawn=Distribution("constant", (3.0,)))
    assert pauses(constant, user=7) == [[2.5] * 50, [2.5] * 50, None]
    nothing = ThinkTime(drawn=Distribution("constant", (0.0,)))
    assert pauses(nothing, user=7) == [None, None, None]
