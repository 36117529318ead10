"""Looking at lines of which only some fit: scrolling, and searching for text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from pytest_loadtool.console.screens.cells import cut_at
from pytest_loadtool.console.views.line import ViewLine


@dataclass(frozen=True, slots=True)
class Pager:
    """The place in a text where somebody is looking, and what they look for."""

    top: int = 0
    query: str = ""

    def moved(self, by: int, count: int, rows: int) -> Pager:
        """Scroll by so many lines of ``count``, of which ``rows`` fit."""
        return replace(self, top=max(0, min(self.top + by, count - rows)))

    def found(self, lines: Sequence[str], query: str, step: int = 1) -> Pager | None:
        """Go to the next line with that text, or to the one before (``step`` -1), all around; None
        if there is none."""
        if not query:
            return replace(self, query="")
        at = sorted({hits[0][0] for hits in _hits(lines, query)})
        if not at:
            return None
        begin = self.top + (step if query == self.query else 0)  # a new one may be here already
        if step > 0:
            return Pager(next((one for one in at if one >= begin), at[0]), query)
        return Pager(next((one for one in reversed(at) if one <= begin), at[-1]), query)

    def seen(self, lines: Sequence[ViewLine], rows: int) -> list[ViewLine]:
        """Return the lines that are to be seen, with what was looked for marked."""
        top = max(0, min(self.top, len(lines) - 1))
        shown = list(lines[top : top + rows])
        for at, start, end in (one for hits in _hits(shown, self.query) for one in hits):
            shown[at] = _marked(shown[at], start, end)
        return shown


TOP = Pager()

#: Between two characters of a word: nothing, or the break of a line that was too wide, behind which
#: it is indented, and marked with ~ where recorded and replayed lines differ.
_BROKEN = r"(?:\n[ ~]*)?"


def _hits(lines: Sequence[str], query: str) -> Iterator[list[tuple[int, int, int]]]:
    """Yield each place that has the text, in any case: the lines on which it stands, with where it
    begins and ends there. It may be broken over lines, as texts are that are too wide."""
    if not query.strip():
        return
    words = (_BROKEN.join(map(re.escape, word)) for word in query.split())
    pattern = re.compile(r"[\s~]+".join(words), re.IGNORECASE)
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for match in pattern.finditer("\n".join(lines)):
        first = bisect_right(starts, match.start()) - 1
        last = bisect_right(starts, match.end() - 1) - 1
        yield [
            (
                at,
                max(match.start() - starts[at], _indent(lines[at]) if at > first else 0),
                min(match.end() - starts[at], len(lines[at])),
            )
            for at in range(first, last + 1)
        ]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" ~"))


def _marked(line: ViewLine, start: int, end: int) -> ViewLine:
    """Return the line with these characters of it marked as found."""
    head, rest = cut_at(line, start)
    mine, tail = cut_at(rest, end - start)
    return ViewLine(*head.spans, (str(mine), "found"), *tail.spans)
