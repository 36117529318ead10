"""The course of a run: exact by the second, bounded, the same however many workers there are."""

from __future__ import annotations

import json
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.load import Histogram, MergedMetrics
from pytest_loadtool.load.metrics import course as limits
from pytest_loadtool.load.metrics import reports
from pytest_loadtool.load.metrics.course import MOST_OF_TRANSACTION, RunCourse
from pytest_loadtool.load.metrics.sparse import SparseHistogram
from pytest_loadtool.load.verdict.summarise import MOST_SO_FAR, MomentsSoFar
from tests.load.simulation import add_report, one_worker, seconds_of, two_workers
from tests.load.test_metrics import BROKEN, small

times = st.lists(st.integers(0, 10**8), min_size=1)


@given(times, times, st.booleans())
def test_sparse_is_the_same_histogram(some: list[int], others: list[int], packed: bool) -> None:
    """Percentiles, counts and sums are those of a `Histogram`; a coarse one's are at most 1.6 %
    above. Packed and unpacked, merged in any order."""
    whole, sparse, coarse = Histogram(), SparseHistogram(), SparseHistogram(coarse=True)
    for values in (some, others):
        one = Histogram()
        for value in values:
            one.record(value)
        whole.merge(one)
        for target in (sparse, coarse):
            part = SparseHistogram(target.coarse)
            part.add_wire(json.loads(json.dumps(one.to_wire())))
            if packed:
                part.pack()
                target.pack()
            target.merge(part)
    wanted = [0, 50, 90, 99, 99.9, 100]
    exact = whole.percentiles(wanted)
    assert sparse.percentiles(wanted, whole.max) == exact
    for found, least in zip(coarse.percentiles(wanted), exact, strict=True):
        assert least <= found <= max(least * 1.0157, least + 0.5)
    for target in (sparse, coarse):
        assert (target.count, target.total, target.mean) == (whole.count, whole.total, whole.mean)
    assert sparse.whole().to_wire()[3:] == whole.to_wire()[3:]


def test_each_second_has_its_own() -> None:
    """Whatever the moment of a report, what was finished in a second is told of that second."""
    metrics = small()
    reporter, course = reports.Reporter(metrics), RunCourse()
    for second in range(6):
        metrics.begin_second(second)
        metrics.set_users(second)
        for number in range(second):
            metrics.record(number % 2, 200, 100 + second, 200 + second, 5, 7, 3)
        if second == 3:
            metrics.record(1, 500, 9, 9, 9, 7, 3, BROKEN)
            metrics.record_lateness(77)
            metrics.record_connection(10, None)
        if second % 2:  # in the middle of a second
            add_report(course, reports.read(b"".join(reporter.report())))
            metrics.record(0, 200, 100 + second, 200 + second, 5, 7, 3)
    metrics.cpu_us = 500
    add_report(course, reports.read(b"".join(reporter.report())))
    found = list(course.stretches())
    assert [one.requests for one in found] == [0, 2, 2, 5, 4, 6]
    assert [one.user_seconds for one in found] == [0, 1, 2, 3, 4, 5]
    assert [one.received for one in found] == [7 * one.requests for one in found]
    assert [one.errors for one in found] == [0, 0, 0, 1, 0, 0]
    assert [one.causes for one in found if one.causes] == [{"status": 1}]
    assert [one.longest_us for one in found[1:]] == [201, 202, 203, 204, 205]
    assert [(one.opened, one.lateness.count) for one in found if one.opened] == [(1, 1)]
    assert sum(one.cpu_us for one in found) == 500
    for one in found[1:]:
        assert one.response.percentiles([100]) == [200 + one.second]
    of = [*course.of(0), *course.of(1)]
    assert sum(one.requests for one in of) == metrics.requests
    assert sum(one.errors for one in of) == 1


def test_the_course_adds_up_to_the_run() -> None:
    """Over two workers: all stretches together are the totals, to the bucket."""
    result = two_workers(failing=50)
    whole = result.metrics.total()
    found = list(result.course.stretches())
    response, service = SparseHistogram(), SparseHistogram()
    for one in found:
        response.merge(one.response)
        service.merge(one.service)
    assert response.whole().to_wire()[3:] == whole.response.to_wire()[3:]
    assert service.total == whole.service.total
    assert sum(one.requests for one in found) == whole.requests
    assert sum(one.errors for one in found) == sum(sum(one.causes.values()) for one in found)
    assert sum(one.errors for one in found) == whole.errors
    assert sum(one.received for one in found) == whole.received
    assert sum(one.opened for one in found) == result.metrics.connect.count
    assert sum(one.lateness.count for one in found) == result.metrics.lateness.count
    assert [one.user_seconds for one in found] == [10, *[20] * 9, 20]
    assert sum(one.response.total for one in found) == whole.response.total
    assert max(one.longest_us for one in found) == whole.response.max
    for index, transaction in enumerate(result.metrics.transactions):
        assert sum(one.requests for one in result.course.of(index)) == transaction.requests


def test_longer_parts_add_up_to_the_same() -> None:
    """Of many workers reports have parts of several seconds: nothing is lost but when it was."""
    long, short, heard = RunCourse(), RunCourse(), None
    for one, same in zip(seconds_of(1, failing=50), seconds_of(1, failing=50), strict=True):
        if heard is None:
            told, by_second = reports.Reporter(one, length=4), reports.Reporter(same)
            heard = MergedMetrics.for_reports_of(one)
        wire = reports.read(b"".join(told.report()))
        heard.add_wire(wire)
        add_report(long, wire)
        add_report(short, reports.read(b"".join(by_second.report())))
    assert heard is not None
    assert heard.total().to_wire() == one_worker(1, failing=50).total().to_wire()
    for mine, theirs in zip(long.stretches(), short.stretches(4), strict=True):
        assert (mine.second, mine.length) == (theirs.second, 4)
        assert mine.response.buckets() == theirs.response.buckets()
        assert mine.lateness.buckets() == theirs.lateness.buckets()
        for name in (
            *("requests", "errors", "user_seconds", "longest_us", "opened", "cpu_us", "causes"),
        ):
            assert getattr(mine, name) == getattr(theirs, name)


def test_alone_and_by_report_are_the_same() -> None:
    """A course in the worker's own process is that of its reports."""
    told, own = RunCourse(), RunCourse()
    reporter: reports.Reporter | None = None
    for metrics in seconds_of(1, failing=50):
        reporter = reporter or reports.Reporter(metrics, own)
        add_report(told, reports.read(b"".join(reporter.report())))
    for one, other in zip(told.stretches(), own.stretches(), strict=True):
        assert one.response.buckets() == other.response.buckets()
        assert (one.requests, one.cpu_us, one.causes) == (
            other.requests,
            other.cpu_us,
            other.causes,
        )


def test_a_long_run_stays_bounded(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """However long a run and however many values: a bounded number of stretches and of bytes, all
    of the same length as far as a plot is concerned, and nothing is lost."""
    monkeypatch.setattr(limits, "MOST_BYTES", 12_000)
    monkeypatch.setattr(limits, "MOST_STRETCHES", most := 600)
    metrics, random = small(), Random(1)
    course = RunCourse()
    reporter = reports.Reporter(metrics, course)
    seconds = 2 * most + 500
    for second in range(seconds):
        metrics.begin_second(second)
        metrics.record(0, 200, 1, random.randrange(1 << 20), 5, 1, 1)
        if second % 3:
            metrics.record(1, 200, 1, random.randrange(1 << 20), 5, 1, 1)
    for _ in reporter.report():
        pass
    found, of = list(course.stretches()), course.of(1)
    assert len(course.run) < most / 2  # the bytes are fewer than the seconds
    assert len(of) <= MOST_OF_TRANSACTION
    assert len({one.length for one in found}) == len({one.length for one in of}) == 1
    assert [one.second % one.length for one in found] == [0] * len(found)
    assert sum(one.requests for one in found) == metrics.requests
    assert sum(one.requests for one in of) == metrics.transactions[1].requests
    assert sum(one.response.count for one in found) == metrics.requests
    assert course.run.size < 24_000


def test_a_late_worker_is_not_lost() -> None:
    """What comes of a second that is long over is added to it."""
    course, beat = RunCourse(), [1, 7, 1, 1, [5, 5, 5, [-1, [5], [1]]], {}, []]
    for second in (0, 1, 2, 3, 9, 10, 11, 1, 5):
        course.add_beat(second, beat)
    assert [(one.second, one.opened) for one in course.stretches()] == [
        (0, 1), (1, 2), (2, 1), (3, 1), (5, 1), (9, 1), (10, 1), (11, 1),
    ]  # fmt: skip
    assert {one.lateness.percentiles([50])[0] for one in course.stretches()} == {5}


def test_moments_so_far_are_those_of_the_whole() -> None:
    """Looked at every few seconds, most of them made before: what is seen is as if all had been
    made at once, and there are not too many of them."""
    metrics, course, looked = small(), RunCourse(), MomentsSoFar([50, 95])
    reporter = reports.Reporter(metrics, course)
    for second in range(2 * MOST_SO_FAR + 50):
        metrics.begin_second(second)
        metrics.record(second % 2, 200, 1000 + second, 2000 + second, 5, 1, 1)
        if second % 7 == 0:
            for _ in reporter.report():
                pass
            assert len(looked.update(course)) <= MOST_SO_FAR + 1
    assert looked.update(course) == MomentsSoFar([50, 95]).update(course)
    requests = [one.requests for one in looked.update(course)]
    *over, last = course.stretches(looked.update(course)[0].length_s)
    assert requests == [one.requests for one in over]
    assert last.second >= 2 * MOST_SO_FAR
