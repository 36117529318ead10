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
    ErrorSummary,
    Numbers,
    PageSummary,
    Summary,
    TimeSummary,
    TransactionSummary,
    WorkerSummary,
)
from pytest_loadtool.load.verdict.threshold import amount
from pytest_loadtool.report.columns import cells, fit, table, wrap
from pytest_loadtool.report.load.chart import over_the_run
from pytest_loadtool.report.load.compared import compared
from pytest_loadtool.report.load.sparkline import BLOCKS
from pytest_loadtool.report.load.units import milliseconds, rate, size, status_counts

_WIDEST = 120
_MOST_EXAMPLE_LINES = 8
_MOST_OTHERWISE = 5
_INDENT = " " * 12


def load_text(summary: Summary, width: int = 80, glyphs: str = BLOCKS) -> list[str]:
    """The report as lines of at most ``width`` columns, where numbers allow.

    ``glyphs`` draw how numbers went over the run; see `sparkline`.
    """
    width = min(width, _WIDEST)
    blocks = (
        _heading(summary, width),
        _totals(summary, width),
        _thresholds(summary, width),
        over_the_run(summary, width, glyphs),
        _tree(summary, width),
        compared(summary.comparison, width),
        _errors(summary, width),
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
    for reason in summary.verdict.reasons:
        yield from wrap(printable(reason), width, "  * ", "    ")


def _totals(summary: Summary, width: int) -> Iterator[str]:
    for name, fact in (*facts(summary), *connection_facts(summary.connections)):
        yield from wrap(fact, width, f"{name:<16}", " " * 16)
    yield ""
    totals, connections = summary.totals, summary.connections
    always = [("response time", totals.response_time), ("service time", totals.service_time)]
    if_any = [
        ("first byte", totals.first_byte),
        ("connecting", connections.connect),
        ("TLS handshake", connections.tls),
        ("negotiation", connections.negotiation),
    ]
    shown = always + [(name, times) for name, times in if_any if times.mean is not None]
    yield from table(
        ("milliseconds", "average", "median", "p95", "p99", "max"),
        [(name, *_times(times)) for name, times in shown],
        width,
    )


def facts(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield what a run came to, each fact with its name; one without goes on with that before."""
    totals = summary.totals
    requests = plural(totals.requests, "request")
    throughput = f"{rate(totals.throughput_rps)} requests/s"
    yield "throughput", f"{throughput} ({requests} in {seconds(totals.duration_s)})"
    errors = f"{count(totals.errors)} of {requests}, {_allowed(summary)}"
    yield "error rate", f"{percent(totals.error_rate)} ({errors})"
    yield "status codes", _statuses(totals)
    if totals.otherwise:
        yield "not as recorded", f"{count(totals.otherwise)} of {requests}"
        for one in summary.otherwise[:_MOST_OTHERWISE]:
            yield "", f"{count(one.count)} x {printable(one.transaction)}: {printable(one.way)}"
    yield "received", f"{size(totals.bytes_received)}, sent {size(totals.bytes_sent)}"
    if summary.cut_requests or summary.cut_iterations:
        cut = plural(summary.cut_requests, "request")
        iterations = plural(summary.cut_iterations, "iteration")
        yield "cut at the end", f"{cut} and {iterations}, in no other number"
    if summary.dropped:
        arrivals = plural(summary.dropped, "arrival")
        yield "dropped", f"{arrivals} could not start: all users were busy"


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


def _allowed(summary: Summary) -> str:
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


def _times(times: TimeSummary) -> tuple[str, ...]:
    values = (times.mean, times.p50, times.p95, times.p99, times.max)
    return tuple(milliseconds(value) for value in values)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the tree. Empty text: there is no such number for what the line is about."""

    name: str
    count: str
    failed: str
    mean: str
    p50: str = ""
    p95: str = ""
    p99: str = ""
    max: str = ""
    per_second: str = ""


_COLUMNS: tuple[tuple[str, Callable[[_Row], str]], ...] = (
    ("times in milliseconds", lambda row: row.name),
    ("count", lambda row: row.count),
    ("failed", lambda row: row.failed),
    ("average", lambda row: row.mean),
    ("median", lambda row: row.p50),
    ("p95", lambda row: row.p95),
    ("max", lambda row: row.max),
)
_MORE_COLUMNS = (
    *_COLUMNS[:-1],
    ("p99", lambda row: row.p99),
    _COLUMNS[-1],
    ("per second", lambda row: row.per_second),
)
_ROOM_FOR_MORE = 100

_NO_DETAILS = 'percentiles of pages are off; "detailed_pages = true" turns them on'


def _tree(summary: Summary, width: int) -> Iterator[str]:
    rows = [row for case in summary.cases for row in _case_rows(case, summary.detailed_pages)]
    columns = _MORE_COLUMNS if width >= _ROOM_FOR_MORE else _COLUMNS
    yield from table(
        [heading for heading, _ in columns],
        [[value(row) for _, value in columns] for row in rows],
        width,
    )
    if not summary.detailed_pages:
        yield from wrap(_NO_DETAILS, width)


def _case_rows(case: CaseSummary, detailed: bool) -> Iterator[_Row]:
    mean, p50, p95, p99, most = _times(case.durations)
    yield _Row(
        printable(case.name), count(case.iterations), count(case.failed), mean, p50, p95, p99, most
    )
    for page in case.pages:
        yield _page_row(page, detailed)
        yield from (_transaction_row(transaction) for transaction in page.transactions)


def _page_row(page: PageSummary, detailed: bool) -> _Row:
    mean, p50, p95, p99, most = _times(page.durations)
    if not detailed:
        p50 = p95 = p99 = ""
    name = f"  {printable(page.name)}"
    return _Row(name, count(page.count), count(page.failed), mean, p50, p95, p99, most)


def _transaction_row(transaction: TransactionSummary) -> _Row:
    numbers = transaction.numbers
    mean, p50, p95, p99, most = _times(numbers.response_time)
    return _Row(
        f"    {printable(transaction.name)}",
        count(numbers.requests),
        count(numbers.errors),
        mean,
        p50,
        p95,
        p99,
        most,
        rate(numbers.throughput_rps),
    )


def _errors(summary: Summary, width: int) -> Iterator[str]:
    if not summary.errors:
        return
    yield "errors, each with its first example"
    for error in summary.errors:
        yield from _error(error, width)
    if summary.other_errors:
        yield f"{count(summary.other_errors):>8} x  of other kinds, too many to tell apart"


def _error(error: ErrorSummary, width: int) -> Iterator[str]:
    deeper = _INDENT + "  "
    yield from wrap(printable(error.message), width, f"{count(error.count):>8} x  ", _INDENT)
    place = f"{error.page} / {error.transaction}, first in second {error.first_s}"
    yield from wrap(printable(place), width, _INDENT, _INDENT)
    example = printable(error.example).strip().splitlines()
    for line in example[:_MOST_EXAMPLE_LINES]:
        yield from wrap(line, width, deeper, deeper)
    if len(example) > _MOST_EXAMPLE_LINES:
        yield f"{deeper}…"


def _workers(summary: Summary, width: int) -> Iterator[str]:
    if summary.workers:
        yield from table(
            ("worker", "users", "requests", "errors", "CPU", "lag p95", "late p95", ""),
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
