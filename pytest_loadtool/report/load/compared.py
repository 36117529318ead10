"""A run beside an earlier one, as a table of changes."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.load.formatting import percent
from pytest_loadtool.load.verdict.comparison import FIGURES, Comparison, MetricChange
from pytest_loadtool.load.verdict.saved import Key
from pytest_loadtool.report.columns import table, wrap
from pytest_loadtool.report.load.units import DASH


def compared(comparison: Comparison | None, width: int) -> Iterator[str]:
    """The changes by transaction, and which transactions only one of the runs has."""
    if comparison is None:
        return
    before, runs = comparison.before, comparison.earlier
    of = f"the run of {printable(before.started)} ({printable(before.outcome)})"
    if len(runs) > 1:
        of = f"{len(runs)} runs and their spread, the last of {printable(before.started)}"
    yield from wrap(f"compared with {of}; {percent(comparison.tolerance)} worse allowed", width)
    yield from wrap(printable(comparison.loads()), width)
    changes = {(change.key, change.figure.name): change for change in comparison.changes}
    keys = dict.fromkeys(change.key for change in comparison.changes)
    rows = [
        (_name(key), *(_change(changes.get((key, figure.name))) for figure in FIGURES))
        for key in keys
    ]
    yield from table(("", *(figure.name for figure in FIGURES)), rows, width)
    if comparison.regressions:
        yield "! worse than is allowed"
    for what, found in (("new", comparison.new), ("gone", comparison.gone)):
        for key in found:
            yield from wrap(f"{what}: {_name(key)}", width, "", "    ")


def _name(key: Key) -> str:
    return printable(" / ".join(filter(None, key[1:])))


def _change(change: MetricChange | None) -> str:
    """``+12 %``, ``+0.35`` points; ``!`` marks a regression, a dash too few requests."""
    if change is None:
        return DASH
    return change.by().removesuffix(" points") + ("!" if change.is_regression else " ")
