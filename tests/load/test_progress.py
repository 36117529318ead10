"""How a run is getting on, read off what each worker has measured."""

from __future__ import annotations

from pytest_loadtool.load import LoadMetrics, MergedMetrics, Progress, ProgressTracker
from pytest_loadtool.load.metrics.keys import PageKey, TransactionKey
from pytest_loadtool.load.progress import MOST_MOMENTS, MOST_ROWS
from pytest_loadtool.model.result import Failure
from tests.load.simulation import one_worker, progress_of, two_workers


def test_the_same_as_the_whole_truth() -> None:
    """What progress shows is what merging the metrics would give."""
    parts = [one_worker(1, failing=20), one_worker(2, failing=20)]
    merged, seen = (
        MergedMetrics.of(parts),
        ProgressTracker().update([(part, True) for part in parts]),
    )
    total = merged.total()
    assert (seen.requests, seen.errors) == (merged.requests, merged.failed_requests)
    assert seen.statuses == total.statuses
    assert seen.response == total.response
    assert sum(seen.causes.values()) == sum(error.count for error in merged.errors)
    last = list(two_workers(failing=20).course.stretches())[9]
    assert (seen.requests_per_second, seen.errors_per_second) == (last.requests, last.errors)
    for row in seen.rows:
        key = next(
            key for key in merged.transaction_keys if (key.page, key.name) == (row.page, row.name)
        )
        one = merged.transactions[merged.transaction_keys.index(key)]
        numbers = (
            one.requests,
            one.errors,
            one.response.percentile(50),
            one.response.percentile(95),
        )
        assert (row.requests, row.errors, row.median, row.p95) == numbers


def test_rows_are_where_the_time_goes() -> None:
    """The transactions with the most time in sum come first; there are not more than are needed."""
    keys = [TransactionKey("c", "p", f"t{number}") for number in range(100)]
    metrics = LoadMetrics(keys, [PageKey("c", "p")], ["c"])
    for number in range(1, 100):
        metrics.record(number, 200, number, number, 1, 1, 1)
    seen = ProgressTracker().update([(metrics, True)])
    assert [row.name for row in seen.rows] == [f"t{99 - number}" for number in range(MOST_ROWS)]


def test_rows_with_errors_come_first() -> None:
    """However little time they take: it is the errors that somebody looks for."""
    keys = [TransactionKey("c", "p", f"t{number}") for number in range(100)]
    metrics = LoadMetrics(keys, [PageKey("c", "p")], ["c"])
    for number in range(1, 100):
        failures = (Failure("status", "404"),) * (number in (1, 2))
        for _ in range(2 if number == 2 else 1):
            metrics.record(number, 404, number, number, 1, 1, 1, failures, "nothing")
    seen = ProgressTracker().update([(metrics, True)])
    assert [row.name for row in seen.rows[:4]] == ["t2", "t1", "t99", "t98"]


def test_those_who_have_ended_have_no_users_and_no_rate() -> None:
    """What they have measured stays."""
    parts = [one_worker(1), one_worker(2)]
    for part in parts:
        part.set_users(7)
    seen = ProgressTracker().update([(parts[0], True), (parts[1], False)])
    assert (seen.users, seen.requests_per_second) == (7, parts[0].last_requests)
    assert seen.requests == sum(part.requests for part in parts)


def test_history() -> None:
    """A rate and a 95th percentile for each second so far, each of its own second alone."""
    seen = progress_of(seconds=6)
    assert len(seen.rates) == len(seen.p95s) == 6
    assert len(seen.user_counts) == len(seen.error_rates) == 6
    assert (seen.user_counts[-1], seen.error_rates[-1]) == (seen.users, seen.errors_per_second)
    assert set(seen.rates) == {seen.requests_per_second}
    assert len(set(seen.p95s)) == 6
    assert all(p95 > 0 for p95 in seen.p95s)


def test_history_of_a_long_run() -> None:
    """It covers the whole run and is never longer than it may be."""
    metrics = LoadMetrics([TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"])
    lookout, seen = ProgressTracker(), Progress()
    for second in range(1, 2001):
        for _ in range(2 if second <= 1000 else 6):
            metrics.record(0, 200, 1, 1, 1, 1, 1)
        metrics.begin_second(second)
        seen = lookout.update([(metrics, True)])
        assert len(seen.rates) < MOST_MOMENTS
    assert len(seen.rates) > MOST_MOMENTS // 2 - 1
    half = len(seen.rates) // 2
    assert set(seen.rates[: half - 2]) == {2}
    assert set(seen.rates[half + 2 :]) == {6}


def test_a_quiet_second() -> None:
    """When nothing was finished in the last whole second, the rate is none."""
    metrics, lookout = one_worker(1), ProgressTracker()
    lookout.update([(metrics, True)])
    metrics.begin_second(30)
    seen = lookout.update([(metrics, True)])
    assert seen.requests_per_second == 0
    assert seen.p95s[-1] == 0


def test_before_anything_happened() -> None:
    """Without numbers there is nothing to see, and no error."""
    assert ProgressTracker().update([]) == Progress()
