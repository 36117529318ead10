"""The page of load tests: what a browser gets of a run, and the page that shows it.

`run_data` is the contract with the page's script (static/load.js): builtin types, names as people
read them, times in milliseconds. A series or a column more there is a curve or a column more in the
page; what is not measured is left out, or None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import isfinite, log10
from typing import Any

from pytest_loadtool.load.formatting import count, percent, plural, seconds
from pytest_loadtool.load.metrics.course import TransactionStretch
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.timeline import Interval
from pytest_loadtool.load.pacing.schedule import describe, stages_of
from pytest_loadtool.load.progress import Progress
from pytest_loadtool.load.verdict.comparison import Comparison, MetricChange
from pytest_loadtool.load.verdict.saved import ALL, Key, SavedRequests
from pytest_loadtool.load.verdict.summary import (
    ErrorSummary,
    Moment,
    MomentTimes,
    Numbers,
    Summary,
    TimeSummary,
    WorkerSummary,
    percentile_name,
)
from pytest_loadtool.load.verdict.threshold import amount
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.report.html.page import page
from pytest_loadtool.report.load.text import connection_facts, facts
from pytest_loadtool.report.load.units import milliseconds, status_counts

#: What is plotted, in the order of the page: the group of series, its title, unit, and how it is
#: drawn: curves over each other ("band"), a filled one ("area"), or as they are ("line").
CHARTS: tuple[tuple[str, str, str, str], ...] = (
    ("response_time", "Response time", "ms", "band"),
    ("service_time", "Service time", "ms", "band"),
    ("requests", "Requests", "per second", "area"),
    ("errors", "Errors", "per second", "area"),
    ("error_rate", "Error rate", "%", "area"),
    ("users", "Users at work", "", "area"),
    ("bytes", "Bytes", "per second", "line"),
    ("connections", "Connections opened", "per second", "line"),
    ("lateness", "The generator's own lateness", "ms", "band"),
    ("cpu", "The generator's processor time", "cores", "line"),
)

#: The columns of the tables: their key, title, and whether they are counts, times or rates.
COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("count", "count", "count"),
    ("failed", "failed", "count"),
    ("mean", "average", "ms"),
    ("p50", "median", "ms"),
    ("p95", "p95", "ms"),
    ("p99", "p99", "ms"),
    ("max", "max", "ms"),
    ("rate", "per second", "rate"),
    ("before", "p95 before", "ms"),
)

#: The course of a transaction has so many points at most.
MOST_POINTS = 48
#: Bars for each factor of ten in a histogram.
BINS = 20
_MOST_REGRESSIONS = 50

Pairs = Iterable[tuple[str, str]]


def load_page(runs: Sequence[Mapping[str, Any]], *, refresh: int = 0) -> bytes:
    """Return the page of these runs: what `run_data` or `live_data` made of each. With ``refresh``
    a browser loads it anew after so many seconds."""
    title = ", ".join(f"{run['name']}: {run['verdict']}" for run in runs) or "no load test was run"
    shown = {"title": title, "runs": runs}
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
    """What the script needs of it; the rest is in the page as text."""
    return {
        name: run[name] for name in ("name", "time", "limits", "marks", "rows", "before", "trend")
    }


def run_data(summary: Summary, environment: Pairs = ()) -> dict[str, Any]:
    """Return what the page shows of a run that is over."""
    plan, comparison = summary.configuration, summary.comparison
    return {
        "name": summary.name,
        "verdict": summary.verdict.outcome,
        "reasons": list(summary.verdict.reasons),
        "load": describe(plan),
        "started": summary.started,
        "facts": [*_facts(summary)],
        "times": [*_times_of(summary)],
        "thresholds": [
            [one.threshold.text, amount(one.measured, one.threshold.unit), one.passed]
            for one in summary.thresholds
        ],
        "time": _time(summary.timeline),
        "limits": [*_limits(plan)],
        "marks": [*_marks(plan)],
        "rows": [*_rows(summary)],
        "before": _before(comparison) if comparison is not None else None,
        "trend": _trend(summary),
        "comparison": _compared(comparison) if comparison is not None else None,
        "errors": [_error(one) for one in summary.errors],
        "other_errors": summary.other_errors,
        "workers": [_worker(one) for one in summary.workers],
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
    length = f" of {seconds(plan.duration)}" if plan.duration is not None else ""
    facts = [
        ("So far", seconds(round(elapsed)) + length),
        ("Users", count(seen.users)),
        ("Requests", f"{count(seen.requests)}, {count(seen.requests_per_second)}/s now"),
        ("Errors", f"{count(seen.errors)}, {count(seen.errors_per_second)}/s now"),
        ("Status codes", _statuses(sorted(seen.statuses.items())) or "none yet"),
    ]
    return {
        "name": plan.name,
        "verdict": "running",
        "reasons": [],
        "load": describe(plan),
        "started": started,
        "facts": facts,
        "times": [],
        "thresholds": [
            [one.threshold.text, amount(one.value, one.threshold.unit), one.broken is None]
            for one in seen.thresholds
        ],
        "time": _time(moments) if moments else {"x": [], "groups": {}},
        "limits": [*_limits(plan)],
        "marks": [*_marks(plan)],
        "rows": [
            _row("transaction", "", one.page, one.name)
            | {
                "count": one.requests,
                "failed": one.errors,
                "p50": one.median / 1000,
                "p95": one.p95 / 1000,
            }
            for one in seen.rows
        ],
        "before": None,
        "trend": None,
        "comparison": None,
        "errors": [],
        "other_errors": 0,
        "workers": [],
        "configuration": [*_configuration(plan)],
        "environment": [*environment],
    }


# What is told in words.


def _facts(summary: Summary) -> Iterator[tuple[str, str]]:
    """The facts of the text report; one that needs two lines there is one here."""
    told: list[list[str]] = []
    for name, fact in (*facts(summary), *connection_facts(summary.connections)):
        if name:
            told.append([name, fact])
        else:
            told[-1][1] += f"; {fact}"
    yield from ((name.capitalize(), _in_a_row(fact)) for name, fact in told)


def _statuses(counts: Iterable[tuple[int, int]]) -> str:
    return _in_a_row(status_counts(counts))


def _in_a_row(fact: str) -> str:
    """What stands in columns in the text report, with commas: a page has one space for several."""
    return fact.replace("   ", ", ")


def _times_of(summary: Summary) -> Iterator[list[str]]:
    totals, connections = summary.totals, summary.connections
    for name, times in (
        ("Response time", totals.response_time),
        ("Service time", totals.service_time),
        ("First byte", totals.first_byte),
        ("Connecting", connections.connect),
        ("TLS handshake", connections.tls),
        ("Negotiation", connections.negotiation),
    ):
        if times.mean is not None:
            values = (times.mean, times.p50, times.p95, times.p99, times.max)
            yield [name, *map(milliseconds, values)]


def _configuration(plan: LoadConfiguration) -> Iterator[tuple[str, str]]:
    yield "Load", describe(plan)
    yield "Test cases", ", ".join(f"{one.file} × {one.weight}" for one in plan.cases)  # noqa: RUF001
    yield "Errors allowed", percent(plan.max_error_rate)
    yield "After an error", plan.on_error
    yield "Connections", "kept" if plan.keep_connections else "new for each iteration"
    yield "Cookies and variables", "kept" if plan.keep_state else "new for each iteration"
    yield "Time-out", seconds(plan.timeout)


def _error(one: ErrorSummary) -> dict[str, Any]:
    return {
        "count": one.count,
        "where": f"{one.page} › {one.transaction}",  # noqa: RUF001
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


# Over time.


def _time(moments: Sequence[Moment]) -> dict[str, Any]:
    """Seconds of the run, and the series by their group; rates are per second."""
    causes = sorted({cause for one in moments for cause, _ in one.causes})
    return {
        "x": [one.second for one in moments],
        "groups": {
            "response_time": {
                **_band([one.response for one in moments]),
                "mean": [_rounded(one.response.mean) for one in moments],
            },
            "service_time": _band([one.service for one in moments]),
            "requests": {"requests": _per_second(moments, lambda one: one.requests)},
            "errors": {"errors": _per_second(moments, lambda one: one.errors)}
            | {
                cause: [round(dict(one.causes).get(cause, 0) / one.length_s, 3) for one in moments]
                for cause in causes
                if len(causes) > 1
            },
            "error_rate": _error_rates(moments),
            "users": {"users": [round(one.users, 3) for one in moments]},
            "bytes": {
                "received": _per_second(moments, lambda one: one.bytes_received),
                "sent": _per_second(moments, lambda one: one.bytes_sent),
            },
            "connections": {"opened": _per_second(moments, lambda one: one.opened)},
            "lateness": _band([one.lateness for one in moments]),
            "cpu": {"processor time": [round(one.cpu, 4) for one in moments]},
        },
    }


def _error_rates(moments: Sequence[Moment]) -> dict[str, list[float | None]]:
    """In percent; nothing where there is nothing to see."""
    if not any(one.errors for one in moments):
        return {}
    rates = [one.errors / one.requests * 100 if one.requests else None for one in moments]
    return {"error rate": [_rounded(one) for one in rates]}


def _per_second(moments: Sequence[Moment], of: Callable[[Moment], int]) -> list[float]:
    return [round(of(one) / one.length_s, 3) for one in moments]


def _band(times: Sequence[MomentTimes]) -> dict[str, list[float | None]]:
    """A curve for each percentile, and for the longest."""
    names = next((dict(one.percentiles) for one in times if one.percentiles), {})
    if all(one.max is None for one in times):
        return {}
    return {
        **{name: [dict(one.percentiles).get(name) for one in times] for name in names},
        "max": [one.max for one in times],
    }


def _before(comparison: Comparison) -> dict[str, Any]:
    """The earlier run over time, as far as its file has it, to be drawn behind."""
    before = comparison.before
    moments: list[Interval] = list(before.timeline or ())
    return {
        "started": before.started,
        "time": {
            "x": [one.second for one in moments],
            "groups": {
                "response_time": {
                    "mean": [
                        _rounded(one.response_us / one.requests / 1000) if one.requests else None
                        for one in moments
                    ]
                },
                "requests": {"requests": [_rounded(one.requests / one.length) for one in moments]},
                "errors": {"errors": [_rounded(one.errors / one.length) for one in moments]},
                "users": {"users": [round(one.user_seconds / one.length, 3) for one in moments]},
            },
        },
    }


def _trend(summary: Summary) -> dict[str, Any] | None:
    """The numbers of the earlier runs and of this one, in order, if there are several earlier ones:
    of all requests of each run, as far as it had any."""
    comparison, asked = summary.comparison, list(summary.configuration.percentiles)
    if comparison is None or len(comparison.earlier) == 1:
        return None
    runs = (*comparison.earlier, summary.saved)
    whole = [one.requests[ALL] for one in runs]
    times = [one.response.percentiles(asked) if one.requests else None for one in whole]
    rates = [one.errors / one.requests * 100 if one.requests else None for one in whole]
    return {
        "x": [*range(1, len(runs) + 1)],
        "started": [one.started[:16].replace("T", " ") for one in runs],
        "groups": {
            "response_time": {
                percentile_name(p): [_rounded(one[at] / 1000) if one else None for one in times]
                for at, p in enumerate(asked)
            },
            "requests": {
                "requests": [
                    _rounded(one.requests / run.duration_s) if run.duration_s else None
                    for one, run in zip(whole, runs, strict=True)
                ]
            },
            "error_rate": {"error rate": [*map(_rounded, rates)]},
        },
    }


def _limits(plan: LoadConfiguration) -> Iterator[tuple[str, float, str]]:
    """Thresholds that a plot can show: its group, the value there, and what was written."""
    for one in plan.thresholds:
        if one.scope is not None:
            continue
        if one.unit == "time":
            group = "service_time" if one.time == "service time" else "response_time"
            yield group, one.limit * 1000, one.text
        elif one.metric == "throughput":
            yield "requests", one.limit, one.text
        elif one.metric == "error rate":
            yield "error_rate", one.limit * 100, one.text
    if plan.max_error_rate:
        yield "error_rate", plan.max_error_rate * 100, f"{percent(plan.max_error_rate)} allowed"


def _marks(plan: LoadConfiguration) -> Iterator[tuple[float, str]]:
    """The seconds at which ramps end and stages begin."""
    stages = stages_of(plan)
    begins = accumulate((one.duration for one in stages), initial=0.0)
    for number, (begin, stage) in enumerate(zip(begins, stages, strict=False), 1):
        if number > 1:
            yield begin, f"stage {number}"
        if stage.ramp and isfinite(begin):
            yield begin + stage.ramp, "ramp-up ends" if len(stages) == 1 else "ramp ends"


# Tables.


def _row(kind: str, case: str, page: str, name: str) -> dict[str, Any]:
    """A row of which nothing is known yet. ``course`` has the second of the run in which it begins,
    the length of its parts, and series of these; ``histogram`` is what `log_bins` returns."""
    return {"kind": kind, "case": case, "page": page, "name": name, "course": None}


def _rows(summary: Summary) -> Iterator[dict[str, Any]]:
    earlier = summary.comparison.before.requests if summary.comparison is not None else {}
    seconds = summary.totals.duration_s
    courses = _courses(summary)
    for case in summary.cases:
        yield (
            _row("case", case.name, "", case.name)
            | {"count": case.iterations, "failed": case.failed}
            | _times(case.durations)
            | {"rate": _rounded(case.iterations / seconds) if seconds else None}
        )
        for each in case.pages:
            yield (
                _row("page", case.name, each.name, each.name)
                | {"count": each.count, "failed": each.failed}
                | _times(each.durations)
                | {"rate": _rounded(each.count / seconds) if seconds else None}
            )
            for one in each.transactions:
                key = (case.name, each.name, one.name)
                yield (
                    _row("transaction", *key)
                    | _numbers(one.numbers)
                    | {"course": courses.get(key)}
                    | _histogram(summary.saved.requests.get(key), "histogram")
                    | _histogram(earlier.get(key), "histogram_before")
                )


def _courses(summary: Summary) -> dict[Key, dict[str, Any]]:
    """The course of each transaction: requests, errors, its percentiles, and its average service
    time, in milliseconds."""
    length = 1
    while length * MOST_POINTS < summary.totals.duration_s:
        length *= 2
    found = {}
    for index, key in enumerate(summary.saved.transactions):
        parts = summary.course.of(index, length)
        if parts:
            found[key] = _course(parts, summary.configuration.percentiles)
    return found


def _course(parts: Sequence[TransactionStretch], asked: Sequence[float]) -> dict[str, Any]:
    begin, length = parts[0].second, parts[0].length
    known = {one.second: one for one in parts}
    every = [known.get(at) for at in range(begin, parts[-1].second + 1, length)]
    times = [one.response.percentiles(asked) if one and one.requests else None for one in every]
    course: dict[str, Any] = {
        "from": begin,
        "length": length,
        "requests": [one.requests if one else 0 for one in every],
    }
    if any(one.errors for one in parts):
        course["errors"] = [one.errors if one else 0 for one in every]
    for number, p in enumerate(asked):
        course[percentile_name(p)] = [_short(one[number]) if one else None for one in times]
    course["service"] = [
        _short(one.service_us / one.requests) if one and one.requests else None for one in every
    ]
    return course


def _short(microseconds: float) -> float:
    """Milliseconds, in as many digits as a small plot shows."""
    return float(f"{microseconds / 1000:.3g}")


def _numbers(numbers: Numbers) -> dict[str, Any]:
    return {
        "count": numbers.requests,
        "failed": numbers.errors,
        **_times(numbers.response_time),
        "rate": _rounded(numbers.throughput_rps),
        "status": _statuses(numbers.status),
        "not_as_recorded": numbers.otherwise,
    }


def _times(times: TimeSummary) -> dict[str, float | None]:
    return {
        "mean": _rounded(times.mean),
        "p50": times.p50,
        "p95": times.p95,
        "p99": times.p99,
        "max": times.max,
    }


def _histogram(requests: SavedRequests | None, name: str) -> dict[str, Any]:
    if requests is None or not requests.requests:
        return {}
    found: dict[str, Any] = {name: log_bins(requests.response)}
    if name == "histogram_before":
        found["before"] = requests.response.percentile(95) / 1000
    return found


def log_bins(histogram: Histogram) -> list[Any]:
    """Return ``[first, counts]``: bar ``n`` has the times from ``10 ** ((first + n) / BINS)``
    microseconds on, below the next bar's."""
    _, _, _, *octaves = histogram.to_wire()
    bins: Counter[int] = Counter()
    for shift, buckets, counts in octaves:
        for bucket, number in zip(buckets, counts, strict=True):
            least = bucket if shift < 0 else (1024 + bucket) << shift
            bins[int(log10(max(least, 1)) * BINS)] += number
    first = min(bins)
    return [first, [bins[at] for at in range(first, max(bins) + 1)]]


# The comparison.


def _compared(comparison: Comparison) -> dict[str, Any]:
    """Totals in both runs, and what became worse, for sure or maybe."""
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
        "new": [" › ".join(filter(None, key[1:])) for key in comparison.new],  # noqa: RUF001
        "gone": [" › ".join(filter(None, key[1:])) for key in comparison.gone],  # noqa: RUF001
    }


def _change(one: MetricChange) -> list[Any]:
    before, after = (
        f"{milliseconds(value)} {one.figure.unit}" if one.figure.unit else percent(value)
        for value in (one.before, one.after)
    )
    where = " › ".join(filter(None, one.key[1:])) or "all requests"  # noqa: RUF001
    return [where, one.figure.name, before, after, one.by(), _judged(one)]


def _judged(one: MetricChange) -> str:
    return "worse" if one.is_regression else "in doubt" if one.is_in_doubt else ""


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
