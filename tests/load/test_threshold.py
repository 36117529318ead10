"""Thresholds judged on numbers that are known: of the run, second by second, and in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from pytest_loadtool.casefile.load.thresholds import parse_threshold
from pytest_loadtool.load import LoadMetrics, MergedMetrics, PageKey, TransactionKey
from pytest_loadtool.load.verdict.threshold import ThresholdResult, ThresholdWatch, amount
from pytest_loadtool.model.result import Failure

BROKEN = (Failure("status", "status 500, expected 200-399"),)
LOGIN, HOME, PAY = 0, 1, 2


class Worker:
    """A worker that measures what it is told."""

    def __init__(self) -> None:
        self.metrics = LoadMetrics(
            [
                TransactionKey("shop", "Home", "log in"),
                TransactionKey("shop", "Home", "GET /"),
                TransactionKey("pay", "Pay", "POST /pay"),
            ],
            [PageKey("shop", "Home"), PageKey("pay", "Pay")],
            ["shop", "pay"],
            detailed_pages=True,
        )

    def requests(self, number: int, ms: float, index: int = HOME, *, errors: int = 0) -> None:
        """So many requests that took so long; the first ``errors`` of them failed."""
        us = int(ms * 1000)
        for one in range(number):
            failures = BROKEN if one < errors else ()
            self.metrics.record(index, 200, us // 2, us, us // 4, 1, 1, failures)

    def second(self, seconds: float = 1.0) -> None:
        """Time goes by."""
        self.metrics.elapsed_us += int(seconds * 1e6)


def test_what_is_not_as_recorded() -> None:
    """A share of the requests; the one that has the most of them is named."""
    worker = Worker()
    worker.requests(90, 10, HOME)
    worker.requests(10, 10, LOGIN)
    for _ in range(5):
        worker.metrics.record_not_as_recorded(LOGIN, "302 where 200 was recorded")
    assert judged("not as recorded <= 5 %", worker).passed
    result = judged("not as recorded < 5 %", worker)
    assert result.measured == 0.05
    assert result.why == (
        "threshold not as recorded < 5 % is not met: 5 %; "
        'most of them: "log in" of page "Home" (5 of 10 requests)'
    )
    assert judged('not as recorded of "GET /" < 1 %', worker).passed


def judged(text: str, worker: Worker) -> ThresholdResult:
    """What comes of a threshold at the end of a run that nobody has watched."""
    (result,) = ThresholdWatch([parse_threshold(text)]).results(worker.metrics)
    return result


@pytest.fixture
def worker() -> Worker:
    """Two seconds: 90 requests of 10 ms and 10 of 200 ms of home, 50 of 1 s to pay, 5 failed."""
    worker = Worker()
    worker.requests(90, 10, HOME)
    worker.requests(10, 200, LOGIN, errors=1)
    worker.requests(50, 1000, PAY, errors=4)
    for ms in (300, 400):
        worker.metrics.record_page(0, ms * 1000, False)
    worker.metrics.record_iteration(0, 5_000_000, False)
    worker.metrics.dropped, worker.metrics.retried = 3, 4
    worker.second(2)
    return worker


@pytest.mark.parametrize(
    ("metric", "measured"),
    [
        ("p50 of page 'Home' < 1 s", 0.3),
        ("max of page 'Home' < 1 s", 0.4),
        ("mean of page 'Home' < 1 s", 0.35),
        ("mean of case 'shop' < 6 s", 5.0),
        ("max of response time of page 'Home' < 1 s", 0.2),
        ("max of response time of case 'pay' < 2 s", 1.0),
        ("p90 of response time of case 'shop' < 1 s", 0.01),
        ("p91 of response time of case 'shop' < 1 s", 0.2),
        ("median of 'GET /' < 1 s", 0.01),
        ("median of service time of 'GET /' < 1 s", 0.005),
        ("median of time to first byte of 'GET /' < 1 s", 0.0025),
        ("max < 2 s", 1.0),
        ("min < 1 s", 0.01),
        ("average < 1 s", (90 * 0.01 + 10 * 0.2 + 50 * 1.0) / 150),
        ("error rate < 50 %", 5 / 150),
        ("error rate of page 'Pay' < 50 %", 4 / 50),
        ("errors < 9", 5.0),
        ("errors of 'log in' < 9", 1.0),
        ("requests > 9", 150.0),
        ("requests of case 'pay' > 9", 50.0),
        ("throughput > 9/s", 75.0),
        ("throughput of 'GET /' > 9/s", 45.0),
        ("iterations > 0", 1.0),
        ("iterations of case 'shop' > 0", 1.0),
        ("dropped < 9", 3.0),
        ("retried < 9", 4.0),
    ],
)
def test_what_is_measured(worker: Worker, metric: str, measured: float) -> None:
    """Each metric of each scope is the number that it says, to a bucket of the histogram."""
    result = judged(metric, worker)
    assert result.measured == pytest.approx(measured, rel=0.001)
    assert result.passed
    assert not result.why


@pytest.mark.parametrize(
    ("comparison", "passed"), [("< 5", False), ("<= 5", True), ("< 6", True), ("<= 4", False)]
)
def test_at_the_limit(worker: Worker, comparison: str, passed: bool) -> None:
    """Below and up to are not the same."""
    assert judged(f"errors {comparison}", worker).passed == passed


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "p99 < 800 ms",
            'threshold p99 < 800 ms is not met: 1,000 ms; slowest: "POST /pay" of page "Pay" '
            "(1,000 ms)",
        ),
        (
            "error rate < 1 %",
            "threshold error rate < 1 % is not met: 3.33 %; most of them: "
            '"POST /pay" of page "Pay" (4 of 50 requests)',
        ),
        (
            'p50 of page "Home" < 100 ms',
            'threshold p50 of page "Home" < 100 ms is not met: 300 ms; slowest: '
            '"log in" of page "Home" (200 ms)',
        ),
        ("throughput > 500/s", "threshold throughput > 500/s is not met: 75.0/s"),
        ("mean of 'GET /' < 1 ms", "threshold mean of 'GET /' < 1 ms is not met: 10.0 ms"),
        (
            "mean of case 'pay' < 1 ms",
            "threshold mean of case 'pay' < 1 ms is not met: nothing was measured that it is about",
        ),
    ],
)
def test_why_a_run_has_failed(worker: Worker, text: str, why: str) -> None:
    """The threshold, what was measured, and where most of it comes from."""
    result = judged(text, worker)
    assert not result.passed
    assert result.why == why


def watched(
    text: str, seconds: Sequence[Callable[[Worker], object]], duration: float | None = None
) -> tuple[ThresholdWatch, Worker, list[bool]]:
    """A run with a look after each second, and which of the looks said to stop."""
    worker, watch = Worker(), ThresholdWatch([parse_threshold(text)], duration)
    said = []
    for act in seconds:
        act(worker)
        worker.second()
        said.append(watch.update([worker.metrics]))
    return watch, worker, said


def fast(worker: Worker) -> None:
    worker.requests(100, 10)


def slow(worker: Worker) -> None:
    worker.requests(1, 3000)


def nothing(worker: Worker) -> None:
    """A second in which no request is finished."""


@pytest.mark.parametrize(
    ("seconds", "stopped_at"),
    [
        ([fast, slow, slow, slow, fast], 4),
        ([slow, slow, slow], 3),
        ([slow, slow, fast, slow, slow], None),
        ([slow, nothing, nothing, fast], 3),
        ([fast, nothing, nothing, nothing], None),
    ],
)
def test_a_condition_that_lasts_stops_the_run(
    seconds: Sequence[Callable[[Worker], None]], stopped_at: int | None
) -> None:
    """Each second has a value of its own, however many requests there were before; a second without
    any says nothing. The order to stop is given once."""
    watch, worker, said = watched("p99 > 2 s for 3 s: stop", seconds)
    assert said == [number + 1 == stopped_at for number in range(len(seconds))]
    (result,) = watch.results(worker.metrics)
    assert result.passed == (stopped_at is None)
    if stopped_at:
        assert watch.stopped_by == result.threshold
        assert watch.stopped_after == stopped_at
        assert result.why.startswith(
            "threshold p99 > 2 s for 3 s: stop stopped the run: at worst 3"
        )
        assert f"from {stopped_at - 3} s to {stopped_at} s" in result.why


def test_a_condition_without_a_time_is_of_the_run_so_far() -> None:
    """Errors add up until there are too many."""

    def one_error(worker: Worker) -> None:
        worker.requests(10, 1, errors=1)

    watch, worker, said = watched("errors > 2: stop", [one_error] * 5)
    assert said == [False, False, True, False, False]
    (result,) = watch.results(worker.metrics)
    assert "stopped the run: 5" in result.why


def test_a_requirement_for_a_time_is_broken_by_that_much_without_a_break() -> None:
    """A short slowness is allowed, a long one is not, and the run goes on."""
    _, _, said = run = watched("p99 < 2 s for 2 s", [fast, slow, fast, slow, fast])
    (result,) = run[0].results(run[1].metrics)
    assert result.passed
    assert result.measured == pytest.approx(3, rel=0.001)
    assert not any(said)
    watch, worker, said = watched("p99 < 2 s for 2 s", [fast, slow, slow, slow, fast])
    (result,) = watch.results(worker.metrics)
    assert not any(said)
    assert "is not met: at worst 3,0" in result.why
    assert "from 1 s to 4 s" in result.why


def test_seconds_after_the_duration_do_not_count() -> None:
    """While users finish there is less and less throughput, and nothing wrong with it."""
    acts = [fast, fast, nothing, nothing]
    assert not any(watched("throughput < 50/s for 1 s: stop", acts, duration=2.0)[2])
    assert any(watched("throughput < 50/s for 1 s: stop", acts, duration=4.0)[2])


@pytest.mark.parametrize(
    ("text", "sense"),
    [
        ("p99 < 2 s for 3 s", "is not met: at worst 3,0"),
        ("p99 > 2 s for 3 s: stop", "came true: at worst 3,0"),
    ],
)
def test_the_last_second_counts_though_nobody_looked_at_it(text: str, sense: str) -> None:
    """A run that ends with its duration may be over before its last report. Nothing was stopped."""
    watch, worker, said = watched(text, [slow, slow], duration=3.0)
    slow(worker)
    worker.second()
    (result,) = watch.results(worker.metrics)
    assert not any(said)
    assert sense in result.why


def test_what_came_after_the_stop_does_not_count() -> None:
    """Users are cut then, and there is no throughput."""
    watch = ThresholdWatch(
        [parse_threshold("errors > 0: stop"), parse_threshold("throughput > 9/s for 1 s")]
    )
    worker = Worker()
    worker.requests(100, 1, errors=1)
    worker.second()
    assert watch.update([worker.metrics])
    worker.second()
    errors, throughput = watch.results(worker.metrics)
    assert "stopped the run: 1" in errors.why
    assert throughput.passed


def test_looks_within_a_second_do_nothing() -> None:
    """Whoever looks may look as often as there is something new."""
    worker, watch = Worker(), ThresholdWatch([parse_threshold("errors > 0: stop")])
    worker.requests(1, 1, errors=1)
    worker.second(0.9)
    assert not watch.update([worker.metrics])
    worker.second(0.1)
    assert watch.update([worker.metrics])


def test_workers_are_watched_together() -> None:
    """Each alone is within the limit; a percentile is that of all their requests of the second."""
    watch = ThresholdWatch(
        [parse_threshold("p50 > 1 s for 1 s: stop"), parse_threshold("errors > 2: stop")]
    )
    one, other = Worker(), Worker()
    one.requests(10, 10, errors=2)
    other.requests(9, 2000)
    one.second()
    other.second()
    assert not watch.update([one.metrics, other.metrics])
    other.requests(1, 2000, errors=1)
    one.second()
    other.second()
    assert watch.update([one.metrics, other.metrics])
    assert watch.stopped_by == parse_threshold("p50 > 1 s for 1 s: stop")
    (_, errors) = watch.results(MergedMetrics.of([one.metrics, other.metrics]))
    assert not errors.passed


def test_how_a_threshold_stands_while_the_run_lasts() -> None:
    """Its value in the last second, and for how many seconds it has been broken."""
    for acts, value, broken in (
        ([fast], 0.01, None),
        ([fast, slow], 3.0, 1),
        ([slow, nothing, slow], 3.0, 3),
        ([slow, fast], 0.01, None),
    ):
        (state,) = watched("p99 > 2 s for 30 s: stop", acts)[0].states()
        assert state.value == pytest.approx(value, rel=0.001)
        assert state.broken == broken


def test_amounts() -> None:
    """Values have their unit."""
    assert amount(0.4321, "time") == "432 ms"
    assert amount(0.005, "share") == "0.5 %"
    assert amount(477.4, "rate") == "477/s"
    assert amount(1234, "count") == "1,234"
    assert amount(None, "time") == "nothing"
