"""The tables of docs/reliability.md."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from tests.hostile.disagreements import REASONS
from tests.hostile.examining import Outcome
from tests.hostile.sources import SOURCES

__all__ = ["PAGE", "judges", "lines", "updated"]

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"

_BLOCK = re.compile(r"(?<=<!-- responses -->\n).*(?=<!-- end of responses -->)", re.DOTALL)


def judges() -> str:
    """Who they are. Another version may read otherwise."""
    curl = subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True)
    python = (f"{name} {version(name)}" for name in ("h11", "httptools"))
    return ", ".join((*python, " ".join(curl.stdout.split()[:2])))


def lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Both tables, in Markdown: the sources, and the reasons for differences."""
    yield f"Judged by {judges()}:"
    yield ""
    yield (
        "| responses of | over | tried | read as by all | otherwise, with a reason "
        "| otherwise, without | tracebacks | hangs | wrong bodies |"
    )
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|"
    for name, source in SOURCES.items():
        yield _row(source.title, [one for one in outcomes if one.case.source == name])
    yield _row("all", outcomes)
    yield ""
    yield "| this tool | who differs | how | by | responses |"
    yield "|---|---|---|---|--:|"
    counted = Counter(
        (REASONS.index(reason), judge) for one in outcomes for judge, reason in one.reasons
    )
    for index, reason in enumerate(REASONS):
        counts = [str(counted[index, judge]) for judge in reason.judges]
        yield (
            f"| {reason.ours} | {', '.join(reason.judges)} | {reason.theirs} | {reason.source} "
            f"| {', '.join(counts)} |"
        )


def _row(title: str, outcomes: Sequence[Outcome]) -> str:
    unlike = sum(bool(one.unexplained or one.inconsistent) for one in outcomes)
    differing = sum(
        bool(one.reasons) and not one.unexplained and not one.inconsistent for one in outcomes
    )
    counts = (
        len(outcomes),
        len(outcomes) - differing - unlike,
        differing,
        unlike,
        sum(one.raised for one in outcomes),
        sum(one.hung for one in outcomes),
        sum(one.wrong_body for one in outcomes),
    )
    return f"| {title} | HTTP/1.1 | {' | '.join(map(str, counts))} |"


def updated(page: str, outcomes: Sequence[Outcome]) -> str:
    """The page with the tables of these."""
    found = _BLOCK.search(page)
    assert found is not None, "the page has the tables' marks"
    return _BLOCK.sub(lambda _: "\n" + "\n".join(lines(outcomes)) + "\n\n", page)
