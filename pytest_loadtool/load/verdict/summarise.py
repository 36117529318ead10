"""From the metrics of a run to its `Summary`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from pytest_loadtool.load.cluster.merger import WorkerResult
from pytest_loadtool.load.metrics.histogram import Extent, Histogram
from pytest_loadtool.load.metrics.keys import PageKey
from pytest_loadtool.load.metrics.measures import Spans, TransactionMetrics
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.load.metrics.timeline import Interval
from pytest_loadtool.load.pacing.schedule import describe
from pytest_loadtool.load.verdict.comparison import TOLERANCE, compare, with_regressions
from pytest_loadtool.load.verdict.saved import SavedRun
from pytest_loadtool.load.verdict.summary import (
    CaseSummary,
    ConnectionSummary,
    ErrorSummary,
    Moment,
    Numbers,
    OtherwiseSummary,
    PageSummary,
    Summary,
    TimeSummary,
    TransactionSummary,
    WorkerSummary,
)
from pytest_loadtool.load.verdict.threshold import ThresholdResult
from pytest_loadtool.load.verdict.verdict import Verdict
from pytest_loadtool.model.load import LoadConfiguration


def summarise(
    metrics: LoadMetrics,
    configuration: LoadConfiguration,
    workers: Sequence[WorkerResult],
    verdict: Verdict,
    *,
    started: datetime,
    thresholds: Sequence[ThresholdResult] = (),
    baseline: Sequence[SavedRun] = (),
    tolerance: float = TOLERANCE,
) -> Summary:
    """The results of a run that began at ``started``, compared with the earlier runs ``baseline``,
    if there are any.

    A run that passed has failed if it is worse than the baseline by more than ``tolerance``.
    """
    seconds = metrics.elapsed_us / 1e6
    moment = started.isoformat(timespec="seconds")
    load = describe(configuration)
    saved = SavedRun.of(configuration.name, load, moment, verdict.outcome, metrics)
    comparison = compare(baseline, saved, tolerance) if baseline else None
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
        otherwise=_otherwise(metrics, names),
        workers=tuple(_worker(worker, configuration.users) for worker in workers),
        timeline=tuple(map(_moment, metrics.timeline)),
    )


def _times(durations: Histogram | Extent) -> TimeSummary:
    """The distribution in milliseconds; of an `Extent` without percentiles."""
    if not durations.count:
        return TimeSummary(None, None, None, None, None)
    p50 = p95 = p99 = None
    if isinstance(durations, Histogram):
        p50, p95, p99 = (durations.percentile(p) / 1000 for p in (50, 95, 99))
    return TimeSummary(durations.mean / 1000, p50, p95, p99, durations.max / 1000)


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
        service_time=_times(measured.service),
        response_time=_times(measured.response),
        first_byte=_times(measured.first_byte),
        status=tuple(sorted(measured.statuses.items())),
        otherwise=measured.otherwise,
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
            durations=_times(spans.durations),
            pages=tuple(pages.pop(name, ())),
        )
        for name, spans in zip(metrics.case_keys, metrics.cases, strict=True)
    )


def _page(
    name: str, spans: Spans, transactions: Iterable[TransactionSummary], detailed: bool
) -> PageSummary:
    durations = spans.durations
    times = _times(durations)
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
        backed_off_s=metrics.backed_off_us / 1e6,
        negotiated=metrics.negotiation.count,
        renewals=metrics.renewals,
        connect=_times(metrics.connect),
        tls=_times(metrics.tls),
        negotiation=_times(metrics.negotiation),
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


def _otherwise(metrics: LoadMetrics, names: Sequence[str]) -> tuple[OtherwiseSummary, ...]:
    found = [
        OtherwiseSummary(key.case, key.page, name, way, count)
        for key, name, one in zip(
            metrics.transaction_keys, names, metrics.transactions, strict=True
        )
        for way, count in one.ways.items()
    ]
    return tuple(sorted(found, key=lambda one: -one.count))


def _worker(worker: WorkerResult, users: int) -> WorkerSummary:
    metrics = worker.metrics or LoadMetrics((), (), ())
    elapsed = metrics.elapsed_us
    lateness = _times(metrics.lateness)
    return WorkerSummary(
        name=worker.name,
        state=worker.state,
        users=len(worker.share.users(users)) if worker.share else 0,
        requests=metrics.requests,
        errors=metrics.failed_requests,
        duration_s=elapsed / 1e6,
        cpu=metrics.cpu_us / elapsed if elapsed else 0.0,
        lag_p95=_times(metrics.lag).p95,
        lateness_p95=lateness.p95,
        lateness_p99=lateness.p99,
        text=worker.text,
    )
