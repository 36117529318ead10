"""Durations drawn from distributions, and think times made of them."""

from __future__ import annotations

from random import Random
from statistics import mean, stdev

import pytest

from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.load import Distribution, ThinkTime
from pytest_loadtool.replay import compile_case
from pytest_loadtool.replay.draw import draw


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


def pauses(think_time: ThinkTime, seed: int) -> list[list[float] | None]:
    """What the first pauses after each of three pages are; the first was recorded with one."""
    pages = tuple(
        Page(name, (Transaction(Request("GET", "/")),), think_time=seconds)
        for name, seconds in (("one", 4.0), ("two", 0.0), ("three", 0.0))
    )
    plan = compile_case(TestCase("case", pages, "http://h"), think_time=think_time, seed=seed)
    return [page.pause and [page.pause() for _ in range(50)] for page in plan.pages]


def test_drawn_think_times() -> None:
    """After every page but the last, whatever was recorded; the same for the same seed only."""
    think_time = ThinkTime(cap=2.0, drawn=Distribution("exponential", (1.0,)))
    first, second, last = pauses(think_time, seed=1)
    assert first is not None
    assert last is None
    assert max(first) == 2.0
    assert len(set(first)) > 20
    assert first != second
    assert pauses(think_time, seed=1) == [first, second, None]
    assert pauses(think_time, seed=2)[0] != first
