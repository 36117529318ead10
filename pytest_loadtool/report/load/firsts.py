"""What made iterations of a load test fail, as text: what to mend first, and all groups.

The block at the top is at most 78 columns wide, as that of a failed test is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.diagnosis.load.finding import LoadDiagnosis, LoadFinding
from pytest_loadtool.diagnosis.outcome import SEPARATOR
from pytest_loadtool.load.formatting import count, plural
from pytest_loadtool.load.verdict.failing import FailingGroup
from pytest_loadtool.load.verdict.summary import Summary
from pytest_loadtool.report.columns import cells, fit, table, wrap
from pytest_loadtool.report.diagnosis import WIDTH, cause_lines, row
from pytest_loadtool.report.load.chart import BLOCKS, groups, sparkline

_INDENT = 11
#: How many other causes are told below the first, and how many groups are listed.
_MOST_OTHERS, _MOST_LISTED = 4, 20
#: How wide a line over the time of the run is, and how many lines of an example are shown.
_COURSE, _MOST_EXAMPLE_LINES = 20, 3


@dataclass(frozen=True, slots=True)
class Told:
    """The material of a report of failures: the diagnosis, and by its key the file that keeps a
    sample of each group, and its test case's."""

    diagnosis: LoadDiagnosis
    files: Mapping[object, str] = field(default_factory=dict)
    cases: Sequence[str] = ()


def fix_first(summary: Summary, told: Told) -> list[str]:
    """Return the block at the top: where iterations failed first, the cause of most of them, and
    what mends it; then the other causes in short."""
    findings = told.diagnosis.findings
    if not findings:
        return []
    first, *others = findings
    lines = list(_head(first, summary))
    lines += cause_lines(first.cause, first.path)
    sample = next((found for one in first.groups if (found := opens(one, told))), "")
    if sample:
        lines.append(f"{'  sample':<{_INDENT}}{sample}")
    for one in others[:_MOST_OTHERS]:
        lines += row("  also", f"{how_many(one, summary)}: {one.cause.text}")
    if len(others) > _MOST_OTHERS:
        lines += row("", f"and {len(others) - _MOST_OTHERS} more causes")
    return [printable(line) for line in lines]


def _head(finding: LoadFinding, summary: Summary) -> Iterator[str]:
    place = f"{finding.path}:{finding.line}" if finding.line else finding.path
    if not finding.groups:
        yield f"{'FIX FIRST':<{_INDENT}}{place}"
        return
    most = max(finding.groups, key=lambda one: one.iterations)
    often, status = how_many(finding, summary), status_of(most)
    places = len({one.key[:2] for one in finding.groups})
    others = f" and {places - 1} more" if places > 1 else ""
    room = WIDTH - _INDENT - cells(f"{status}    {others}{often}")
    name = fit(f"{most.page}{SEPARATOR}{most.transaction}", max(room, 16))
    yield f"{'FIX FIRST':<{_INDENT}}{status}  {name}{others}  {often}"
    yield f"{'':{_INDENT}}{place}"


def how_many(finding: LoadFinding, summary: Summary) -> str:
    """Return how many of all iterations failed for this cause."""
    every = sum(one.iterations + one.cut for one in summary.cases)
    number = finding.iterations
    return f"{count(number)} of {plural(max(every, number), 'iteration')}"


def status_of(group: FailingGroup) -> str:
    """Return the status of what failed; its cause where there was no response."""
    return str(group.status) if group.status else group.cause


def opens(group: FailingGroup, told: Told) -> str:
    """Return the command that opens its sample in the console."""
    file = told.files.get(group.key, "")
    if not file:
        return ""
    return f"pytest --record {quote(told.cases[group.case_number])} --replay-har {quote(file)}"


def first_failures(
    summary: Summary, told: Told | None, width: int, glyphs: str = BLOCKS
) -> Iterator[str]:
    """Yield all groups: how many iterations failed first there, what followed, and when."""
    failing = summary.failing
    if not failing.groups:
        return
    yield f"first failures of {plural(failing.iterations, 'iteration')}, and what followed in them"
    listed = failing.groups[:_MOST_LISTED]
    seconds = max(1, int(summary.totals.duration_s))
    yield from table(
        ("", "iterations", "then failed", "from s", "users", "over the run"),
        [_row(one, seconds, glyphs) for one in listed],
        width,
    )
    left = failing.groups[_MOST_LISTED:]
    others = sum(one.iterations for one in left) + failing.other_iterations
    if others:
        yield f"{plural(others, 'more iteration')} failed first in other ways"
    for one in listed:
        yield from _details(one, summary, told, width)


def _row(group: FailingGroup, seconds: int, glyphs: str) -> tuple[str, ...]:
    return (
        printable(f"{status_of(group)} {group.transaction}"),
        count(group.iterations),
        count(group.consequences),
        str(group.first_s),
        count(round(group.users)),
        _course(group, seconds, glyphs) + "|",
    )


def _course(group: FailingGroup, seconds: int, glyphs: str) -> str:
    """Return how many iterations failed when, from the start of the run to its end."""
    shared = groups(seconds, _COURSE)
    columns = [0.0] * -(-seconds // shared)
    for second, number in group.course:
        columns[min(second // shared, len(columns) - 1)] += number
    return sparkline(columns, glyphs)


def _details(group: FailingGroup, summary: Summary, told: Told | None, width: int) -> Iterator[str]:
    name = f"{status_of(group)} {group.page}{SEPARATOR}{group.transaction}: "
    yield from wrap(printable(name + group.message), width, "", "    ")
    if group.rows:
        yield from wrap(printable(_rows(group)), width, "    ", "    ")
    example = next(
        (
            one.example
            for one in summary.errors
            if (one.transaction, one.cause, one.message)
            == (group.transaction, group.cause, group.message)
        ),
        "",
    )
    lines = printable(example).strip().splitlines()
    for line in lines[:_MOST_EXAMPLE_LINES]:
        yield from wrap(line, width, "    ", "    ")
    if len(lines) > _MOST_EXAMPLE_LINES:
        yield "    …"
    if told is not None and (command := opens(group, told)):
        yield f"    {command}"
    for reason, number in group.unmade:
        yield f"    {plural(number, 'sample')} could not be made: {reason}"


_MOST_ROWS = 8


def _rows(group: FailingGroup) -> str:
    """Return the rows of datasets that failed there, from 1."""
    by_name: dict[str, list[int]] = {}
    for (name, row_number), _ in group.rows:
        by_name.setdefault(name, []).append(row_number + 1)
    told = []
    for name, rows in by_name.items():
        shown = ", ".join(map(str, sorted(rows)[:_MOST_ROWS]))
        more = f" and {count(len(rows) - _MOST_ROWS)} more" if len(rows) > _MOST_ROWS else ""
        told.append(f"{name}: {'row' if len(rows) == 1 else 'rows'} {shown}{more}")
    rest = f"; {count(group.other_rows)} iterations with others" if group.other_rows else ""
    return "; ".join(told) + rest
