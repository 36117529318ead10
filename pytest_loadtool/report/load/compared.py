"""A run beside an earlier one, as a table of changes."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.load.formatting import percent
from pytest_loadtool.load.verdict.comparison import FIGURES, QUICKEST, Comparison, MetricChange
from pytest_loadtool.load.verdict.saved import Key
from pytest_loadtool.report.columns import table, wrap
from pytest_loadtool.report.load.units import DASH

#: From this width on there is room for a column more.
_WIDE = 80


def compared(comparison: Comparison | None, width: int) -> Iterator[str]:
    """Yield the changes by transaction, and which transactions only one of the runs has."""
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
    has_quickest = len(runs) > 1 and width >= _WIDE
    figures = FIGURES if has_quickest else [one for one in FIGURES if one is not QUICKEST]
    rows = [
        (_name(key), *(_change(changes.get((key, figure.name))) for figure in figures))
        for key in keys
    ]
    yield from table(("", *(figure.name for figure in figures)), rows, width)
    if comparison.regressions:
        yield "! worse than is allowed"
    if comparison.doubts:
        yield "? likewise, but maybe by a busy machine, as the quickest tenth says"
    for what, found in (("new", comparison.new), ("gone", comparison.gone)):
        for key in found:
            yield from wrap(f"{what}: {_name(key)}", width, "", "    ")


def _name(key: Key) -> str:
    return printable(" / ".join(filter(None, key[1:])))


def _change(change: MetricChange | None) -> str:
    """Return ``+12 %``, ``+0.35`` points; ``!`` is worse, ``?`` in doubt, a dash too few
    requests."""
    if change is None:
        return DASH
    mark = "!" if change.is_regression else "?" if change.is_in_doubt else " "
    return change.by().removesuffix(" points") + mark
