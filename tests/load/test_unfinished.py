"""Test cases that come to no end: told before the run, and by its verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.casefile.load.thresholds import parse_threshold
from pytest_loadtool.load import (
    LoadMetrics,
    MergedMetrics,
    PageKey,
    Share,
    ThresholdWatch,
    TransactionKey,
    Verdict,
    WorkerResult,
    WorkerTotals,
    verdict,
)
from pytest_loadtool.load.verdict.unfinished import too_short
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import LoadConfiguration, Stage

PLAN = LoadConfiguration("n", (), users=5, duration=10.0, ramp_up=2.0)
LENGTH = Length(thinking=107.0, waiting=6.0)


def metrics_of(*requests: int, iterations: int = 0, case: str = "shop") -> LoadMetrics:
    """Of a test case with so many finished requests of each of its transactions."""
    keys = [TransactionKey(case, "p", f"t{number}") for number in range(len(requests))]
    metrics = LoadMetrics(keys, [PageKey(case, "p")], [case])
    for index, many in enumerate(requests):
        for _ in range(many):
            metrics.record(index, 200, 1000, 1000, -1, 1, 1)
    for _ in range(iterations):
        metrics.record_iteration(0, 1, False)
    metrics.elapsed_us = 10_000_000
    return metrics


def reasons(metrics: LoadMetrics, plan: LoadConfiguration = PLAN, *lengths: Length) -> list[str]:
    """Those of a verdict that is inconclusive if there are any."""
    found = verdict(metrics, plan, lengths=lengths)
    assert found.outcome == ("inconclusive" if found.reasons else "passed")
    return list(found.reasons)


def test_no_iteration_was_finished() -> None:
    """The load test says nothing about what nobody asked for: how much that is, why, and what to
    do, in one sentence."""
    assert reasons(metrics_of(5, 5, 0, 0), PLAN, LENGTH) == [
        "test case 'shop' finished no iteration, and no request of 2 of its 4 transactions: one "
        "iteration needs about 113 s, 107 s of it think time; raise duration, or set think_time"
    ]
    assert reasons(metrics_of(5, 5), PLAN, Length(0, 20)) == [
        "test case 'shop' finished no iteration: one iteration needs about 20 s; raise duration"
    ]


def test_a_server_that_is_too_slow_for_an_iteration() -> None:
    """Where there was time enough for the recorded server."""
    assert reasons(metrics_of(5, 0), PLAN, Length(1, 2)) == [
        "test case 'shop' finished no iteration, and no request of 1 of its 2 transactions: one "
        "iteration needs about 3 s, 1 s of it think time, with a server as quick as the recorded "
        "one; raise duration, or set think_time"
    ]
    assert reasons(metrics_of(5, 0)) == [
        "test case 'shop' finished no iteration, and no request of 1 of its 2 transactions: raise "
        "duration"
    ]


def test_a_transaction_that_was_never_sent() -> None:
    """Iterations that errors have ended before it are none of it."""
    assert reasons(metrics_of(5, 5, 0, iterations=5), PLAN, LENGTH) == [
        "test case 'shop' finished no request of 1 of its 3 transactions: its iterations ended "
        "with an error before these, or their pages did not come"
    ]
    assert reasons(metrics_of(5, 5, 1, iterations=5), PLAN, LENGTH) == []


def test_each_test_case_has_a_sentence() -> None:
    """Those that were finished have none; one without requests is another matter."""
    merged = LoadMetrics(
        [TransactionKey(case, "p", f"t{n}") for case in "abcd" for n in range(2)],
        [PageKey(case, "p") for case in "abcd"],
        [*"abcd"],
    )
    for index in (0, 1, 2, 4):
        merged.record(index, 200, 1, 1, 1, 1, 1)
    merged.record_iteration(0, 1, False)
    found = reasons(merged, PLAN, *[LENGTH] * 4)
    assert [reason.split(":")[0] for reason in found] == [
        "test case 'd' finished no request",
        "test case 'b' finished no iteration, and no request of 1 of its 2 transactions",
        "test case 'c' finished no iteration, and no request of 1 of its 2 transactions",
    ]


def test_several_workers_are_one_load() -> None:
    """What one of them has finished is finished."""
    parts = [metrics_of(5, 0), metrics_of(5, 5, iterations=1)]
    workers = [
        WorkerResult(f"gw{n}", "final", Share(n, 2), WorkerTotals.of(part))
        for n, part in enumerate(parts)
    ]
    assert verdict(MergedMetrics.of(parts), PLAN, workers).outcome == "passed"


def test_a_run_that_ended_before_its_time_says_so_alone() -> None:
    """Somebody, a threshold or the loss of a worker has ended it: more time is no remedy."""
    metrics = metrics_of(5, 0)
    assert verdict(metrics, PLAN, stopped_after=3.0, lengths=[LENGTH]) == Verdict(
        "inconclusive", ("stopped after 3.0 s of 10 s",)
    )
    worker = WorkerResult("gw0", "lost", Share(0, 1), WorkerTotals.of(metrics))
    (reason,) = verdict(metrics, PLAN, [worker], lengths=[LENGTH]).reasons
    assert reason.startswith("worker gw0 was lost")
    plan = replace(PLAN, thresholds=(replace(parse_threshold("p95 < 1 ms"), stop=True),))
    results = [
        replace(one, passed=False, why="it is")
        for one in ThresholdWatch(plan.thresholds).results(metrics)
    ]
    found = verdict(metrics, plan, thresholds=results, lengths=[LENGTH])
    assert found == Verdict("failed", ("it is",))


@pytest.mark.parametrize(
    ("duration", "outcome"),
    [
        (10.0, "10 s (8 s after the ramp-up): no user will finish one"),
        (90.0, "90 s (88 s after the ramp-up): users finish one only in the grace period"),
        (114.0, "114 s (112 s after the ramp-up): only users that begin early finish one"),
    ],
)
def test_a_load_that_is_too_short_is_told_before(duration: float, outcome: str) -> None:
    """What an iteration needs, what there is, what comes of it, and what to do."""
    assert too_short(
        "shop", LENGTH, replace(PLAN, duration=duration).schedule_of(0), PLAN.grace
    ) == (
        "test case 'shop': one iteration needs about 113 s, 107 s of it think time, and the load "
        f"lasts {outcome}; raise duration, or set think_time"
    )


@pytest.mark.parametrize(
    "plan",
    [
        replace(PLAN, duration=115.0),
        replace(PLAN, duration=None, iterations=1),
        replace(PLAN, duration=120.0, stages=(Stage(120.0, 5.0, users=5),)),
    ],
)
def test_a_load_that_is_long_enough(plan: LoadConfiguration) -> None:
    """There is nothing to tell, nor where nothing but its iterations ends the run."""
    assert too_short("shop", LENGTH, plan.schedule_of(0), plan.grace) == ""


def test_stages_and_arrivals_are_as_long_as_all_of_it() -> None:
    """The first ramp is where users begin; what has no think time has no remedy in it."""
    plan = replace(
        PLAN, rate=5.0, duration=40.0, stages=(Stage(30.0, 5.0, rate=5.0), Stage(10.0, rate=9.0))
    )
    assert too_short("shop", Length(0.0, 38.0), plan.schedule_of(0), plan.grace) == (
        "test case 'shop': one iteration needs about 38 s, and the load lasts 40 s (35 s after the "
        "ramp-up): only users that begin early finish one; raise duration"
    )
