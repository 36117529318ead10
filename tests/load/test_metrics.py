"""Metrics of a load test: what is counted, and that merging loses and invents nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.load import LoadMetrics, PageKey, TransactionKey
from pytest_loadtool.model.result import Failure
from tests.load.simulation import empty, one_worker

BROKEN = (Failure("status", "status 500, expected 200-399"),)


def small() -> LoadMetrics:
    """Metrics of two transactions on one page."""
    return LoadMetrics(
        [TransactionKey("c", "p", "one"), TransactionKey("c", "p", "two")],
        [PageKey("c", "p")],
        ["c"],
    )


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
    for number, (index, status, service, late, size, failed) in enumerate(work):
        metrics.begin_second(number // 10)
        failures = BROKEN if failed else ()
        metrics.record(index, status, service, service + late, size, 100, failures, "an example")
        metrics.record_page(0, service, failed)
        metrics.record_iteration(0, service + late, failed)
        metrics.record_lateness(late)
        metrics.record_lag(late // 2)
    metrics.elapsed_us = len(work) * 100_000
    metrics.cpu_us = len(work) * 10
    return metrics


def comparable(metrics: LoadMetrics) -> dict[str, Any]:
    """All that the metrics hold, in an order that does not depend on what came first."""
    wire = metrics.to_wire()
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
    merged = LoadMetrics.merge(parts)
    backwards = LoadMetrics.merge(reversed(parts))
    grouped = LoadMetrics.merge([parts[0], LoadMetrics.merge(parts[1:])])
    sent = LoadMetrics.merge(LoadMetrics.from_snapshot(part.snapshot()) for part in parts)
    for other in (backwards, grouped, sent):
        assert comparable(other) == comparable(merged)
    work = one + two + three
    total = merged.total()
    assert merged.requests == total.requests == len(work)
    assert merged.failed_requests == sum(failed for *_, failed in work)
    assert total.received == sum(size for *_, size, _ in work)
    assert total.service.total == sum(service for _, _, service, *_ in work)
    assert sum(count for count, _ in merged.seconds.values()) == len(work)
    assert merged.cases[0].failed == merged.pages[0].failed == merged.failed_requests
    assert merged.elapsed_us == max(len(part) for part in (one, two, three)) * 100_000


def test_a_request_with_several_failures_is_one_error() -> None:
    """A failed request is one error, however many of its validators failed; each is listed."""
    metrics = small()
    both = (*BROKEN, Failure("text", "search text not found"))
    metrics.record(1, 500, 10, 10, 5, 5, both, "what came")
    metrics.record(1, 200, 10, 10, 5, 5)
    assert (metrics.requests, metrics.failed_requests) == (2, 1)
    assert [error.cause for error in metrics.errors] == ["status", "text"]


@pytest.mark.promise(130)
def test_status_codes_are_counted() -> None:
    """Every response counts under its status code, and a request without one under 0."""
    metrics = small()
    for index, status in ((0, 200), (0, 200), (0, 0), (1, 304), (1, 200)):
        metrics.record(index, status, 1, 1, 0, 0)
    assert metrics.transactions[0].statuses == {200: 2, 0: 1}
    assert metrics.total().statuses == {200: 3, 304: 1, 0: 1}


def test_service_and_response_time_are_apart() -> None:
    """Both times of a request are kept: a late start shows in one and not in the other."""
    metrics = small()
    metrics.record(0, 200, 1_000, 2_001_000, 1, 1)
    total = metrics.total()
    assert (total.service.max, total.response.max) == (1_000, 2_001_000)


def test_cut_work_is_in_no_other_number() -> None:
    """What is cut at the end is counted as cut, and skews nothing."""
    metrics = small()
    metrics.record(0, 200, 10, 10, 1, 1)
    before = metrics.total().service
    metrics.cut += 3
    metrics.cut_iterations += 2
    merged = LoadMetrics.merge([metrics, metrics])
    assert (merged.cut, merged.cut_iterations) == (6, 4)
    assert metrics.requests == 1
    assert metrics.total().service == before


def test_seconds() -> None:
    """Requests and errors count for the second that was announced; empty ones are left out."""
    metrics = small()
    metrics.record(0, 200, 1, 1, 0, 0)
    metrics.begin_second(1)
    metrics.record(0, 200, 1, 1, 0, 0)
    metrics.record(0, 500, 1, 1, 0, 0, BROKEN, "x")
    metrics.begin_second(3)
    assert metrics.seconds == {0: (1, 0), 1: (2, 1)}
    metrics.record(0, 200, 1, 1, 0, 0)
    assert metrics.seconds == {0: (1, 0), 1: (2, 1), 3: (1, 0)}


def test_examples_are_made_only_when_needed() -> None:
    """Making the text of an example is put off until an error is new; then it is made once."""
    made: list[object] = []

    def describe(response: object) -> str:
        made.append(response)
        return f"described {response}"

    metrics = LoadMetrics([TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"], describe)
    metrics.record(0, 200, 1, 1, 0, 0, (), 1)
    metrics.record(0, 500, 1, 1, 0, 0, BROKEN, 2)
    metrics.record(0, 500, 1, 1, 0, 0, BROKEN, 3)
    assert made == [2]
    assert [error.example for error in metrics.errors] == ["described 2"]


def test_examples_as_text_or_callable() -> None:
    """Without a describer an example is a text, or a callable that gives one."""
    metrics = small()
    metrics.record(0, 500, 1, 1, 0, 0, BROKEN, "text")
    metrics.record(1, 500, 1, 1, 0, 0, BROKEN, lambda: "made")
    assert [error.example for error in metrics.errors] == ["text", "made"]


def test_a_snapshot_is_the_whole_truth() -> None:
    """A snapshot holds all that was recorded, in builtin types; recording goes on after it."""
    metrics = one_worker(1, failing=20)
    snapshot = metrics.snapshot()
    assert LoadMetrics.from_snapshot(snapshot).to_wire() == metrics.to_wire()
    assert json.loads(snapshot) == metrics.to_wire()
    metrics.record(0, 200, 1, 1, 1, 1)
    assert LoadMetrics.from_snapshot(metrics.snapshot()).requests == metrics.requests
    assert metrics.requests == LoadMetrics.from_snapshot(snapshot).requests + 1


def test_metrics_do_not_grow_with_requests() -> None:
    """A hundred times the requests with the same durations make no larger snapshot."""
    few, many = measured([(0, 200, 5_000 + n, 0, 1, False) for n in range(10)]), small()
    for _ in range(100):
        many = LoadMetrics.merge([many, few])
    assert many.requests == 1000
    assert len(many.snapshot()) < len(few.snapshot()) + 200


def test_different_test_cases_do_not_merge() -> None:
    """Metrics of other test cases are refused, rather than added up wrongly."""
    with pytest.raises(ValueError, match="different test cases"):
        LoadMetrics.merge([small(), empty()])


def test_another_version_is_refused() -> None:
    """A snapshot of another format is named as what it is."""
    wire = small().to_wire() | {"format": 2}
    with pytest.raises(ValueError, match="different versions"):
        LoadMetrics.from_wire(wire)


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
    assert LoadMetrics.merge([]).requests == 0
