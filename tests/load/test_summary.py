"""The summary: every figure of a report, from the metrics and from nothing else."""

from __future__ import annotations

from dataclasses import astuple, replace

import pytest

from pytest_loadtool.load import LoadMetrics, PageKey, TransactionKey, Verdict, summarise
from pytest_loadtool.load.cluster.merger import WorkerResult, WorkerTotals
from pytest_loadtool.load.cluster.share import Share
from pytest_loadtool.load.verdict.saved import SavedRun
from pytest_loadtool.load.verdict.summary import TimeSummary
from pytest_loadtool.report.load.text import load_text
from tests.load.simulation import CONFIGURATION, STARTED, STEPS, summary, two_workers

MS = 1000


def one_transaction() -> LoadMetrics:
    """A hundred requests that took 1 to 100 ms, each sent 10 ms late, in five seconds."""
    metrics = LoadMetrics([TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"])
    for number in range(1, 101):
        metrics.record(0, 200, number * MS, (number + 10) * MS, number * MS, 50, 20)
    metrics.elapsed_us = 5_000_000
    return metrics


@pytest.mark.promise(127)
def test_throughput() -> None:
    """Throughput is requests per second over the whole run, in total and for each transaction."""
    found = summarise(one_transaction(), CONFIGURATION, (), Verdict("passed"), started=STARTED)
    assert (found.totals.requests, found.totals.duration_s) == (100, 5.0)
    assert found.totals.throughput_rps == 20.0
    assert found.cases[0].pages[0].transactions[0].numbers.throughput_rps == 20.0


@pytest.mark.promise(128)
def test_times() -> None:
    """Average, median, 95th and 99th percentile and maximum, of response time and of service time:
    the response time counts from when the request should have been sent."""
    totals = summarise(
        one_transaction(), CONFIGURATION, (), Verdict("passed"), started=STARTED
    ).totals
    assert astuple(totals.service_time)[:5] == pytest.approx((50.5, 50, 95, 99, 100), rel=0.001)
    assert astuple(totals.response_time)[:5] == pytest.approx((60.5, 60, 105, 109, 110), rel=0.001)


def test_percentiles_that_are_asked_for() -> None:
    """The text has columns of them."""
    asked = replace(CONFIGURATION, percentiles=(50.0, 90.0, 99.9))
    found = summarise(one_transaction(), asked, (), Verdict("passed"), started=STARTED)
    for width, columns in ((120, "average median p90 p99.9 max"), (80, "average p90 p99.9 max")):
        lines = [" ".join(line.split()) for line in load_text(found, width)]
        assert any(f"count failed {columns}" in line for line in lines)
        assert "milliseconds average median p90 p99.9 max" in lines
        assert "service time 50.5 50.0 90.0 100 100" in lines


@pytest.mark.promise(4)
def test_all_numbers_are_sums_of_the_workers() -> None:
    """Totals, transactions and workers of a run over two workers agree with each other."""
    result, found = two_workers(failing=30), summary(failing=30)
    transactions = [one for case in found.cases for page in case.pages for one in page.transactions]
    assert len(transactions) == len(STEPS)
    assert found.totals.requests == sum(one.numbers.requests for one in transactions)
    assert found.totals.requests == sum(worker.requests for worker in found.workers)
    assert found.totals.requests == sum(one.requests for one in found.timeline)
    assert found.totals.errors == sum(one.numbers.errors for one in transactions)
    assert found.totals.errors == sum(one.errors for one in found.timeline)
    assert found.totals.requests == sum(count for _, count in found.totals.status)
    assert found.totals.error_rate == found.totals.errors / found.totals.requests
    assert found.totals.duration_s == max(worker.duration_s for worker in found.workers)
    assert [worker.users for worker in found.workers] == [10, 10]
    assert sum(error.count for error in found.errors) == sum(
        error.count for error in result.metrics.errors
    )


def test_pages_have_no_percentiles_and_possible_figures() -> None:
    """A page has count, failures, average, least and most: what is recorded of it, and no more."""
    for case in summary(failing=30).cases:
        for page in case.pages:
            durations = page.durations
            assert page.min is not None
            assert durations.mean is not None
            assert durations.max is not None
            assert page.min <= durations.mean <= durations.max
            assert page.count == case.iterations
            assert durations.p50 is durations.p95 is durations.p99 is None


def test_nothing_measured_is_not_zero() -> None:
    """Without a request there is no time: not a time of 0 ms."""
    metrics = LoadMetrics([TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"])
    found = summarise(metrics, CONFIGURATION, (), Verdict("failed"), started=STARTED)
    nothing = TimeSummary(None, None, None, None, None)
    asked = tuple((f"p{p}", None) for p in (50, 90, 95, 99))
    assert found.totals.response_time == replace(nothing, asked=asked)
    assert found.cases[0].durations == replace(nothing, asked=asked)
    assert found.cases[0].pages[0].durations == nothing
    assert (found.totals.throughput_rps, found.totals.error_rate) == (0.0, 0.0)


def test_equal_names_are_told_apart() -> None:
    """A transaction whose name comes again on its page gets a number, in errors as well."""
    names = ["GET /", "GET /", "POST /", "GET /"]
    metrics = LoadMetrics(
        [TransactionKey("c", "p", name) for name in names], [PageKey("c", "p")], ["c"]
    )
    found = summarise(metrics, CONFIGURATION, (), Verdict("failed"), started=STARTED)
    assert [one.name for one in found.cases[0].pages[0].transactions] == [
        "GET /",
        "GET / (2)",
        "POST /",
        "GET / (3)",
    ]


def test_a_lost_worker_is_listed_with_what_it_reported() -> None:
    """A worker that was lost stands in the list, with the numbers that it had sent."""
    lost = summary(lose=True).workers[1]
    assert (lost.name, lost.state, lost.users, lost.requests) == ("gw1", "lost", 10, 0)
    assert lost.lag_p95 is lost.lateness_p99 is None


def test_how_late_a_worker_was() -> None:
    """The 95th and 99th percentile of its own users' lateness."""
    metrics = one_transaction()
    for number in range(1, 101):
        metrics.record_lateness(number * MS)
    workers = [WorkerResult("gw0", "final", Share(), WorkerTotals.of(metrics)), WorkerResult("gw1")]
    found = summarise(metrics, CONFIGURATION, workers, Verdict("passed"), started=STARTED)
    late = [(worker.lateness_p95, worker.lateness_p99) for worker in found.workers]
    assert late == [pytest.approx((95, 99), rel=0.001), (None, None)]


def test_what_is_saved_has_the_verdict_of_the_comparison() -> None:
    """A run that is worse than an earlier one has failed, also for the one after it."""
    metrics = one_transaction()
    before = SavedRun.of("c", "2 users", "2026-03-01T05:06:07+00:00", "passed", metrics)
    for slower, outcome in ((1, "passed"), (10, "failed")):
        metrics.elapsed_us *= slower
        found = summarise(
            metrics, CONFIGURATION, (), Verdict("passed"), started=STARTED, baseline=[before]
        )
        assert (found.verdict.outcome, found.saved.outcome) == (outcome, outcome)


def test_started_is_a_moment_with_its_zone() -> None:
    """The start is ISO 8601 with the offset of its time zone."""
    assert summary().started == "2026-03-04T05:06:07+00:00"
