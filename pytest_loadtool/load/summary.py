"""The results of a load test as plain values, ready to be written down in any form.

Times are milliseconds as floats, sizes bytes, rates per second. A time is None where nothing was
measured: there is no honest number for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pytest_loadtool.load.comparison import (
    TOLERANCE,
    Comparison,
    compare,
    with_regressions,
)
from pytest_loadtool.load.histogram import Extent, Histogram
from pytest_loadtool.load.keys import PageKey
from pytest_loadtool.load.measures import Spans, TransactionMetrics
from pytest_loadtool.load.merger import WorkerResult, WorkerState
from pytest_loadtool.load.metrics import LoadMetrics
from pytest_loadtool.load.saved import SavedRun
from pytest_loadtool.load.schedule import describe
from pytest_loadtool.load.threshold import ThresholdResult
from pytest_loadtool.load.timeline import Interval
from pytest_loadtool.load.verdict import Verdict
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.model.result import Cause

__all__ = [
    "CaseSummary",
    "ConnectionSummary",
    "ErrorSummary",
    "Moment",
    "Numbers",
    "PageSummary",
    "Summary",
    "Times",
    "TransactionSummary",
    "WorkerSummary",
    "summarise",
    "times_of",
]


@dataclass(frozen=True, slots=True)
class Times:
    """A distribution of durations in milliseconds."""

    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None
    max: float | None


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is measured of requests, in total or of one transaction.

    ``status`` pairs status codes with counts, ascending; 0 means no response.
    """

    requests: int
    errors: int
    error_rate: float
    bytes_received: int
    bytes_sent: int
    duration_s: float
    throughput_rps: float
    service_time: Times
    response_time: Times
    first_byte: Times
    status: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class TransactionSummary:
    """One transaction. A name that comes again on its page is numbered: ``GET / (2)``."""

    name: str
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class PageSummary:
    """One page: its duration is from its first request to its last response, without think time.

    There are percentiles only if the load configuration asks for them.
    """

    name: str
    count: int
    failed: int
    durations: Times
    min: float | None
    transactions: tuple[TransactionSummary, ...]


@dataclass(frozen=True, slots=True)
class CaseSummary:
    """One test case: how many iterations, and how long they took with their think times."""

    name: str
    iterations: int
    failed: int
    durations: Times
    pages: tuple[PageSummary, ...]


@dataclass(frozen=True, slots=True)
class ErrorSummary:
    """One distinct error. ``first_s`` is the second of the run in which it came first."""

    case: str
    page: str
    transaction: str
    cause: Cause
    message: str
    count: int
    first_s: int
    example: str


@dataclass(frozen=True, slots=True)
class WorkerSummary:
    """One worker. ``cpu`` is processor time by elapsed time: 1 is a whole core."""

    name: str
    state: WorkerState
    users: int
    requests: int
    errors: int
    duration_s: float
    cpu: float
    lag_p95: float | None
    lateness_p95: float | None
    lateness_p99: float | None
    text: str


@dataclass(frozen=True, slots=True)
class ConnectionSummary:
    """The connections of a run: ``tls`` is the time of the handshake, after TCP's ``connect``.

    ``retried`` requests were sent again, because the idle connection had been closed.
    ``negotiated`` requests were answered by a challenge (connection authentication negotiation):
    these are in no other number, and their time is in that of pages alone. ``renewals`` of them
    were sent to refresh a token.
    """

    opened: int
    retried: int
    negotiated: int
    renewals: int
    connect: Times
    tls: Times
    negotiation: Times


@dataclass(frozen=True, slots=True)
class Moment:
    """``length_s`` seconds of the run from ``second`` on. ``users`` were at work on average.

    The times are response times; None where no request was finished.
    """

    second: int
    length_s: int
    requests: int
    errors: int
    users: float
    mean: float | None
    max: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A whole run. ``started`` is ISO 8601.

    ``timeline`` has the seconds in which users were at work, in order. ``dropped`` arrivals could
    not start, because all users were busy.
    """

    name: str
    started: str
    verdict: Verdict
    configuration: LoadConfiguration
    totals: Numbers
    cut_requests: int
    cut_iterations: int
    dropped: int
    connections: ConnectionSummary
    detailed_pages: bool
    saved: SavedRun
    """What of this run can be compared with a later one."""
    comparison: Comparison | None
    """With an earlier run, if that was asked for."""
    thresholds: tuple[ThresholdResult, ...]
    cases: tuple[CaseSummary, ...]
    errors: tuple[ErrorSummary, ...]
    other_errors: int
    workers: tuple[WorkerSummary, ...]
    timeline: tuple[Moment, ...]


def summarise(
    metrics: LoadMetrics,
    configuration: LoadConfiguration,
    workers: Sequence[WorkerResult],
    verdict: Verdict,
    *,
    started: datetime,
    thresholds: Sequence[ThresholdResult] = (),
    baseline: SavedRun | None = None,
    tolerance: float = TOLERANCE,
) -> Summary:
    """The results of a run that began at ``started``, compared with ``baseline`` if there is one.

    A run that passed has failed if it is worse than the baseline by more than ``tolerance``.
    """
    seconds = metrics.elapsed_us / 1e6
    moment = started.isoformat(timespec="seconds")
    load = describe(configuration)
    saved = SavedRun.of(configuration.name, load, moment, verdict.outcome, metrics)
    comparison = compare(baseline, saved, tolerance) if baseline is not None else None
    if comparison is not None:
        verdict = with_regressions(verdict, comparison)
        saved = replace(saved, outcome=verdict.outcome)
    names = metrics.transaction_names()
    return Summary(
        name=configuration.name,
        started=moment,
        verdict=verdict,
        configuration=configuration,
        totals=_numbers(metrics.total(), seconds),
        cut_requests=metrics.cut,
        cut_iterations=metrics.cut_iterations,
        dropped=metrics.dropped,
        connections=_connections(metrics),
        detailed_pages=configuration.detailed_pages,
        saved=saved,
        comparison=comparison,
        thresholds=tuple(thresholds),
        cases=_cases(metrics, names, seconds, configuration.detailed_pages),
        errors=_errors(metrics, names),
        other_errors=metrics.errors.others,
        workers=tuple(_worker(worker, configuration.users) for worker in workers),
        timeline=tuple(map(_moment, metrics.timeline)),
    )


def times_of(durations: Histogram | Extent) -> Times:
    """The distribution in milliseconds; of an `Extent` without percentiles."""
    if not durations.count:
        return Times(None, None, None, None, None)
    p50 = p95 = p99 = None
    if isinstance(durations, Histogram):
        p50, p95, p99 = (durations.percentile(p) / 1000 for p in (50, 95, 99))
    return Times(durations.mean / 1000, p50, p95, p99, durations.max / 1000)


def _numbers(measured: TransactionMetrics, seconds: float) -> Numbers:
    requests = measured.requests
    return Numbers(
        requests=requests,
        errors=measured.errors,
        error_rate=measured.errors / requests if requests else 0.0,
        bytes_received=measured.received,
        bytes_sent=measured.sent,
        duration_s=seconds,
        throughput_rps=requests / seconds if seconds else 0.0,
        service_time=times_of(measured.service),
        response_time=times_of(measured.response),
        first_byte=times_of(measured.first_byte),
        status=tuple(sorted(measured.statuses.items())),
    )


def _cases(
    metrics: LoadMetrics, names: Sequence[str], seconds: float, detailed_pages: bool
) -> tuple[CaseSummary, ...]:
    members: dict[PageKey, list[TransactionSummary]] = {key: [] for key in metrics.page_keys}
    for key, name, measured in zip(
        metrics.transaction_keys, names, metrics.transactions, strict=True
    ):
        summary = TransactionSummary(name, _numbers(measured, seconds))
        members[PageKey(key.case, key.page)].append(summary)
    pages: dict[str, list[PageSummary]] = {name: [] for name in metrics.case_keys}
    page_names = metrics.page_names()
    for page_key, name, spans in zip(metrics.page_keys, page_names, metrics.pages, strict=True):
        pages[page_key.case].append(_page(name, spans, members.pop(page_key, []), detailed_pages))
    return tuple(
        CaseSummary(
            name=name,
            iterations=spans.durations.count,
            failed=spans.failed,
            durations=times_of(spans.durations),
            pages=tuple(pages.pop(name, ())),
        )
        for name, spans in zip(metrics.case_keys, metrics.cases, strict=True)
    )


def _page(
    name: str, spans: Spans, transactions: Iterable[TransactionSummary], detailed: bool
) -> PageSummary:
    durations = spans.durations
    times = times_of(durations)
    if not detailed:  # a threshold may have them recorded, but they were not asked for
        times = replace(times, p50=None, p95=None, p99=None)
    return PageSummary(
        name=name,
        count=durations.count,
        failed=spans.failed,
        durations=times,
        min=durations.min / 1000 if durations.count else None,
        transactions=tuple(transactions),
    )


def _connections(metrics: LoadMetrics) -> ConnectionSummary:
    return ConnectionSummary(
        opened=metrics.connect.count,
        retried=metrics.retried,
        negotiated=metrics.negotiation.count,
        renewals=metrics.renewals,
        connect=times_of(metrics.connect),
        tls=times_of(metrics.tls),
        negotiation=times_of(metrics.negotiation),
    )


def _moment(interval: Interval) -> Moment:
    requests = interval.requests
    return Moment(
        second=interval.second,
        length_s=interval.length,
        requests=requests,
        errors=interval.errors,
        users=interval.user_seconds / interval.length,
        mean=interval.response_us / requests / 1000 if requests else None,
        max=interval.longest_us / 1000 if requests else None,
    )


def _errors(metrics: LoadMetrics, names: Sequence[str]) -> tuple[ErrorSummary, ...]:
    keys = metrics.transaction_keys
    return tuple(
        ErrorSummary(
            case=keys[error.transaction].case,
            page=keys[error.transaction].page,
            transaction=names[error.transaction],
            cause=error.cause,
            message=error.message,
            count=error.count,
            first_s=error.second,
            example=error.example,
        )
        for error in metrics.errors
    )


def _worker(worker: WorkerResult, users: int) -> WorkerSummary:
    metrics = worker.metrics or LoadMetrics((), (), ())
    elapsed = metrics.elapsed_us
    lateness = times_of(metrics.lateness)
    return WorkerSummary(
        name=worker.name,
        state=worker.state,
        users=len(worker.share.users(users)) if worker.share else 0,
        requests=metrics.requests,
        errors=metrics.failed_requests,
        duration_s=elapsed / 1e6,
        cpu=metrics.cpu_us / elapsed if elapsed else 0.0,
        lag_p95=times_of(metrics.lag).p95,
        lateness_p95=lateness.p95,
        lateness_p99=lateness.p99,
        text=worker.text,
    )
