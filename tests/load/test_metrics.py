"""Metrics of a load test: what is counted, and that merging loses and invents nothing."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.load import Histogram, LoadMetrics, MergedMetrics, PageKey, TransactionKey
from pytest_loadtool.load.metrics import reports
from pytest_loadtool.load.metrics.course import RunCourse
from pytest_loadtool.model.result import Failure
from tests.load.simulation import empty, one_worker, seconds_of
from tests.load.test_histogram import nearest_rank

BROKEN = (Failure("status", "status 500, expected 200-399"),)


def small() -> LoadMetrics:
    """Metrics of two transactions on one page."""
    return LoadMetrics(
        [TransactionKey("c", "p", "one"), TransactionKey("c", "p", "two")],
        [PageKey("c", "p")],
        ["c"],
    )


def sent(metrics: LoadMetrics) -> MergedMetrics:
    """The metrics as they come at the other end."""
    return reports.from_wire(json.loads(json.dumps(reports.to_wire(metrics))))


def size(metrics: LoadMetrics) -> int:
    """How many bytes that takes."""
    return len(json.dumps(reports.to_wire(metrics)))


requests = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from([0, 200, 302, 500]),
        st.integers(0, 10**8),
        st.integers(0, 10**6),
        st.integers(0, 10**7),
        st.booleans(),
    ),
    max_size=60,
)
Request = tuple[int, int, int, int, int, bool]


def measured(work: list[Request]) -> LoadMetrics:
    """The metrics of that work, done in the seconds 0, 1, 2 and so on, ten requests in each."""
    metrics = small()
    metrics.retried, metrics.dropped = len(work) // 3, len(work) // 4
    for number, (index, status, service, late, size, failed) in enumerate(work):
        metrics.begin_second(number // 10)
        metrics.set_users(number % 7)
        metrics.record_connection(late, service if failed else None)
        metrics.record_negotiation(late)
        failures = BROKEN if failed else ()
        metrics.record(
            index, status, service, service + late, service // 2, size, 100, failures, "an example"
        )
        metrics.record_page(0, service, failed)
        metrics.record_iteration(0, service + late, failed)
        metrics.record_lateness(late)
        metrics.record_lag(late // 2)
    metrics.elapsed_us = len(work) * 100_000
    metrics.cpu_us = len(work) * 10
    return metrics


def comparable(metrics: LoadMetrics) -> dict[str, Any]:
    """All that the metrics hold, in an order that does not depend on what came first."""
    wire = reports.to_wire(metrics)
    for transaction in wire["transactions"]:
        if transaction:
            transaction[0] = sorted(zip(*transaction[0], strict=True))
    wire["errors"] = sorted(map(str, wire["errors"]))
    return wire


@given(requests, requests, requests)
def test_merging_is_exact(one: list[Request], two: list[Request], three: list[Request]) -> None:
    """Merged in any order and grouping, by way of snapshots or not, the numbers are the same; and
    they are the sums of the parts."""
    parts = [measured(one), measured(two), measured(three)]
    merged = MergedMetrics.of(parts)
    backwards = MergedMetrics.of(reversed(parts))
    grouped = MergedMetrics.of([parts[0], MergedMetrics.of(parts[1:])])
    told = MergedMetrics.of(sent(part) for part in parts)
    for other in (backwards, grouped, told):
        assert comparable(other) == comparable(merged)
    work = one + two + three
    total = merged.total()
    assert merged.requests == total.requests == len(work)
    assert merged.failed_requests == sum(failed for *_, failed in work)
    assert total.received == sum(size for *_, size, _ in work)
    assert total.service.total == sum(service for _, _, service, *_ in work)
    assert merged.cases[0].failed == merged.pages[0].failed == merged.failed_requests
    assert merged.elapsed_us == max(len(part) for part in (one, two, three)) * 100_000


@given(requests.filter(bool), st.data(), st.sampled_from([0, 1, 50, 90, 95, 99, 99.9, 100]))
def test_percentiles_of_workers_are_those_of_all_requests(
    work: list[Request], data: st.DataObject, p: float
) -> None:
    """However requests are dealt to any number of workers, and by way of their snapshots: each
    percentile of each time is that of all values pooled, or at most a bucket above."""
    workers = data.draw(st.integers(1, 6), label="workers")
    owners = data.draw(
        st.lists(st.integers(0, workers - 1), min_size=len(work), max_size=len(work)),
        label="owners",
    )
    parts = [
        measured([one for one, owner in zip(work, owners, strict=True) if owner == worker])
        for worker in range(workers)
    ]
    merged = MergedMetrics.of(sent(part) for part in parts)
    total = merged.total()
    pooled = (
        (total.service, [service for _, _, service, *_ in work]),
        (total.response, [service + late for _, _, service, late, *_ in work]),
        (total.first_byte, [service // 2 for _, _, service, *_ in work]),
        (merged.connect, [late for _, _, _, late, *_ in work]),
        (merged.cases[0].durations, [service + late for _, _, service, late, *_ in work]),
    )
    for histogram, values in pooled:
        assert isinstance(histogram, Histogram)
        truth = nearest_rank(values, p)
        assert truth <= histogram.percentile(p) <= truth * (1 + 1 / 1024)
        assert histogram.max == max(values)


@given(requests, requests)
def test_no_impossible_numbers(one: list[Request], two: list[Request]) -> None:
    """Whatever is measured: percentiles never decrease and never pass the maximum, averages lie
    between least and most, and there are never more errors than requests."""
    merged = MergedMetrics.of([measured(one), measured(two)])
    histograms = [merged.connect, merged.tls, merged.lag, merged.lateness]
    for transaction in (*merged.transactions, merged.total()):
        assert transaction.errors <= transaction.requests == transaction.service.count
        assert transaction.first_byte.count <= transaction.requests
        histograms += [transaction.service, transaction.response, transaction.first_byte]
    for histogram in histograms:
        if histogram.count:
            steps = [histogram.percentile(p) for p in (0, 50, 95, 99, 100)]
            assert [histogram.min, *steps, histogram.max] == sorted(
                [histogram.min, *steps, histogram.max]
            )
            assert histogram.min <= histogram.mean <= histogram.max


def test_a_request_with_several_failures_is_one_error() -> None:
    """A failed request is one error, however many of its validators failed; each is listed."""
    metrics = small()
    both = (*BROKEN, Failure("text", "search text not found"))
    metrics.record(1, 500, 10, 10, 10, 5, 5, both, "what came")
    metrics.record(1, 200, 10, 10, 10, 5, 5)
    assert (metrics.requests, metrics.failed_requests) == (2, 1)
    assert [error.cause for error in metrics.errors] == ["status", "text"]


@pytest.mark.promise(130)
def test_status_codes_are_counted() -> None:
    """Every response counts under its status code, and a request without one under 0."""
    metrics = small()
    for index, status in ((0, 200), (0, 200), (0, 0), (1, 304), (1, 200)):
        metrics.record(index, status, 1, 1, 1, 0, 0)
    assert metrics.transactions[0].statuses == {200: 2, 0: 1}
    assert metrics.total().statuses == {200: 3, 304: 1, 0: 1}


def test_service_and_response_time_are_apart() -> None:
    """Both times of a request are kept: a late start shows in one and not in the other."""
    metrics = small()
    metrics.record(0, 200, 1_000, 2_001_000, 900, 1, 1)
    total = metrics.total()
    assert (total.service.max, total.response.max) == (1_000, 2_001_000)


def test_cut_work_is_in_no_other_number() -> None:
    """What is cut at the end is counted as cut, and skews nothing."""
    metrics = small()
    metrics.record(0, 200, 10, 10, 10, 1, 1)
    before = metrics.total().service
    metrics.cut += 3
    metrics.cut_iterations += 2
    merged = MergedMetrics.of([metrics, metrics])
    assert (merged.cut, merged.cut_iterations) == (6, 4)
    assert metrics.requests == 1
    assert metrics.total().service == before


def test_seconds() -> None:
    """Requests, errors and response times count for the second that was announced, however often
    they are reported."""
    metrics = small()
    course = RunCourse()
    reporter = reports.Reporter(metrics, course)
    metrics.record(0, 200, 1, 10, 1, 0, 0)
    metrics.begin_second(1)
    metrics.record(0, 200, 1, 30, 1, 0, 0)
    metrics.record(0, 500, 1, 20, 1, 0, 0, BROKEN, "x")
    metrics.begin_second(3)

    def seen() -> list[tuple[int, ...]]:
        return [
            (one.second, one.requests, one.errors, one.response.total, one.longest_us)
            for one in course.stretches()
        ]

    list(reporter.report())
    assert seen() == [(0, 1, 0, 10, 10), (1, 2, 1, 50, 30), (2, 0, 0, 0, 0), (3, 0, 0, 0, 0)]
    metrics.record(0, 200, 1, 5, 1, 0, 0)
    list(reporter.report())
    metrics.record(0, 200, 1, 4, 1, 0, 0)
    list(reporter.report())
    assert seen()[3:] == [(3, 2, 0, 9, 5)]


def test_users_by_second() -> None:
    """A second has the most users that were at work in it, also one in which nothing was finished,
    and one at whose end nobody looked at the clock."""
    metrics = small()
    course = RunCourse()
    reporter = reports.Reporter(metrics, course)

    def users() -> list[int]:
        list(reporter.report())
        return [one.user_seconds for one in course.stretches()]

    metrics.set_users(3)
    metrics.set_users(5)
    metrics.begin_second(1)
    assert users() == [5, 5]
    metrics.set_users(4)
    metrics.begin_second(4)
    metrics.set_users(2)
    metrics.begin_second(5)
    metrics.set_users(0)
    metrics.begin_second(6)
    metrics.begin_second(7)
    assert users() == [5, 5, 4, 4, 4, 2, 0, 0]


def test_the_last_whole_second() -> None:
    """The rate of the last whole second is at hand; after a gap it is none."""
    metrics = small()
    metrics.record(0, 500, 1, 1, 1, 0, 0, BROKEN, "x")
    metrics.record(0, 200, 1, 1, 1, 0, 0)
    assert (metrics.last_requests, metrics.last_errors) == (0, 0)
    metrics.begin_second(1)
    assert (metrics.last_requests, metrics.last_errors) == (2, 1)
    metrics.begin_second(1)
    assert (metrics.last_requests, metrics.last_errors) == (2, 1)
    assert MergedMetrics.of([metrics, metrics]).last_requests == 4
    metrics.begin_second(3)
    assert (metrics.last_requests, metrics.last_errors) == (0, 0)


def test_no_first_byte_is_no_time() -> None:
    """A request of which no byte came is in all histograms but that of the first byte."""
    metrics = small()
    metrics.record(0, 200, 9_000, 9_500, 7_000, 1, 1)
    metrics.record(0, 0, 60_000_000, 60_000_000, -1, 0, 1, BROKEN, "nothing")
    total = metrics.total()
    assert (total.service.count, total.response.count, total.first_byte.count) == (2, 2, 1)
    assert total.first_byte.max == 7_000


def test_connections() -> None:
    """Each connection has its time, one with TLS two; what was retried and dropped is counted."""
    metrics = small()
    metrics.record_connection(100, None)
    metrics.record_connection(300, 2_000)
    metrics.retried += 2
    metrics.dropped += 3
    merged = MergedMetrics.of([metrics, sent(metrics)])
    assert (merged.connect.count, merged.connect.mean) == (4, 200)
    assert (merged.tls.count, merged.tls.max) == (2, 2_000)
    assert (merged.retried, merged.dropped) == (4, 6)


def test_negotiation_is_apart() -> None:
    """Requests that were challenged have a count and times of their own, and are no requests."""
    metrics = small()
    metrics.record_negotiation(100)
    metrics.record_negotiation(300)
    merged = MergedMetrics.of([metrics, sent(metrics)])
    assert (merged.negotiation.count, merged.negotiation.mean, merged.negotiation.max) == (
        *(4, 200, 300),
    )
    assert merged.requests == 0
    assert merged.total().received == 0


def test_pages_have_percentiles_only_if_asked_for() -> None:
    """Without details a page keeps count, average, least and most, exactly; and those merge."""
    keys = [TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"]
    plain, detailed = LoadMetrics(*keys), LoadMetrics(*keys, detailed_pages=True)
    for metrics in (plain, detailed):
        for duration in (5, 1, 9):
            metrics.record_page(0, duration, duration == 9)
        told = sent(metrics)
        page = MergedMetrics.of([metrics, told]).pages[0]
        assert (page.failed, page.durations.count, page.durations.total) == (2, 6, 30)
        assert (page.durations.min, page.durations.max) == (1, 9)
        assert page.durations.mean == 5
        assert isinstance(page.durations, Histogram) is metrics.detailed_pages
    with pytest.raises(ValueError, match="cannot be merged"):
        MergedMetrics.of([plain, detailed])


def test_examples_are_made_only_when_needed() -> None:
    """Making the text of an example is put off until an error is new; then it is made once."""
    made: list[object] = []

    def describe(response: object) -> str:
        made.append(response)
        return f"described {response}"

    metrics = LoadMetrics([TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"], describe)
    metrics.record(0, 200, 1, 1, 1, 0, 0, (), 1)
    metrics.record(0, 500, 1, 1, 1, 0, 0, BROKEN, 2)
    metrics.record(0, 500, 1, 1, 1, 0, 0, BROKEN, 3)
    assert made == [2]
    assert [error.example for error in metrics.errors] == ["described 2"]


def test_examples_as_text_or_callable() -> None:
    """Without a describer an example is a text, or a callable that gives one."""
    metrics = small()
    metrics.record(0, 500, 1, 1, 1, 0, 0, BROKEN, "text")
    metrics.record(1, 500, 1, 1, 1, 0, 0, BROKEN, lambda: "made")
    assert [error.example for error in metrics.errors] == ["text", "made"]


def test_what_is_sent_is_the_whole_truth() -> None:
    """All that was recorded is sent, in builtin types; recording goes on after it."""
    metrics = one_worker(1, failing=20)
    wire = json.loads(json.dumps(reports.to_wire(metrics)))
    assert wire == reports.to_wire(metrics) == reports.to_wire(reports.from_wire(wire))
    metrics.record(0, 200, 1, 1, 1, 1, 1)
    assert sent(metrics).requests == metrics.requests
    assert metrics.requests == reports.from_wire(wire).requests + 1


def test_reports_add_up_to_the_whole_truth() -> None:
    """What one has reported, or two together, is the same as the metrics of those that report
    nothing; and so are totals that somebody asked for when there was little yet."""
    reporters: list[reports.Reporter] = []
    both, scope = MergedMetrics.for_reports_of(empty()), [1, 4, 5]
    both.total()
    both.total(scope)
    runs = [seconds_of(seed, failing=20) for seed in (1, 2, 1, 2)]
    for *parts, one, other in zip(*runs, strict=True):
        reporters = reporters or [
            reports.Reporter(one, RunCourse()),
            reports.Reporter(other, RunCourse()),
        ]
        for part, reporter in zip(parts, reporters, strict=True):
            both.add_wire(reports.read(b"".join(reporter.report())))
            assert reports.to_wire(reporter.reported) == reports.to_wire(part)
    whole = MergedMetrics.of(parts)
    assert whole.requests > 1000
    # Only the order in which the errors came is another one.
    assert sorted(reports.to_wire(both)["errors"][1:]) == sorted(
        reports.to_wire(whole)["errors"][1:]
    )
    assert reports.to_wire(both) | {"errors": []} == reports.to_wire(whole) | {"errors": []}
    for total, expected in (
        (both.total(), whole.total()),
        (both.total(scope), LoadMetrics.total(whole, scope)),
    ):
        assert total.to_wire() == expected.to_wire()
        assert total.response.percentile(99) == expected.response.percentile(99)


def test_a_report_is_as_long_as_its_news() -> None:
    """After many requests one more is not much to report; after that there is nothing."""
    metrics = one_worker(1)
    reporter = reports.Reporter(metrics)
    first = b"".join(reporter.report())
    metrics.record(0, 200, 1_000, 1_100, 900, 10, 5)
    second = b"".join(reporter.report())
    third = b"".join(reporter.report())
    one = MergedMetrics.for_reports_of(metrics)
    one.add_wire(reports.read(second))
    assert one.requests == one.total().response.count == one.total().received // 10 == 1
    assert [slices.requests for slices in reports.read(second)["slices"]] == [1]
    assert not reports.read(third)["slices"]
    assert len(third) < len(second) < len(first) / 10


def test_metrics_do_not_grow_with_requests() -> None:
    """A hundred times the requests with the same durations make no larger snapshot."""
    few, many = measured([(0, 200, 5_000 + n, 0, 1, False) for n in range(10)]), small()
    for _ in range(100):
        many = MergedMetrics.of([many, few])
    assert many.requests == 1000
    assert size(many) < size(few) + 200


def test_metrics_do_not_grow_with_errors_or_seconds() -> None:
    """Hours of requests that all fail, each with a text of its own: the snapshot is bounded."""
    metrics = small()
    sizes = []
    for second in range(4 * 3600):
        metrics.begin_second(second)
        metrics.set_users(1000)
        failure = Failure("text", f"{second} not found " + "x" * 1000)
        metrics.record(0, 500, 1_000, 1_000, 900, 1, 1, (failure,), "y" * 10_000)
        if second % 3600 == 3599:
            sizes.append(size(metrics))
    assert metrics.requests == metrics.failed_requests == 4 * 3600
    assert sum(one.count for one in metrics.errors) + metrics.errors.others == 4 * 3600
    assert max(sizes) < 1_000_000
    assert sizes[-1] < sizes[0] * 1.2


def test_a_worker_does_not_grow_with_its_run() -> None:
    """What was reported is forgotten: after ten seconds with ever longer times a worker has what it
    had after two, and only what was not reported yet has buckets."""
    metrics, taken = small(), []
    reporter = reports.Reporter(metrics)
    tracemalloc.start()
    try:
        for second in range(12):
            metrics.begin_second(second)
            for number in range(200):
                took = 1000 + (second * 200 + number << second % 10)
                metrics.record(number % 2, 200, took, took, took, 1, 1)
            list(reporter.report())
            taken.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert taken[-1] - taken[1] < 20_000  # a histogram with rows for these times has 100,000
    assert metrics.requests == 12 * 200
    assert metrics.total().response.count == reporter.reported.total().response.count == 0


def test_different_test_cases_do_not_merge() -> None:
    """Metrics of other test cases are refused, rather than added up wrongly."""
    with pytest.raises(ValueError, match="different test cases"):
        MergedMetrics.of([small(), empty()])


def test_another_version_is_refused() -> None:
    """A snapshot of another format is named as what it is."""
    wire = reports.to_wire(small()) | {"format": 0}
    with pytest.raises(ValueError, match="different versions"):
        reports.from_wire(wire)


def test_keys_must_fit_together() -> None:
    """A transaction on a page that is not given is an error at once, not a gap in a report."""
    with pytest.raises(ValueError, match="no place for"):
        LoadMetrics([TransactionKey("c", "typo", "t")], [PageKey("c", "p")], ["c"])


def test_users_and_their_peak() -> None:
    """The users at work are known for now and at most."""
    metrics = small()
    for active in (1, 5, 2):
        metrics.set_users(active)
    assert (metrics.users, metrics.peak_users) == (2, 5)


def test_nothing_merges_to_nothing() -> None:
    """A run whose workers never reported has metrics, too: empty ones."""
    assert MergedMetrics.of([]).requests == 0
