"""Flows, parts and traces of a load test in words, the same in text, in the live view and on the
page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.load.formatting import count
from pytest_loadtool.load.verdict.flows import FlowSummary
from pytest_loadtool.load.verdict.summary import Summary
from pytest_loadtool.report.load.units import milliseconds

FLOW_HEADS = ("flow", "begun", "rounds", "")
TRACE_HEADS = ("slowest requests", "max ms", "trace")

_MOST_TRACES = 5
_MARKS = {"": "", "start": "once, at the start", "end": "once, at the end"}


def once_mark(once: str) -> str:
    """Return what is said of a page that each user does once; empty for any other."""
    return _MARKS[once]


def marked(page: str, once: str) -> str:
    """Return the name of a page with its mark."""
    return f"{page} ({once_mark(once)})" if once else page


def flow_rows(flows: Iterable[FlowSummary]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each, below `FLOW_HEADS`; those within another are set in."""
    for one in flows:
        name = f"{'  ' * one.depth}{printable(one.name)}"
        of_rule = f" ({one.rule})" if one.rule != "chosen" else ""
        yield name + of_rule, count(one.begun), count(one.rounds), one.outcome


def trace_rows(summary: Summary) -> Iterator[tuple[str, ...]]:
    """Yield the transactions with the slowest requests, below `TRACE_HEADS`."""
    every = [
        (one.numbers.response_time.max or 0.0, f"{page.name} / {one.name}", one.slowest_trace)
        for case in summary.cases
        for page in case.pages
        for one in page.transactions
        if one.slowest_trace
    ]
    for longest, name, trace in sorted(every, key=lambda one: -one[0])[:_MOST_TRACES]:
        yield printable(name), milliseconds(longest), trace
