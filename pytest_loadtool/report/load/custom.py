"""Metrics of a project's own in reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.load.formatting import count, digits, percent, plural
from pytest_loadtool.load.verdict.summary import CustomSummary, Summary
from pytest_loadtool.report.columns import table

CUSTOM_HEADS = ("metric", "", "average", "median", "p95", "p99", "max")


def custom_lines(summary: Summary, wanted: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield the table of a run's own metrics, if it has any. The percentiles that are ``wanted``
    are by their name, and by what they are called."""
    if summary.custom:
        yield from table(
            ("metric", "", "average", *(called for _, called in wanted), "max"),
            [
                (
                    printable(one.name),
                    custom_value(one),
                    custom_number(one.values.mean),
                    *(custom_number(dict(one.values.asked).get(name)) for name, _ in wanted),
                    custom_number(one.values.max),
                )
                for one in summary.custom
            ],
            width,
        )
    if summary.other_custom:
        yield f"and {plural(summary.other_custom, 'report')} of more metrics than are kept"


def custom_rows(some: Iterable[CustomSummary]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each, below `CUSTOM_HEADS`."""
    for one in some:
        times = one.values
        values = (times.mean, times.p50, times.p95, times.p99, times.max)
        yield printable(one.name), custom_value(one), *map(custom_number, values)


def custom_value(one: CustomSummary) -> str:
    """Return what a metric came to: a sum, a share, or how many values."""
    if one.share is not None:
        return f"{percent(one.share)} of {count(one.count)}"
    return plural(one.count, "value") if one.kind == "trend" else count(one.count)


def custom_number(value: float | None) -> str:
    """Return a value of a trend."""
    return "" if value is None else digits(value)
