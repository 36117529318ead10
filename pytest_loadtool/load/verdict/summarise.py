"""From the metrics of a run to its `Summary`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pytest_loadtool.load.cluster.merger import WorkerResult
from pytest_loadtool.load.metrics.histogram import Extent, Histogram
from pytest_loadtool.load.metrics.keys import PageKey
from pytest_loadtool.load.metrics.measures import Spans, TransactionMetrics
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.load.pacing.schedule import describe
from pytest_loadtool.load.verdict.comparison import TOLERANCE, compare, with_regressions
from pytest_loadtool.load.verdict.failing import failed_by_time, failing_of
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

#: The percentiles that there always are.
_USUAL = (50.0, 95.0, 99.0)


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
    times = _Times(tuple(one for one in configuration.percentiles if one not in _USUAL))
    return Summary(
        name=configuration.name,
        started=moment,
        verdict=verdict,
        configuration=configuration,
        totals=_numbers(metrics.total(), seconds, _failed(metrics, metrics.firsts.times), times),
        cut_requests=metrics.cut,
        cut_iterations=metrics.cut_iterations,
        dropped=metrics.dropped,
        connections=_connections(metrics, times),
        detailed_pages=configuration.detailed_pages,
        saved=saved,
        comparison=comparison,
        thresholds=tuple(thresholds),
        cases=_cases(metrics, names, seconds, configuration.detailed_pages, times),
        failing=failing_of(metrics, names),
        errors=_errors(metrics, names),
        other_errors=metrics.errors.others,
        otherwise=_otherwise(metrics, names),
        workers=tuple(_worker(worker, configuration.users) for worker in workers),
        timeline=tuple(_moments(metrics)),
    )


@dataclass(frozen=True, slots=True)
class _Times:
    """Makes summaries of times, with percentiles ``others`` beside the usual ones."""

    others: tuple[float, ...] = ()

    def __call__(self, durations: Histogram | Extent) -> TimeSummary:
        """The distribution in milliseconds; of an `Extent` without percentiles."""
        if not durations.count:
            return self.without_percentiles(TimeSummary(None, None, None, None, None))
        mean, most = durations.mean / 1000, durations.max / 1000
        if not isinstance(durations, Histogram):
            return self.without_percentiles(TimeSummary(mean, None, None, None, most))
        p50, p95, p99, *others = (
            value / 1000 for value in durations.percentiles([*_USUAL, *self.others])
        )
        more = tuple(zip(self.others, others, strict=True))
        return TimeSummary(mean, p50, p95, p99, most, more)

    def without_percentiles(self, times: TimeSummary) -> TimeSummary:
        """The same, with nothing for each percentile."""
        nothing = tuple((p, None) for p in self.others)
        return replace(times, p50=None, p95=None, p99=None, others=nothing)


def _failed(metrics: LoadMetrics, indices: Iterable[int]) -> Histogram:
    """The response times of requests that failed."""
    failed = Histogram()
    for index in indices:
        if index in metrics.firsts.times:
            failed.merge(metrics.firsts.times[index].response)
    return failed


def _numbers(
    measured: TransactionMetrics, seconds: float, failed: Histogram, times: _Times
) -> Numbers:
    requests = measured.requests
    return Numbers(
        requests=requests,
        errors=measured.errors,
        error_rate=measured.errors / requests if requests else 0.0,
        bytes_received=measured.received,
        bytes_sent=measured.sent,
        duration_s=seconds,
        throughput_rps=requests / seconds if seconds else 0.0,
        service_time=times(measured.service),
        response_time=times(measured.response),
        first_byte=times(measured.first_byte),
        good_time=times(measured.response.since(failed)),
        failed_time=times(failed),
        status=tuple(sorted(measured.statuses.items())),
        otherwise=measured.otherwise,
    )


#: What the path of a static file ends with.
_STATIC = re.compile(
    r"\.(?:css|js|mjs|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|otf|eot)"
    r"(?:\?\S*)?(?: \(\d+\))?$",
    re.IGNORECASE,
)


def _cases(
    metrics: LoadMetrics,
    names: Sequence[str],
    seconds: float,
    detailed_pages: bool,
    times: _Times,
) -> tuple[CaseSummary, ...]:
    members: dict[PageKey, list[int]] = {key: [] for key in metrics.page_keys}
    for index, key in enumerate(metrics.transaction_keys):
        members[PageKey(key.case, key.page)].append(index)
    pages: dict[str, list[PageSummary]] = {name: [] for name in metrics.case_keys}
    busy: dict[str, int] = dict.fromkeys(metrics.case_keys, 0)
    page_names = metrics.page_names()
    for page_key, name, spans in zip(metrics.page_keys, page_names, metrics.pages, strict=True):
        page = _page(name, spans, detailed_pages, times)
        indices = members.pop(page_key, [])
        pages[page_key.case].append(
            _with_transactions(page, metrics, names, seconds, indices, times)
        )
        busy[page_key.case] += spans.durations.total
    return tuple(
        CaseSummary(
            name=name,
            iterations=spans.durations.count,
            failed=spans.failed,
            cut=spans.cut,
            think=max(0.0, 1 - busy[name] / spans.durations.total)
            if spans.durations.total
            else 0.0,
            durations=times(spans.durations),
            pages=tuple(pages.pop(name, ())),
        )
        for name, spans in zip(metrics.case_keys, metrics.cases, strict=True)
    )


def _with_transactions(
    page: PageSummary,
    metrics: LoadMetrics,
    names: Sequence[str],
    seconds: float,
    indices: Sequence[int],
    times: _Times,
) -> PageSummary:
    """The page with its transactions, and its static files together."""
    static = [index for index in indices if _STATIC.search(names[index])]
    transactions = (
        TransactionSummary(
            names[index],
            _numbers(metrics.transactions[index], seconds, _failed(metrics, [index]), times),
            index in static,
        )
        for index in indices
    )
    together = None
    if len(static) > 1:
        together = _numbers(metrics.total(static), seconds, _failed(metrics, static), times)
    return replace(page, transactions=tuple(transactions), static=together)


def _page(name: str, spans: Spans, detailed: bool, times: _Times) -> PageSummary:
    durations = spans.durations
    known = times(durations)
    if not detailed:  # a threshold may have them recorded, but they were not asked for
        known = times.without_percentiles(known)
    return PageSummary(
        name=name,
        count=durations.count,
        failed=spans.failed,
        durations=known,
        min=durations.min / 1000 if durations.count else None,
        transactions=(),
    )


def _connections(metrics: LoadMetrics, times: _Times) -> ConnectionSummary:
    return ConnectionSummary(
        opened=metrics.connect.count,
        retried=metrics.retried,
        backed_off_s=metrics.backed_off_us / 1e6,
        negotiated=metrics.negotiation.count,
        renewals=metrics.renewals,
        connect=times(metrics.connect),
        tls=times(metrics.tls),
        negotiation=times(metrics.negotiation),
    )


def _moments(metrics: LoadMetrics) -> Iterator[Moment]:
    failed = {one.second: one for one in failed_by_time(metrics)}
    for interval in metrics.timeline:
        requests, bad = interval.requests, failed.get(interval.second)
        good = requests - (bad.requests if bad else 0)
        good_us = interval.response_us - (bad.response_us if bad else 0)
        yield Moment(
            second=interval.second,
            length_s=interval.length,
            requests=requests,
            errors=interval.errors,
            users=interval.user_seconds / interval.length,
            mean=interval.response_us / requests / 1000 if requests else None,
            max=interval.longest_us / 1000 if requests else None,
            good_mean=good_us / good / 1000 if good > 0 and good_us > 0 else None,
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
    lateness = _Times()(metrics.lateness)
    return WorkerSummary(
        name=worker.name,
        state=worker.state,
        users=len(worker.share.users(users)) if worker.share else 0,
        requests=metrics.requests,
        errors=metrics.failed_requests,
        duration_s=elapsed / 1e6,
        cpu=metrics.cpu_us / elapsed if elapsed else 0.0,
        lag_p95=_Times()(metrics.lag).p95,
        lateness_p95=lateness.p95,
        lateness_p99=lateness.p99,
        text=worker.text,
    )
