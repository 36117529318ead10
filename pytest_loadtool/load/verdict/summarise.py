"""From the metrics of a run to its `Summary`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from pytest_loadtool.load.cluster.merger import WorkerResult, WorkerTotals
from pytest_loadtool.load.metrics.course import RunCourse, Stretch
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.keys import PageKey
from pytest_loadtool.load.metrics.measures import Spans, TransactionMetrics
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.load.pacing.schedule import describe
from pytest_loadtool.load.verdict.comparison import TOLERANCE, compare, with_regressions
from pytest_loadtool.load.verdict.custom import custom_moments, custom_of
from pytest_loadtool.load.verdict.failing import failing_of
from pytest_loadtool.load.verdict.flows import flows_of
from pytest_loadtool.load.verdict.saved import SavedRun
from pytest_loadtool.load.verdict.summary import (
    CaseSummary,
    ConnectionSummary,
    ErrorSummary,
    HookSummary,
    Moment,
    NotAsRecordedSummary,
    Numbers,
    PageSummary,
    Summary,
    TransactionSummary,
    WorkerSummary,
)
from pytest_loadtool.load.verdict.threshold import ThresholdResult
from pytest_loadtool.load.verdict.times import moment_times, times_of
from pytest_loadtool.load.verdict.verdict import Verdict
from pytest_loadtool.model.load import LoadConfiguration


def summarise(
    metrics: LoadMetrics,
    configuration: LoadConfiguration,
    workers: Sequence[WorkerResult],
    verdict: Verdict,
    *,
    started: datetime,
    course: RunCourse | None = None,
    thresholds: Sequence[ThresholdResult] = (),
    baseline: Sequence[SavedRun] = (),
    tolerance: float = TOLERANCE,
) -> Summary:
    """Return the results of a run that began at ``started``, compared with the earlier runs
    ``baseline``, if there are any. ``course`` says what was measured when.

    A run that passed has failed if it is worse than the baseline by more than ``tolerance``.
    """
    seconds = metrics.elapsed_us / 1e6
    moment = started.isoformat(timespec="seconds")
    load = describe(configuration)
    course = course or RunCourse()
    stretches = _stretches(metrics, course)
    saved = SavedRun.of(configuration.name, load, moment, verdict.outcome, metrics, stretches)
    comparison = compare(baseline, saved, tolerance) if baseline else None
    if comparison is not None:
        verdict = with_regressions(verdict, comparison)
        saved = replace(saved, outcome=verdict.outcome)
    names = metrics.transaction_names()
    asked = configuration.percentiles
    return Summary(
        name=configuration.name,
        started=moment,
        verdict=verdict,
        configuration=configuration,
        totals=_numbers(metrics.total(), seconds, _failed(metrics, metrics.firsts.times), asked),
        cut_requests=metrics.cut,
        cut_iterations=metrics.cut_iterations,
        dropped=metrics.dropped,
        connections=_connections(metrics, asked),
        hooks=HookSummary(metrics.hooks.count, times_of(metrics.hooks, asked)),
        custom=tuple(custom_of(metrics.custom, asked)),
        other_custom=metrics.custom.others,
        detailed_pages=configuration.detailed_pages,
        saved=saved,
        comparison=comparison,
        thresholds=tuple(thresholds),
        cases=_cases(metrics, names, configuration),
        failing=failing_of(metrics, names, stretches),
        errors=_errors(metrics, names),
        other_errors=metrics.errors.others,
        not_as_recorded=_not_as_recorded(metrics, names),
        workers=tuple(_worker(worker, configuration) for worker in workers),
        timeline=tuple(_moments(stretches, metrics, asked)),
        course=course,
    )


def _failed(metrics: LoadMetrics, indices: Iterable[int]) -> Histogram:
    """Return the response times of requests that failed."""
    failed = Histogram()
    for index in indices:
        if index in metrics.firsts.times:
            failed.merge(metrics.firsts.times[index].response)
    return failed


def _numbers(
    measured: TransactionMetrics, seconds: float, failed: Histogram, asked: Sequence[float]
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
        service_time=times_of(measured.service, asked),
        response_time=times_of(measured.response, asked),
        first_byte=times_of(measured.first_byte, asked),
        good_time=times_of(measured.response.since(failed), asked),
        failed_time=times_of(failed, asked),
        status=tuple(sorted(measured.statuses.items())),
        not_as_recorded=measured.not_as_recorded,
    )


#: What the path of a static file ends with.
_STATIC = re.compile(
    r"\.(?:css|js|mjs|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|otf|eot)"
    r"(?:\?\S*)?(?: \(\d+\))?$",
    re.IGNORECASE,
)


def _cases(
    metrics: LoadMetrics, names: Sequence[str], configuration: LoadConfiguration
) -> tuple[CaseSummary, ...]:
    members: dict[PageKey, list[int]] = {key: [] for key in metrics.page_keys}
    for index, key in enumerate(metrics.transaction_keys):
        members[PageKey(key.case, key.page)].append(index)
    pages: dict[str, list[PageSummary]] = {name: [] for name in metrics.case_keys}
    busy: dict[str, int] = dict.fromkeys(metrics.case_keys, 0)
    flows = [*flows_of([metrics])]
    page_names = metrics.page_names()
    for page_key, name, spans in zip(metrics.page_keys, page_names, metrics.pages, strict=True):
        page = replace(_page(name, spans, configuration), once=page_key.once)
        indices = members.pop(page_key, [])
        pages[page_key.case].append(
            _with_transactions(page, metrics, names, indices, configuration.percentiles)
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
            durations=times_of(spans.durations, configuration.percentiles),
            pages=tuple(pages.pop(name, ())),
            flows=tuple(one for one in flows if one.case == name),
        )
        for name, spans in zip(metrics.case_keys, metrics.cases, strict=True)
    )


def _with_transactions(
    page: PageSummary,
    metrics: LoadMetrics,
    names: Sequence[str],
    indices: Sequence[int],
    asked: Sequence[float],
) -> PageSummary:
    """Return the page with its transactions, and its static files together."""
    seconds = metrics.elapsed_us / 1e6
    static = [index for index in indices if _STATIC.search(names[index])]
    transactions = (
        TransactionSummary(
            names[index],
            _numbers(metrics.transactions[index], seconds, _failed(metrics, [index]), asked),
            index in static,
            metrics.traces.trace(index),
        )
        for index in indices
    )
    together = None
    if len(static) > 1:
        together = _numbers(metrics.total(static), seconds, _failed(metrics, static), asked)
    return replace(page, transactions=tuple(transactions), static=together)


def _page(name: str, spans: Spans, configuration: LoadConfiguration) -> PageSummary:
    durations = spans.durations
    times = times_of(durations, configuration.percentiles)
    if not configuration.detailed_pages:  # a threshold may have them recorded
        times = replace(times, p50=None, p95=None, p99=None, asked=())
    return PageSummary(
        name=name,
        count=durations.count,
        failed=spans.failed,
        durations=times,
        min=durations.min / 1000 if durations.count else None,
        transactions=(),
    )


def _connections(metrics: LoadMetrics, asked: Sequence[float]) -> ConnectionSummary:
    return ConnectionSummary(
        opened=metrics.connect.count,
        retried=metrics.retried,
        backed_off_s=metrics.backed_off_us / 1e6,
        negotiated=metrics.negotiation.count,
        renewals=metrics.renewals,
        connect=times_of(metrics.connect, asked),
        tls=times_of(metrics.tls, asked),
        negotiation=times_of(metrics.negotiation, asked),
    )


def _stretches(metrics: LoadMetrics, course: RunCourse) -> list[Stretch]:
    """Return the run in equal parts in which failed requests are known too, those in which there
    was anything."""
    every = course.stretches(metrics.firsts.course.length)
    return [one for one in every if one.requests or one.user_seconds]


def _moments(
    stretches: Sequence[Stretch], metrics: LoadMetrics, asked: Sequence[float]
) -> Iterator[Moment]:
    length = next((one.length for one in stretches), 1)
    failed = {one.second: one for one in metrics.firsts.course.of_length(length)}
    for stretch in stretches:
        bad = failed.get(stretch.second)
        well = stretch.requests - (bad.requests if bad else 0)
        well_us = stretch.response.total - (bad.response_us if bad else 0)
        good_mean = well_us / well / 1000 if well > 0 and well_us > 0 else None
        yield replace(_moment(stretch, asked), good_mean=good_mean)


class MomentsSoFar:
    """The moments of a run under way, each of which is made once, and those at its end anew: to be
    looked at every few seconds, however long the run."""

    def __init__(self, asked: Sequence[float]) -> None:
        self._asked = asked
        self._made: list[Moment] = []

    def update(self, course: RunCourse) -> list[Moment]:
        """Return the moments of ``course``, which goes on to grow, but the last, which is not over;
        `MOST_SO_FAR` at most."""
        length = self._made[0].length_s if self._made else 1
        while course.second >= MOST_SO_FAR * length:
            length *= 2
        over = [one for one in self._made[:-_OPEN] if one.length_s == length]
        since = over[-1].second + length if over else 0
        new = list(course.stretches(length, since))
        if over and new and new[0].length != length:  # they became longer meanwhile
            over, new = [], list(course.stretches(length))
        self._made = [*over, *(_moment(one, self._asked) for one in new)]
        return self._made[:-1]


#: Moments of a run under way that are shown at most, and that may still change.
MOST_SO_FAR, _OPEN = 300, 3


def _moment(stretch: Stretch, asked: Sequence[float]) -> Moment:
    """Return what the course knows of it."""
    return Moment(
        second=stretch.second,
        length_s=stretch.length,
        requests=stretch.requests,
        errors=stretch.errors,
        users=stretch.users,
        response=moment_times(stretch.response, asked, stretch.longest_us),
        service=moment_times(stretch.service, asked),
        causes=tuple(sorted(stretch.causes.items())),
        bytes_received=stretch.received,
        bytes_sent=stretch.sent,
        opened=stretch.opened,
        lateness=moment_times(stretch.lateness, asked),
        cpu=stretch.cpu_us / stretch.length / 1e6,
        custom=tuple(custom_moments(stretch.custom, asked)),
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


def _not_as_recorded(
    metrics: LoadMetrics, names: Sequence[str]
) -> tuple[NotAsRecordedSummary, ...]:
    found = [
        NotAsRecordedSummary(key.case, key.page, name, difference, count)
        for key, name, one in zip(
            metrics.transaction_keys, names, metrics.transactions, strict=True
        )
        for difference, count in one.differences.items()
    ]
    return tuple(sorted(found, key=lambda one: -one.count))


def _worker(worker: WorkerResult, load: LoadConfiguration) -> WorkerSummary:
    totals = worker.totals or WorkerTotals()
    elapsed = totals.elapsed_us
    lateness = times_of(totals.lateness)
    return WorkerSummary(
        name=worker.name,
        state=worker.state,
        users=worker.share.users_of(load) if worker.share else 0,
        requests=totals.requests,
        errors=totals.errors,
        duration_s=elapsed / 1e6,
        cpu=totals.cpu_us / elapsed if elapsed else 0.0,
        lag_p95=times_of(totals.lag).p95,
        lateness_p95=lateness.p95,
        lateness_p99=lateness.p99,
        text=worker.text,
        start_late_s=totals.start_late_us / 1e6,
    )
