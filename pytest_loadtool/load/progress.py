"""How a run is getting on: what a live view shows, from what each worker has measured so far."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TypeVar

from pytest_loadtool.load.metrics.course import RunCourse
from pytest_loadtool.load.metrics.custom import CustomMetrics
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.load.verdict.custom import custom_of
from pytest_loadtool.load.verdict.flows import FlowSummary, flows_of
from pytest_loadtool.load.verdict.summary import CustomSummary
from pytest_loadtool.load.verdict.threshold import ThresholdState

K = TypeVar("K", bound=Hashable)

#: How many transactions are shown, and how many points in time the history has.
MOST_ROWS, MOST_MOMENTS = 40, 120


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """One transaction so far; response times in microseconds."""

    page: str
    name: str
    once: str
    requests: int
    errors: int
    median: int
    p95: int


@dataclass(frozen=True, slots=True)
class Progress:
    """All requests so far, their errors, response times (in microseconds) and status codes.

    ``causes`` counts failures by their cause. ``users`` are at work now; the rates are of each
    worker's last whole second. ``rows`` are the transactions with the most errors, then those that
    took the most time in sum. ``user_counts``, ``rates``, ``error_rates`` and ``p95s``
    (microseconds; 0 where nothing was finished) go from the start of the run to now, at equal
    distances. ``course`` is what was measured when, which goes on to grow.
    """

    users: int = 0
    requests: int = 0
    errors: int = 0
    dropped: int = 0
    requests_per_second: int = 0
    errors_per_second: int = 0
    response: Histogram = field(default_factory=Histogram)
    statuses: dict[int, int] = field(default_factory=dict)
    causes: dict[str, int] = field(default_factory=dict)
    rows: tuple[ProgressRow, ...] = ()
    user_counts: tuple[float, ...] = ()
    rates: tuple[float, ...] = ()
    error_rates: tuple[float, ...] = ()
    p95s: tuple[float, ...] = ()
    thresholds: tuple[ThresholdState, ...] = ()
    flows: tuple[FlowSummary, ...] = ()
    custom: tuple[CustomSummary, ...] = ()
    course: RunCourse = field(default_factory=RunCourse, compare=False)


class ProgressTracker:
    """Looks at a run now and then. What it remembers does not grow with the length of the run."""

    def __init__(self) -> None:
        self._second = -1
        self._seen = Progress()
        self._course = tuple(_History() for _ in range(4))

    def update(
        self,
        parts: Sequence[tuple[LoadMetrics, bool]],
        thresholds: tuple[ThresholdState, ...] = (),
        course: RunCourse | None = None,
    ) -> Progress:
        """Take each worker's numbers, and whether it is still running; or those of all merged.

        One that has finished or was lost adds nothing to users and rates. Within a second of the
        run the answer is the same.
        """
        second = max((metrics.second for metrics, _ in parts), default=-1)
        if second == self._second:
            return self._seen
        self._second = second
        workers = [metrics for metrics, _ in parts]
        running = [metrics for metrics, is_running in parts if is_running]
        totals = [one.total() for one in workers]
        response = Histogram()
        for total in totals:
            response.merge(total.response)
        users = sum(one.users for one in running)
        rate = sum(one.last_requests for one in running)
        errors = sum(one.last_errors for one in running)
        recent = response.since(self._seen.response)
        p95 = recent.percentile(95) if recent.count else 0
        if second > 0:
            for history, value in zip(self._course, (users, rate, errors, p95), strict=True):
                history.add(value)
        user_counts, rates, error_rates, p95s = (one.values() for one in self._course)
        self._seen = Progress(
            users=users,
            requests=sum(one.requests for one in totals),
            errors=sum(one.errors for one in totals),
            dropped=sum(one.dropped for one in workers),
            requests_per_second=rate,
            errors_per_second=errors,
            response=response,
            statuses=_sums(one.statuses for one in totals),
            causes=_sums({one.cause: one.count} for part in workers for one in part.errors),
            rows=_rows(workers),
            user_counts=user_counts,
            rates=rates,
            error_rates=error_rates,
            p95s=p95s,
            thresholds=thresholds,
            flows=tuple(flows_of(workers)),
            custom=tuple(custom_of(_custom(workers))),
            course=course or RunCourse(),
        )
        return self._seen


class _History:
    """A value for each second; as soon as they are too many, the mean of each two, and so on."""

    def __init__(self) -> None:
        self._values: list[float] = []
        self._pending: list[float] = []
        self._length = 1

    def add(self, value: float) -> None:
        self._pending.append(value)
        if len(self._pending) < self._length:
            return
        self._values.append(sum(self._pending) / self._length)
        self._pending.clear()
        if len(self._values) == MOST_MOMENTS:
            pairs = zip(self._values[::2], self._values[1::2], strict=True)
            self._values = [sum(pair) / 2 for pair in pairs]
            self._length *= 2

    def values(self) -> tuple[float, ...]:
        return tuple(self._values)


def _sums(counts: Iterable[Mapping[K, int]]) -> dict[K, int]:
    sums: dict[K, int] = {}
    for part in counts:
        for key, number in part.items():
            sums[key] = sums.get(key, 0) + number
    return sums


def _custom(workers: Sequence[LoadMetrics]) -> CustomMetrics:
    together = CustomMetrics()
    for one in workers:
        together.merge(one.custom)
    return together


def _rows(workers: Sequence[LoadMetrics]) -> tuple[ProgressRow, ...]:
    """Return the worst: those with the most errors, then those with the most response time."""
    totals = [
        (sum(one.errors for one in same), sum(one.response.total for one in same))
        for same in zip(*(worker.transactions for worker in workers), strict=True)
    ]
    worst = nlargest(MOST_ROWS, range(len(totals)), key=totals.__getitem__)
    return tuple(_row(workers, index) for index in worst if any(totals[index]))


def _row(workers: Sequence[LoadMetrics], index: int) -> ProgressRow:
    key = workers[0].transaction_keys[index]
    same = [worker.transactions[index] for worker in workers]
    response = same[0].response
    if len(same) > 1:
        response = Histogram()
        for one in same:
            response.merge(one.response)
    requests, errors = sum(one.requests for one in same), sum(one.errors for one in same)
    once = next(
        (one.once for one in workers[0].page_keys if (one.case, one.name) == (key.case, key.page)),
        "",
    )
    median, p95 = response.percentiles([50, 95])
    return ProgressRow(key.page, key.name, once, requests, errors, median, p95)
