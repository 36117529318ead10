"""The tables of the page of load tests: cases, pages and transactions, each with its own course and
its histogram."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import log10
from typing import Any

from pytest_loadtool.load.metrics.course import TransactionStretch
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.verdict.saved import ALL, Key, SavedRequests
from pytest_loadtool.load.verdict.summary import Numbers, Summary, TimeSummary, percentile_name
from pytest_loadtool.report.load.flows import once_mark
from pytest_loadtool.report.load.units import rounded, status_counts

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


def row(kind: str, case: str, page: str, name: str, mark: str = "") -> dict[str, Any]:
    """Return a row of which nothing is known yet. ``mark`` is shown with its name. ``course``
    has the second of the run in which it begins, the length of its parts, and series of these;
    ``histogram`` is what `log_bins` returns."""
    shown = {"mark": mark} if mark else {}
    return {"kind": kind, "case": case, "page": page, "name": name, "course": None, **shown}


def rows(summary: Summary) -> Iterator[dict[str, Any]]:
    """Yield a row for each test case, page and transaction, in their order."""
    earlier = summary.comparison.before.requests if summary.comparison is not None else {}
    seconds = summary.totals.duration_s
    courses = _courses(summary)
    for case in summary.cases:
        yield (
            row("case", case.name, "", case.name)
            | {"count": case.iterations, "failed": case.failed}
            | _times(case.durations)
            | {"rate": rounded(case.iterations / seconds) if seconds else None}
        )
        for each in case.pages:
            yield (
                row("page", case.name, each.name, each.name, once_mark(each.once))
                | {"count": each.count, "failed": each.failed}
                | _times(each.durations)
                | {"rate": rounded(each.count / seconds) if seconds else None}
            )
            for one in each.transactions:
                key = (case.name, each.name, one.name)
                yield (
                    row("transaction", *key, once_mark(each.once))
                    | _numbers(one.numbers)
                    | ({"trace": one.slowest_trace} if one.slowest_trace else {})
                    | {"course": courses.get(key)}
                    | _histogram(summary.saved.requests.get(key), "histogram")
                    | _histogram(earlier.get(key), "histogram_before")
                )


def whole(summary: Summary) -> dict[str, Any] | None:
    """Return the histogram of all requests, as that of a row, with what is marked in it."""
    earlier = summary.comparison.before.requests if summary.comparison is not None else {}
    now = _histogram(summary.saved.requests.get(ALL), "histogram")
    if not now:
        return None
    before = _histogram(earlier.get(ALL), "histogram_before")
    return _times(summary.totals.response_time) | now | before


def _courses(summary: Summary) -> dict[Key, dict[str, Any]]:
    """Return the course of each transaction: requests, errors, its percentiles, and its average
    service time, in milliseconds."""
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
    """Return milliseconds, in as many digits as a small plot shows."""
    return float(f"{microseconds / 1000:.3g}")


def _numbers(numbers: Numbers) -> dict[str, Any]:
    return {
        "count": numbers.requests,
        "failed": numbers.errors,
        **_times(numbers.response_time),
        "rate": rounded(numbers.throughput_rps),
        "status": statuses(numbers.status),
        "not_as_recorded": numbers.not_as_recorded,
    }


def _times(times: TimeSummary) -> dict[str, float | None]:
    return {
        "mean": rounded(times.mean),
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
    _, _, _, *bands = histogram.to_wire()
    bins: Counter[int] = Counter()
    for shift, buckets, counts in bands:
        for bucket, number in zip(buckets, counts, strict=True):
            least = bucket if shift < 0 else (1024 + bucket) << shift
            bins[int(log10(max(least, 1)) * BINS)] += number
    first = min(bins)
    return [first, [bins[at] for at in range(first, max(bins) + 1)]]


def statuses(counts: Iterable[tuple[int, int]]) -> str:
    """Return status codes with their counts, on one line."""
    return in_a_row(status_counts(counts))


def in_a_row(fact: str) -> str:
    """Return what stands in columns in the text report, with commas: a page has one space for
    several."""
    return fact.replace("   ", ", ")
