"""The table of applications, in docs/correlation.md too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.applications.outcome import USERS, Outcome

__all__ = ["PAGE", "table", "updated"]

PAGE = Path(__file__).parents[2] / "docs" / "correlation.md"

_BLOCK = re.compile(r"(?<=<!-- applications -->\n).*(?=<!-- end of applications -->)", re.DOTALL)
_HEAD = (
    "| application | transactions | correlated values | false positives | edits before a replay "
    "| `unique` for other users | state after the first replay | after the second "
    f"| on a used server | after {USERS} users at once | their requests "
    "| record, configure | replay | commit |",
    "|---|--:|--:|---|--:|--:|---|---|---|---|---|--:|--:|---|",
)

#: Characters of what was wrong, in a cell.
_LONGEST = 120


def table(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The lines of a Markdown table."""
    yield from _HEAD
    yield from map(_row, outcomes)


def updated(text: str, outcomes: Iterable[Outcome]) -> str:
    """The page with these applications' rows in its table; those of others stay."""
    found = _BLOCK.search(text)
    assert found is not None, "the page has the table's marks"
    lines = found[0].strip().splitlines()[len(_HEAD) :]
    rows = {_title(row): row for row in (*lines, *map(_row, outcomes))}
    return _BLOCK.sub("\n" + "\n".join((*_HEAD, *rows.values())) + "\n\n", text)


def _row(one: Outcome) -> str:
    wrong = ", ".join(f"`{name}`" for name in one.false_positives) or "none"
    # An edit would be one more step of `outcome.examine`: there is none.
    return (
        f"| {one.title} | {one.transactions} | {one.correlated} | {wrong} | 0 | {len(one.unique)} "
        f"| {' | '.join(map(_cell, (one.first, one.second, one.used, one.load)))} "
        f"| {one.requests:,}, {one.errors} errors "
        f"| {one.recording:.0f} s | {one.replaying:.0f} s | {one.commit} |"
    )


def _cell(judgement: str) -> str:
    """Of what was wrong, the first difference: the rest is for who looks into it."""
    first = judgement.strip().splitlines()[0].partition("; ")[0]
    return first.replace("|", "\\|").replace("WRONG", "**WRONG**")[:_LONGEST]


def _title(row: str) -> str:
    return row.split("|")[1].strip()
