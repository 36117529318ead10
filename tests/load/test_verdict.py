"""Verdicts: what fails a run, what makes it say nothing, and the reasons given."""

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
    WorkerState,
    WorkerTotals,
    verdict,
)
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.model.result import Failure

PLAN = LoadConfiguration("n", (), users=20, duration=10.0, max_error_rate=0.01)
BROKEN = (Failure("status", "status 500, expected 200-399"),)


def metrics_of(
    requests: int = 100,
    errors: int = 0,
    *,
    response_ms: float = 10.0,
    lag_ms: float = 0.1,
    late_ms: float = 0.1,
    cpu: float = 0.3,
    iterations: int = 1,
) -> LoadMetrics:
    """Metrics with those figures, after ten seconds."""
    metrics = LoadMetrics([TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"])
    for number in range(requests):
        failures = BROKEN if number < errors else ()
        metrics.record(0, 200, 1000, int(response_ms * 1000), -1, 1, 1, failures, "x")
    for _ in range(iterations):
        metrics.record_iteration(0, 1, False)
    for _ in range(100):
        metrics.record_lag(int(lag_ms * 1000))
        metrics.record_lateness(int(late_ms * 1000))
    metrics.elapsed_us, metrics.cpu_us = 10_000_000, int(cpu * 10_000_000)
    return metrics


def judged(
    metrics: LoadMetrics, state: WorkerState = "final", plan: LoadConfiguration = PLAN
) -> Verdict:
    """The verdict on a run by one worker."""
    return verdict(
        metrics, plan, [WorkerResult("gw0", state, Share(0, 1), WorkerTotals.of(metrics))]
    )


def test_a_good_run_passes() -> None:
    """No errors, nobody lost, nobody late: passed, without a reason."""
    assert judged(metrics_of()) == Verdict("passed", ())


@pytest.mark.promise(129)
@pytest.mark.parametrize(
    ("errors", "allowed", "outcome"),
    [(1, 0.0, "failed"), (10, 0.01, "passed"), (11, 0.01, "failed"), (1000, 1.0, "passed")],
)
def test_error_rate(errors: int, allowed: float, outcome: str) -> None:
    """A run fails when more requests fail than the rate allows; at the limit it passes."""
    plan = replace(PLAN, max_error_rate=allowed)
    found = verdict(metrics_of(1000, errors), plan)
    assert found.outcome == outcome


def test_a_lack_of_memory_says_nothing_about_the_server() -> None:
    """It is the generator's: inconclusive, in no error rate. With other errors it has failed."""
    metrics = metrics_of(100)
    lost = (Failure("memory", "no memory left"),)
    for _ in range(20):
        metrics.record(0, 0, 1000, 1000, -1, 1, 1, lost, "x")
    found = judged(metrics)
    assert found.outcome == "inconclusive"
    assert found.reasons[0].startswith("the memory of the workers did not suffice for 20 responses")
    for _ in range(20):
        metrics.record(0, 500, 1000, 1000, -1, 1, 1, BROKEN, "x")
    found = judged(metrics)
    assert found.outcome == "failed"
    assert found.reasons[0].startswith("error rate 14.29 %: 20 of 140 requests failed")


def test_error_rate_in_words() -> None:
    """The reason names the rate, the numbers behind it and what was allowed."""
    assert judged(metrics_of(1600, 48)).reasons == (
        "error rate 3 %: 48 of 1,600 requests failed, 1 % allowed",
    )


def test_one_error_in_a_million_is_not_none() -> None:
    """A rate that would round to 0 % is not called 0 %."""
    metrics = metrics_of(100_000, 1)
    assert "<0.01 %: 1 of 100,000" in verdict(metrics, replace(PLAN, max_error_rate=0.0)).reasons[0]


def test_no_requests_fail() -> None:
    """A run that did nothing has not passed."""
    found = judged(metrics_of(0))
    assert found.outcome == "failed"
    assert "no request" in found.reasons[0]


def test_what_never_came_as_recorded_says_nothing() -> None:
    """Something else was measured, unless it failed. A threshold on it says how much is allowed."""
    metrics = metrics_of(100)
    for number in range(99):
        metrics.record_not_as_recorded(0, f"{'302' if number else '204'} where 200 was recorded")
    assert judged(metrics) == Verdict("passed", ())
    metrics.record_not_as_recorded(0, "302 where 200 was recorded")
    assert judged(metrics) == Verdict(
        "inconclusive",
        (
            "'t' never once came as recorded (100 requests): 302 where 200 was recorded; if that "
            "is right, record again or correct 'recorded' in the test case",
        ),
    )
    own = replace(PLAN, thresholds=(parse_threshold("not as recorded <= 100 %"),))
    assert verdict(metrics, own).outcome == "passed"
    assert judged(metrics_of(100, 100)).outcome == "failed"


@pytest.mark.parametrize("state", ["lost", "running"])
def test_a_lost_worker(state: WorkerState) -> None:
    """With a worker lost, or never heard of again, the run says nothing about the whole load."""
    good, other = metrics_of(), metrics_of(40)
    other.elapsed_us = 4_000_000
    workers = [
        WorkerResult("gw0", "final", Share(0, 2), WorkerTotals.of(good)),
        WorkerResult("gw1", state, Share(1, 2), WorkerTotals.of(other)),
    ]
    assert verdict(MergedMetrics.of([good, other]), PLAN, workers) == Verdict(
        "inconclusive",
        (
            "worker gw1 was lost: the load of its 10 of 20 users is missing from 4.0 s on; "
            "the 40 requests that it had reported are counted",
        ),
    )


def test_a_worker_lost_before_it_reported() -> None:
    """Without any report, its whole load is missing, and the reason says so."""
    workers = [
        WorkerResult("gw0", "final", Share(0, 2), WorkerTotals.of(metrics_of())),
        WorkerResult("gw1", "lost", Share(1, 2)),
    ]
    found = verdict(metrics_of(), PLAN, workers)
    assert found.outcome == "inconclusive"
    assert "gw1 was lost before it reported anything" in found.reasons[0]


def test_a_lost_worker_of_an_open_load() -> None:
    """What is missing there is its part of the arrivals, however many users it had."""
    workers = [WorkerResult("gw1", "lost", Share(1, 2), WorkerTotals.of(metrics_of()))]
    found = verdict(metrics_of(), replace(PLAN, rate=50.0), workers)
    assert "gw1 was lost: its part of the arrivals (1 of 2) is missing from" in found.reasons[0]


def test_a_worker_lost_before_the_start() -> None:
    """A worker that had no share is not missed: the others did the whole load."""
    workers = [
        WorkerResult("gw0", "final", Share(0, 1), WorkerTotals.of(metrics_of())),
        WorkerResult("gw1", "lost"),
    ]
    assert verdict(metrics_of(), PLAN, workers).outcome == "passed"


def test_a_worker_that_could_not_run() -> None:
    """A worker's own error is in the reason; with nothing measured, the run has failed."""
    workers = [WorkerResult("gw0", "failed", Share(0, 1), None, "no such file: users.csv")]
    assert verdict(metrics_of(), PLAN, workers).outcome == "inconclusive"
    found = verdict(MergedMetrics.of([]), PLAN, workers)
    assert found.outcome == "failed"
    assert "no such file: users.csv" in found.reasons[1]


def test_failed_is_worse_than_inconclusive() -> None:
    """Errors are errors even when a worker was lost; both reasons stand."""
    metrics = metrics_of(100, 50)
    found = judged(metrics, "lost")
    assert found.outcome == "failed"
    assert len(found.reasons) == 2


def test_a_stopped_run() -> None:
    """Stopped before its time, a run says nothing; stopped while it finishes, it has run."""
    assert verdict(metrics_of(), PLAN, stopped_after=3.2) == Verdict(
        "inconclusive", ("stopped after 3.2 s of 10 s",)
    )
    assert verdict(metrics_of(), PLAN, stopped_after=10.4).outcome == "passed"


def test_a_case_that_never_came() -> None:
    """A test case without a single request is not covered by a pass."""
    metrics = LoadMetrics(
        [TransactionKey("a", "p", "t"), TransactionKey("b", "p", "t")],
        [PageKey("a", "p"), PageKey("b", "p")],
        ["a", "b"],
    )
    metrics.record(0, 200, 1, 1, 1, 1, 1)
    metrics.record_iteration(0, 1, False)
    found = verdict(metrics, PLAN)
    assert found.outcome == "inconclusive"
    assert "'b' finished no request" in found.reasons[0]


@pytest.mark.parametrize(
    ("cpu", "lag_ms", "late_ms", "response_ms", "outcome"),
    [
        (
            0.99,
            1.0,
            1.0,
            1.5,
            "passed",
        ),  # a busy core that nobody notices: no think time, quick server
        (0.99, 30.0, 0.1, 35.0, "inconclusive"),  # answers wait for the loop
        (0.99, 0.1, 30.0, 35.0, "inconclusive"),  # requests start late
        (0.99, 30.0, 0.1, 4000.0, "passed"),  # late, but nothing beside the server's own time
        (0.5, 60.0, 0.1, 80.0, "passed"),  # not busy: a disturbance
        (0.5, 250.0, 0.1, 300.0, "inconclusive"),  # not busy, but starved for most of the time
        (0.5, 250.0, 0.1, 9000.0, "passed"),
    ],
)
def test_the_generator_as_bottleneck(
    cpu: float, lag_ms: float, late_ms: float, response_ms: float, outcome: str
) -> None:
    """A worker too slow for its own measurements makes the run say nothing; a busy one does not."""
    metrics = metrics_of(response_ms=response_ms, lag_ms=lag_ms, late_ms=late_ms, cpu=cpu)
    assert judged(metrics).outcome == outcome


def test_the_bottleneck_says_what_to_do() -> None:
    """The reason names the worker, the figures and the remedy."""
    reason = judged(metrics_of(response_ms=35.0, lag_ms=30.0, cpu=0.99)).reasons[0]
    assert "gw0 was itself too slow" in reason
    assert "30 ms late" in reason
    assert "99% of a core" in reason
    assert reason.endswith("use more workers (-n, up to one for each core), or fewer users")


def test_the_remedy_is_the_bottlenecks_own() -> None:
    """More workers are of no use where others have the processor; with arrivals it is the rate that
    can be lowered."""
    metrics = metrics_of(response_ms=300.0, lag_ms=250.0, cpu=0.5)
    workers = [WorkerResult("gw0", "final", Share(0, 1), WorkerTotals.of(metrics))]
    (reason,) = verdict(metrics, replace(PLAN, rate=50.0), workers).reasons
    assert reason.endswith("use a quieter machine, more cores, or a lower rate")


@pytest.mark.parametrize(
    ("dropped", "iterations", "outcome"),
    [(0, 100, "passed"), (1, 999, "passed"), (2, 998, "inconclusive"), (5, 1, "inconclusive")],
)
def test_dropped_arrivals(dropped: int, iterations: int, outcome: str) -> None:
    """A load of which more than a thousandth could not start is not the one that was asked for."""
    metrics = metrics_of(iterations=iterations)
    metrics.dropped = dropped
    found = judged(metrics, plan=replace(PLAN, rate=50.0))
    assert found.outcome == outcome
    if dropped > 1:
        assert found.reasons == (
            f"{dropped} of {(dropped + iterations):,} arrivals could not start, because all of "
            "20 users were busy: raise users, or the server is too slow for this rate",
        )
    own = replace(PLAN, thresholds=(parse_threshold("dropped < 9"),))
    assert verdict(metrics, own).outcome == "passed"


def test_arrivals_that_were_cut_have_started() -> None:
    """Iterations that the end has cut are arrivals like those that were finished."""
    metrics = metrics_of()
    metrics.cut_iterations = 998
    metrics.dropped = 1
    assert judged(metrics).outcome == "passed"
    metrics.dropped = 2
    (reason,) = judged(metrics).reasons
    assert reason.startswith("2 of 1,001 arrivals could not start")


def test_thresholds_in_the_verdict() -> None:
    """Each that is broken is a reason; one on the error rate takes the place of max_error_rate."""
    plan = replace(PLAN, thresholds=tuple(map(parse_threshold, ("error rate < 9 %", "p95 < 1 ms"))))
    metrics = metrics_of(100, 5)
    results = ThresholdWatch(plan.thresholds).results(metrics)
    found = verdict(metrics, plan, thresholds=results)
    assert found == Verdict("failed", ("threshold p95 < 1 ms is not met: 10.0 ms",))
