"""The results of a load test as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.load.formatting import count, percent, plural, seconds
from pytest_loadtool.load.pacing.schedule import describe
from pytest_loadtool.load.verdict.summary import (
    CaseSummary,
    ConnectionSummary,
    Numbers,
    PageSummary,
    Summary,
    TimeSummary,
    WorkerSummary,
    percentile_name,
)
from pytest_loadtool.load.verdict.threshold import amount
from pytest_loadtool.model.load import PERCENTILES
from pytest_loadtool.report.columns import cells, fit, table, wrap
from pytest_loadtool.report.load.chart import BLOCKS, over_the_run
from pytest_loadtool.report.load.compared import compared
from pytest_loadtool.report.load.custom import custom_lines
from pytest_loadtool.report.load.firsts import Told, first_failures, fix_first
from pytest_loadtool.report.load.flows import (
    FLOW_HEADS,
    TRACE_HEADS,
    flow_rows,
    marked,
    trace_rows,
)
from pytest_loadtool.report.load.units import milliseconds, rate, size, status_counts

_WIDEST = 120
_MOST_NOT_AS_RECORDED = 5
#: The percentiles of tables, unless others are asked for.
_SHOWN = (50.0, 95.0, 99.0)
#: How many reasons the heading has: the failure has all of them.
_MOST_REASONS = 5


def load_text(
    summary: Summary,
    width: int = 80,
    glyphs: str = BLOCKS,
    *,
    told: Told | None = None,
    top: int | None = None,
) -> list[str]:
    """Return the report as lines of at most ``width`` columns, where numbers and commands allow.

    ``glyphs`` draw how numbers went over the run; see `sparkline`. ``told`` says why iterations
    failed. Of transactions the ``top`` ones are shown, by the time they took in sum; None: all.
    """
    width = min(width, _WIDEST)
    blocks = (
        _heading(summary, width),
        fix_first(summary, told) if told is not None else (),
        _totals(summary, width),
        _thresholds(summary, width),
        over_the_run(summary, width, glyphs),
        first_failures(summary, told, width, glyphs),
        _tree(summary, width, top),
        _flows(summary, width),
        _traces(summary, width),
        compared(summary.comparison, width),
        custom_lines(summary, _percentiles(summary), width),
        _workers(summary, width),
    )
    lines: list[str] = []
    for block in blocks:
        part = list(block)
        lines += ["", *part] if lines and part else part
    return lines


def _heading(summary: Summary, width: int) -> Iterator[str]:
    outcome = summary.verdict.outcome.upper()
    name = fit(printable(summary.name), width - len(outcome) - 2)
    yield name + " " * (width - cells(name) - len(outcome)) + outcome
    workers = f" on {plural(len(summary.workers), 'worker')}" if summary.workers else ""
    yield from wrap(
        f"{describe(summary.configuration)}{workers}, started {summary.started}",
        width,
    )
    if summary.configuration.overrides:
        said = ", ".join(one.said for one in summary.configuration.overrides)
        yield from wrap(printable(f"in place of what the file says: {said}"), width)
    reasons = summary.verdict.reasons
    for reason in reasons[:_MOST_REASONS]:
        yield from wrap(printable(reason), width, "  * ", "    ")
    if len(reasons) > _MOST_REASONS:
        yield f"  * and {plural(len(reasons) - _MOST_REASONS, 'more reason')}: --load-json has all"


def _totals(summary: Summary, width: int) -> Iterator[str]:
    for name, fact in (*facts(summary), *connection_facts(summary.connections)):
        yield from wrap(fact, width, f"{name:<16}", " " * 16)
    yield ""
    totals, connections = summary.totals, summary.connections
    always = [("response time", totals.response_time)]
    if totals.errors:
        always += [("  good answers", totals.good_time), ("  failed", totals.failed_time)]
    always += [("service time", totals.service_time)]
    if_any = [
        ("first byte", totals.first_byte),
        ("connecting", connections.connect),
        ("TLS handshake", connections.tls),
        ("negotiation", connections.negotiation),
        ("hooks", summary.hooks.took),
    ]
    wanted = _percentiles(summary)
    shown = always + [(name, times) for name, times in if_any if times.mean is not None]
    yield from table(
        ("milliseconds", "average", *(called for _, called in wanted), "max"),
        [
            (
                title,
                milliseconds(one.mean),
                *(milliseconds(dict(one.asked).get(name)) for name, _ in wanted),
                milliseconds(one.max),
            )
            for title, one in shown
        ],
        width,
    )


def facts(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield what a run came to, each fact with its name; one without goes on with that before."""
    totals = summary.totals
    requests = plural(totals.requests, "request")
    throughput = f"{rate(totals.throughput_rps)} requests/s"
    yield "throughput", f"{throughput} ({requests} in {seconds(totals.duration_s)})"
    errors = f"{count(totals.errors)} of {requests}, {allowed(summary)}"
    yield "error rate", f"{percent(totals.error_rate)} ({errors})"
    yield "status codes", _statuses(totals)
    if totals.not_as_recorded:
        yield "not as recorded", f"{count(totals.not_as_recorded)} of {requests}"
        for one in summary.not_as_recorded[:_MOST_NOT_AS_RECORDED]:
            yield (
                "",
                f"{count(one.count)} x {printable(one.transaction)}: {printable(one.difference)}",
            )
    yield "received", f"{size(totals.bytes_received)}, sent {size(totals.bytes_sent)}"
    yield "iterations", _iterations(summary)
    if summary.cut_requests or summary.cut_iterations:
        cut = plural(summary.cut_requests, "request")
        iterations = plural(summary.cut_iterations, "iteration")
        yield "cut at the end", f"{cut} and {iterations}, in no other number of requests"
    if summary.dropped:
        arrivals = plural(summary.dropped, "arrival")
        yield "dropped", f"{arrivals} could not start: all users were busy"


def _iterations(summary: Summary) -> str:
    """Return how many were started, finished, failed and cut, and for how long their users
    waited."""
    cases = summary.cases
    finished, cut = sum(one.iterations for one in cases), summary.cut_iterations
    failed = sum(one.failed for one in cases)
    total = sum((one.durations.mean or 0.0) * one.iterations for one in cases)
    thinking = sum(one.think * (one.durations.mean or 0.0) * one.iterations for one in cases)
    text = f"{count(finished + cut)} started, {count(finished)} finished, {count(failed)} failed"
    text += f", {count(cut)} cut" if cut else ""
    return text + (
        f"; users thought for {percent(round(thinking / total, 2))} of the time" if thinking else ""
    )


def connection_facts(connections: ConnectionSummary) -> Iterator[tuple[str, str]]:
    """Yield what became of connections, as far as there is something to tell."""
    if connections.opened:
        yield "connections", f"{count(connections.opened)} opened{_retried(connections)}"
    if connections.backed_off_s:
        waited = f"{connections.backed_off_s:,.1f} s"
        yield "backed off", f"users waited {waited} in sum after iterations without any response"
    if connections.negotiated:
        challenged = plural(connections.negotiated, "request")
        yield "authentication", f"{challenged} to negotiate it, in no other number"
    if connections.renewals:
        yield "renewals", f"{count(connections.renewals)} of these to refresh a token"


def allowed(summary: Summary) -> str:
    """Return how many errors there may be."""
    if any(one.replaces_error_rate for one in summary.configuration.thresholds):
        return "see its threshold"
    return f"{percent(summary.configuration.max_error_rate)} allowed"


def _thresholds(summary: Summary, width: int) -> Iterator[str]:
    if summary.thresholds:
        yield from table(
            ("threshold", "measured", ""),
            [
                (
                    printable(one.threshold.text),
                    amount(one.measured, one.threshold.unit),
                    "passed" if one.passed else "failed",
                )
                for one in summary.thresholds
            ],
            width,
        )


def _retried(connections: ConnectionSummary) -> str:
    if not connections.retried:
        return ""
    requests = plural(connections.retried, "request")
    return f", {requests} sent again because an idle one had been closed"


def _statuses(numbers: Numbers) -> str:
    return status_counts(numbers.status)


def _percentiles(summary: Summary) -> list[tuple[str, str]]:
    """Return those that tables have: the name of each, and how it is called. There is no room for
    all of the usual ones, so only others than these are taken as asked for."""
    asked = summary.configuration.percentiles
    wanted = _SHOWN if asked == PERCENTILES else asked
    return [(percentile_name(p), "median" if p == 50 else percentile_name(p)) for p in wanted]


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the tree."""

    name: str
    count: int
    failed: int
    times: TimeSummary
    per_second: str = ""
    """Empty: there is no such number for what the line is about."""


_Column = tuple[str, Callable[[_Row], str]]
_FIRST: tuple[_Column, ...] = (
    ("", lambda row: row.name),
    ("count", lambda row: count(row.count)),
    ("failed", lambda row: count(row.failed)),
)
_MEAN: _Column = ("average", lambda row: milliseconds(row.times.mean))
_GREATEST: _Column = ("max", lambda row: milliseconds(row.times.max))
_RATE: _Column = ("per second", lambda row: row.per_second)
_ROOM_FOR_MORE = 100

_NO_DETAILS = 'percentiles of pages (–) are off; "detailed_pages = true" turns them on'


def _percentile_column(name: str, called: str) -> _Column:
    return called, lambda row: milliseconds(dict(row.times.asked).get(name))


def _columns(summary: Summary, width: int) -> tuple[_Column, ...]:
    """Return those that there is room for. Without percentiles pages have little but their
    average."""
    wanted = [_percentile_column(*one) for one in _percentiles(summary)]
    if width >= _ROOM_FOR_MORE:
        return (*_FIRST, _MEAN, *wanted, _GREATEST, _RATE)
    if summary.detailed_pages:
        return (*_FIRST, *wanted, _GREATEST)
    return (*_FIRST, _MEAN, *(one for one in wanted if one[0] != "median"), _GREATEST)


def _tree(summary: Summary, width: int, top: int | None) -> Iterator[str]:
    shown = _slowest(summary, top)
    rows = [row for case in summary.cases for row in _case_rows(case, shown)]
    columns = _columns(summary, width)
    of_what = "good answers, ms" if summary.totals.errors else "times in milliseconds"
    yield from table(
        [heading or of_what for heading, _ in columns],
        [[value(row) for _, value in columns] for row in rows],
        width,
    )
    if summary.totals.errors:
        yield from wrap("iterations and pages: all, with those that failed", width)
    if not summary.detailed_pages:
        yield from wrap(_NO_DETAILS, width)
    every = sum(len(page.transactions) for case in summary.cases for page in case.pages)
    if shown is not None and len(shown) < every:
        number = count(len(shown))
        yield f"of {plural(every, 'transaction')} the {number} that took most time in sum"


def _slowest(summary: Summary, top: int | None) -> frozenset[int] | None:
    """Return the ids of the transactions to show; None: all, with static files of a page as one."""
    if top is None:
        return None
    every = [one for case in summary.cases for page in case.pages for one in page.transactions]
    every.sort(key=lambda one: -(one.numbers.response_time.mean or 0.0) * one.numbers.requests)
    return frozenset(id(one) for one in every[:top])


def _case_rows(case: CaseSummary, shown: frozenset[int] | None) -> Iterator[_Row]:
    yield _Row(printable(case.name), case.iterations, case.failed, case.durations)
    for page in case.pages:
        rows = list(_transaction_rows(page, shown))
        if rows or shown is None:
            yield _page_row(page)
            yield from rows


def _page_row(page: PageSummary) -> _Row:
    name = f"  {marked(printable(page.name), page.once)}"
    return _Row(name, page.count, page.failed, page.durations)


def _transaction_rows(page: PageSummary, shown: frozenset[int] | None) -> Iterator[_Row]:
    """Yield its transactions; static files are one row, unless the slowest are asked for, or
    fail."""
    folded = page.static if shown is None else None
    together = False
    for one in page.transactions:
        if shown is not None and id(one) not in shown:
            continue
        if folded is None or not one.static or one.numbers.errors:
            yield _transaction_row(f"    {printable(one.name)}", one.numbers)
        elif not together:
            together = True
            files = sum(1 for other in page.transactions if other.static)
            yield _transaction_row(f"    {count(files)} static files", folded)


def _transaction_row(name: str, numbers: Numbers) -> _Row:
    per_second = rate(numbers.throughput_rps)
    return _Row(name, numbers.requests, numbers.errors, numbers.good_time, per_second)


def _flows(summary: Summary, width: int) -> Iterator[str]:
    rows = [*flow_rows(flow for case in summary.cases for flow in case.flows)]
    if rows:
        yield from table(FLOW_HEADS, rows, width)


def _traces(summary: Summary, width: int) -> Iterator[str]:
    rows = [*trace_rows(summary)]
    if rows:
        yield from table(TRACE_HEADS, rows, width)


def _workers(summary: Summary, width: int) -> Iterator[str]:
    if summary.workers:
        yield from table(
            ("worker", "users", "requests", "errors", "CPU", "lag p95 ms", "late p95 ms", ""),
            [_worker_row(worker) for worker in summary.workers],
            width,
        )


def _worker_row(worker: WorkerSummary) -> tuple[str, ...]:
    return (
        worker.name,
        count(worker.users),
        count(worker.requests),
        count(worker.errors),
        f"{worker.cpu:.0%}",
        milliseconds(worker.lag_p95),
        milliseconds(worker.lateness_p95),
        "" if worker.state == "final" else worker.state,
    )
