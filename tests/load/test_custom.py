"""Metrics of functions: recorded, sent by workers, merged, and what thresholds say of them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from pytest_loadtool.casefile.load.thresholds import parse_threshold
from pytest_loadtool.load import Merger
from pytest_loadtool.load.metrics.custom import CustomMetrics, CustomStretch
from pytest_loadtool.load.verdict.threshold import ThresholdWatch, amount
from pytest_loadtool.model.custom import MOST_METRICS
from tests.load.test_merger import Peer, running


def workers() -> Merger:
    """Two of them, each of which has reported twice."""
    merger = running("a", "b")
    for number, name in enumerate("ab"):
        peer = Peer(merger, name)
        custom = peer.metrics.custom
        for half in range(2):
            for value in range(50):
                custom.record("counter", "orders", 2)
                custom.record("rate", "found", value % 10 > 0)
                custom.record("trend", "queue", (number * 100 + half * 50 + value + 1) / 8)
            custom.record("counter", name, 1)
            peer.report(1)
    return merger


def test_numbers_of_workers_add_up_exactly() -> None:
    """As if one had recorded all of it."""
    alone = CustomMetrics()
    for value in range(1, 201):
        alone.record("trend", "queue", value / 8)
    custom = workers().result().metrics.custom
    assert custom.counters == {"orders": 400, "a": 2, "b": 2}
    assert custom.rates == {"found": (180, 200)}
    assert custom.trends == alone.trends
    assert custom.others == 0


def test_each_second_has_what_was_recorded_in_it() -> None:
    """Of all workers; together it is what the run came to, in longer parts, too."""
    merger = workers()
    whole, course = merger.result().metrics.custom, merger.course
    for length in (1, 2):
        stretches = [one.custom for one in course.stretches(length)]
        orders = [one.counters["orders"] for one in stretches if one.counters]
        assert orders == ([200, 200], [400])[length - 1]
        together = CustomStretch()
        for one in stretches:
            together.merge(one)
        assert (together.counters, together.rates) == (whole.counters, whole.rates)
        trend = together.trends["queue"]
        assert (trend.count, trend.total) == (200, whole.trends["queue"].total)
        assert trend.percentiles([50, 95]) == whole.trends["queue"].percentiles([50, 95])


@pytest.mark.parametrize(
    ("text", "passed", "measured"),
    [
        ('count of metric "orders" >= 400', True, "400"),
        ('count of metric "orders" < 400', False, "400"),
        ("rate of metric 'found' > 95 %", False, "90 %"),
        ('p50 of metric "queue" < 12.6', True, "12.5"),
        ('max of metric "queue" < 25', False, "25.0"),
        ('mean of metric "queue" > 12.5', True, "12.6"),
        ('count of metric "order" >= 0', False, "nothing"),
        ('p95 of metric "orders" < 1', False, "nothing"),
        ('count of metric "orders" > 399: stop', False, "400"),
    ],
)
def test_thresholds(text: str, passed: bool, measured: str) -> None:
    """Of each kind, in its own unit; what nobody has recorded was not measured."""
    threshold = parse_threshold(text)
    metrics = workers().result().metrics
    metrics.elapsed_us = 2_000_000
    (found,) = ThresholdWatch([threshold]).results(metrics)
    assert (found.passed, amount(found.measured, threshold.unit)) == (passed, measured)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("count > 3", 'column 7: expected of metric "NAME", got "> 3"'),
        ('count of page "Home" > 3', 'expected of metric "NAME", got "of page'),
        ('p95 of metric "queue" < 5 ms', 'expected a number, got "5 ms"'),
        ('rate of metric "found" > 5', 'expected a share such as 1 %, got "5"'),
        ('errors of metric "found" > 5', "expected of case"),
    ],
)
def test_what_is_no_threshold(text: str, said: str) -> None:
    """It is said with the column."""
    with pytest.raises(ValueError, match=re.escape(said)):
        parse_threshold(text)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (lambda one: one.record("counter", "n", -1), "counter 'n' goes up by a whole number"),
        (lambda one: one.record("counter", "n", 1.5), "counter 'n' goes up by a whole number"),
        (lambda one: one.record("counter", "n", True), "counter 'n' takes a number: not bool"),
        (lambda one: one.record("trend", "n", float("nan")), "takes values from 0"),
        (lambda one: one.record("trend", "n", -0.1), "takes values from 0"),
        (lambda one: one.record("trend", "n", "1"), "takes a number: not str"),
        (lambda one: one.record("rate", "a\nb", True), "one line of up to 100 characters"),
        (lambda one: one.record("rate", 7, True), "a metric's name is text: not int"),
        (lambda one: one.record("rate", " ", True), "one line"),
    ],
)
def test_what_cannot_be_recorded(record: Callable[[CustomMetrics], None], said: str) -> None:
    """It is an error of the function that does it, and nothing is recorded."""
    custom = CustomMetrics()
    with pytest.raises((TypeError, ValueError), match=said):
        record(custom)
    assert custom.to_wire() == []


def test_names_are_bounded() -> None:
    """One too many is an error where it is recorded, and is counted where workers are merged."""
    one, other = CustomMetrics(), CustomMetrics()
    for number in range(MOST_METRICS):
        one.record("counter", f"a{number}", 1)
        other.record("counter", f"b{number}", 1)
    with pytest.raises(ValueError, match="one of more than 100"):
        one.record("counter", "one more", 1)
    one.record("trend", "of another kind", 1)
    one.merge(other)
    assert (len(one.counters), one.others) == (MOST_METRICS, MOST_METRICS)
