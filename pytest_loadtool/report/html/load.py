"""The page of load tests: what a browser gets of a run, and the page that shows it.

`run_data` is the contract with the page's script (static/load.js): builtin types, names as people
read them, times in milliseconds. A series or a column more there is a curve or a column more in the
page; what is not measured is left out, or None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.load.cluster.clocks import exactness
from pytest_loadtool.load.formatting import count, percent, plural, seconds
from pytest_loadtool.load.pacing.schedule import describe
from pytest_loadtool.load.progress import Progress
from pytest_loadtool.load.verdict.comparison import Comparison, MetricChange
from pytest_loadtool.load.verdict.saved import ALL
from pytest_loadtool.load.verdict.summary import (
    ErrorSummary,
    Moment,
    Summary,
    WorkerSummary,
)
from pytest_loadtool.load.verdict.threshold import amount
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.report.html.diagnosis import remedy_data
from pytest_loadtool.report.html.load_curves import (
    CHARTS,
    earlier_series,
    limits,
    marks,
    time_series,
    trend,
    trends,
)
from pytest_loadtool.report.html.load_tables import (
    BINS,
    COLUMNS,
    in_a_row,
    row,
    rows,
    statuses,
    whole,
)
from pytest_loadtool.report.html.page import page
from pytest_loadtool.report.load.custom import CUSTOM_HEADS, custom_rows
from pytest_loadtool.report.load.firsts import Told, how_many, opens, status_of
from pytest_loadtool.report.load.flows import (
    FLOW_HEADS,
    TRACE_HEADS,
    flow_rows,
    once_mark,
    trace_rows,
)
from pytest_loadtool.report.load.text import allowed, connection_facts, facts
from pytest_loadtool.report.load.units import milliseconds, rate

_MOST_REGRESSIONS = 50

Pairs = Iterable[tuple[str, str]]


def load_page(runs: Sequence[Mapping[str, Any]], *, refresh: int = 0) -> bytes:
    """Return the page of these runs: what `run_data` or `live_data` made of each. With ``refresh``
    a browser loads it anew after so many seconds."""
    title = ", ".join(f"{run['name']}: {run['verdict']}" for run in runs) or "no load test was run"
    heads = {
        "custom_heads": CUSTOM_HEADS,
        "flow_heads": FLOW_HEADS,
        "trace_heads": TRACE_HEADS,
    }
    shown = {"title": title, "runs": runs, **heads}
    data = {"charts": CHARTS, "columns": COLUMNS, "bins": BINS, "runs": [*map(_embedded, runs)]}
    return page(
        "load.html",
        shown,
        data=data,
        scripts=("vendor/uPlot.iife.min.js", "static/common.js", "static/load.js"),
        styles=("vendor/uPlot.min.css", "static/load.css"),
        refresh=refresh,
    )


def _embedded(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script needs of it; the rest is in the page as text."""
    return {
        name: run[name]
        for name in (
            *("name", "started", "time", "trends", "limits", "marks"),
            *("rows", "whole", "before", "trend"),
        )
    }


def run_data(summary: Summary, environment: Pairs = (), told: Told | None = None) -> dict[str, Any]:
    """Return what the page shows of a run that is over."""
    plan, comparison = summary.configuration, summary.comparison
    return {
        "name": summary.name,
        "verdict": summary.verdict.outcome,
        "reasons": list(summary.verdict.reasons),
        "load": describe(plan),
        "started": summary.started,
        "fix": _fix_first(summary, told) if told is not None else None,
        "figures": [*_figures(summary)],
        "facts": [*_facts(summary)],
        "whole": whole(summary),
        "times": [*_times_of(summary)],
        "metrics": [*custom_rows(summary.custom)],
        "thresholds": [
            [one.threshold.text, amount(one.measured, one.threshold.unit), one.passed]
            for one in summary.thresholds
        ],
        "time": time_series(summary.timeline),
        "trends": trends(summary.timeline),
        "limits": [*limits(plan)],
        "marks": [*marks(plan)],
        "rows": [*rows(summary)],
        "flows": [*flow_rows(flow for case in summary.cases for flow in case.flows)],
        "traces": [*trace_rows(summary)],
        "before": earlier_series(comparison) if comparison is not None else None,
        "trend": trend(summary),
        "comparison": _compared(comparison) if comparison is not None else None,
        "errors": [_error(one) for one in summary.errors],
        "other_errors": summary.other_errors,
        "workers": [_worker(one) for one in summary.workers],
        "start": exactness(summary.workers),
        "configuration": [*_configuration(plan)],
        "environment": [*environment],
    }


def live_data(
    seen: Progress,
    moments: Sequence[Moment],
    plan: LoadConfiguration,
    started: str,
    elapsed: float,
    environment: Pairs = (),
) -> dict[str, Any]:
    """Return what the page shows of a run under way, ``elapsed`` seconds after its start, and of
    its ``moments`` so far."""
    length = f" of {seconds(plan.end)}" if plan.end is not None else ""
    facts = [
        ("So far", seconds(round(elapsed)) + length),
        ("Users", count(seen.users)),
        ("Requests", f"{count(seen.requests)}, {count(seen.requests_per_second)}/s now"),
        ("Errors", f"{count(seen.errors)}, {count(seen.errors_per_second)}/s now"),
        ("Status codes", statuses(sorted(seen.statuses.items())) or "none yet"),
    ]
    return {
        "name": plan.name,
        "verdict": "running",
        "reasons": [],
        "load": describe(plan),
        "started": started,
        "fix": None,
        "figures": [],
        "facts": facts,
        "whole": None,
        "times": [],
        "metrics": [*custom_rows(seen.custom)],
        "thresholds": [
            [one.threshold.text, amount(one.value, one.threshold.unit), one.broken is None]
            for one in seen.thresholds
        ],
        "time": time_series(moments) if moments else {"x": [], "groups": {}},
        "trends": trends(moments),
        "limits": [*limits(plan)],
        "marks": [*marks(plan)],
        "rows": [
            row("transaction", "", one.page, one.name, once_mark(one.once))
            | {
                "count": one.requests,
                "failed": one.errors,
                "p50": one.median / 1000,
                "p95": one.p95 / 1000,
            }
            for one in seen.rows
        ],
        "flows": [*flow_rows(seen.flows)],
        "traces": [],
        "before": None,
        "trend": None,
        "comparison": None,
        "errors": [],
        "other_errors": 0,
        "workers": [],
        "start": "",
        "configuration": [*_configuration(plan)],
        "environment": [*environment],
    }


# What is told in words.


def _fix_first(summary: Summary, told: Told) -> dict[str, Any] | None:
    """Return what made most iterations fail, and what mends it, as the text report has it first."""
    findings = told.diagnosis.findings
    if not findings:
        return None
    first, *others = findings
    most = max(first.groups, key=lambda one: one.iterations, default=None)
    place = f"{first.path}:{first.line}" if first.line else first.path
    sample = next((found for one in first.groups if (found := opens(one, told))), "")
    remedies = [remedy_data(one, first.path) for one in first.cause.remedies]
    if sample:
        remedies.append(
            {"text": "look into a sample", "place": "", "line": "", "commands": [sample]}
        )
    return {
        "of": how_many(first, summary),
        "mend": {
            "page": printable(most.page) if most else summary.name,
            "title": printable(most.transaction) if most else "",
            "result": status_of(most) if most else "",
            "place": place,
        },
        "cause": printable(first.cause.text),
        "because": [*map(printable, first.cause.evidence)],
        "confirm": printable(first.cause.confirm),
        "remedies": remedies,
        **dict.fromkeys(("broke", "possible", "ruled_out", "steps", "later")),
        "otherwise": "Also",
        "others": [printable(f"{how_many(one, summary)}: {one.cause.text}") for one in others],
    }


def _figures(summary: Summary) -> Iterator[tuple[str, str, str]]:
    """Yield what one looks at first: a name, the number, and its unit or what it is of."""
    totals, times = summary.totals, summary.totals.response_time
    yield "Requests", count(totals.requests), f"in {seconds(round(totals.duration_s, 1))}"
    yield "Throughput", rate(totals.throughput_rps), "requests/s"
    errors = f"{count(totals.errors)} failed, {allowed(summary)}"
    yield "Error rate", percent(totals.error_rate), errors
    for name, value in (("Median", times.p50), ("95th percentile", times.p95)):
        yield name, milliseconds(value), "ms response time"
    most = max((one.users for one in summary.timeline), default=0)
    yield "Users at work", count(round(most)), "at most"


def _facts(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield the facts of the text report but for figures; one that needs two lines there is one
    here."""
    told: list[list[str]] = []
    for name, fact in (*facts(summary), *connection_facts(summary.connections)):
        if name in ("throughput", "error rate"):
            continue
        if name:
            told.append([name, fact])
        else:
            told[-1][1] += f"; {fact}"
    yield from ((name.capitalize(), in_a_row(fact)) for name, fact in told)


def _times_of(summary: Summary) -> Iterator[list[str]]:
    totals, connections = summary.totals, summary.connections
    for name, times in (
        ("Response time", totals.response_time),
        ("Service time", totals.service_time),
        ("First byte", totals.first_byte),
        ("Connecting", connections.connect),
        ("TLS handshake", connections.tls),
        ("Negotiation", connections.negotiation),
        ("Hooks", summary.hooks.took),
    ):
        if times.mean is not None:
            values = (times.mean, times.p50, times.p95, times.p99, times.max)
            yield [name, *map(milliseconds, values)]


def _configuration(plan: LoadConfiguration) -> Iterator[tuple[str, str]]:
    yield "Load", describe(plan)
    yield "Test cases", ", ".join(f"{one.file} × {one.weight}" for one in plan.cases)
    yield "Errors allowed", percent(plan.max_error_rate)
    yield "After an error", plan.on_error
    yield "Connections", "kept" if plan.keep_connections else "new for each iteration"
    yield "Cookies and variables", "kept" if plan.keep_state else "new for each iteration"
    yield "Time-out", seconds(plan.timeout)


def _error(one: ErrorSummary) -> dict[str, Any]:
    return {
        "count": one.count,
        "where": f"{one.page} › {one.transaction}",
        "case": one.case,
        "cause": one.cause,
        "message": one.message,
        "first": one.first_s,
        "example": one.example,
    }


def _worker(one: WorkerSummary) -> list[str]:
    return [
        one.name,
        one.state,
        count(one.users),
        count(one.requests),
        count(one.errors),
        f"{one.cpu:.2f}",
        milliseconds(one.lag_p95),
        milliseconds(one.lateness_p95),
        milliseconds(one.lateness_p99),
        one.text,
    ]


# The comparison.


def _compared(comparison: Comparison) -> dict[str, Any]:
    """Return totals in both runs, and what became worse, for sure or maybe."""
    worse = (*comparison.regressions, *comparison.doubts)
    totals = [one for one in comparison.changes if one.key == ALL]
    others = [one for one in worse if one.key != ALL]
    more = len(others) - _MOST_REGRESSIONS
    return {
        "with": f"the run of {comparison.before.started}"
        if len(comparison.earlier) == 1
        else f"{len(comparison.earlier)} runs, the last of {comparison.before.started}",
        "outcome": comparison.before.outcome,
        "loads": comparison.loads(),
        "tolerance": percent(comparison.tolerance),
        "changes": [_change(one) for one in (*totals, *others[:_MOST_REGRESSIONS])],
        "more": f"and {plural(more, 'more regression')}" if more > 0 else "",
        "new": [" › ".join(filter(None, key[1:])) for key in comparison.new],
        "gone": [" › ".join(filter(None, key[1:])) for key in comparison.gone],
    }


def _change(one: MetricChange) -> list[Any]:
    before, after = (
        f"{milliseconds(value)} {one.figure.unit}" if one.figure.unit else percent(value)
        for value in (one.before, one.after)
    )
    where = " › ".join(filter(None, one.key[1:])) or "all requests"
    return [where, one.figure.name, before, after, one.by(), _judged(one)]


def _judged(one: MetricChange) -> str:
    return "worse" if one.is_regression else "in doubt" if one.is_in_doubt else ""
