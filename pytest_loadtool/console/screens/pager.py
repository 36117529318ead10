"""Looking at lines of which only some fit: scrolling, and searching for text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_loadtool.console.views.line import Kind, ViewLine


@dataclass(frozen=True, slots=True)
class Pager:
    """Where in a text somebody is looking, and what they look for."""

    top: int = 0
    query: str = ""

    def moved(self, by: int, count: int, rows: int) -> Pager:
        """Scroll by so many lines of ``count``, of which ``rows`` fit."""
        return replace(self, top=max(0, min(self.top + by, count - rows)))

    def found(self, lines: Sequence[str], query: str, step: int = 1) -> Pager | None:
        """Go to the next line with that text, or to the one before (``step`` -1), all around; None
        if there is none."""
        wanted, count = query.lower(), len(lines)
        if not wanted:
            return replace(self, query="")
        first = 0 if query != self.query else step  # a new query may be where it is already
        for distance in range(count):
            at = (self.top + first + step * distance) % count
            if wanted in lines[at].lower():
                return Pager(at, query)
        return None

    def seen(self, lines: Sequence[ViewLine], rows: int) -> list[ViewLine]:
        """Return the lines that are to be seen, with what was looked for marked."""
        top = max(0, min(self.top, len(lines) - 1))
        return [highlighted(one, self.query) for one in lines[top : top + rows]]


TOP = Pager()


def highlighted(line: ViewLine, query: str) -> ViewLine:
    """Return the line with each occurrence of ``query``, whatever its case, marked as found."""
    wanted = query.lower()
    if not wanted or wanted not in line.lower():
        return line
    spans: list[tuple[str, Kind]] = []
    for text, kind in line.spans:
        low, at = text.lower(), 0
        while (hit := low.find(wanted, at)) >= 0 and len(low) == len(text):
            spans.append((text[at:hit], kind))
            spans.append((text[hit : hit + len(wanted)], "found"))
            at = hit + len(wanted)
        spans.append((text[at:], kind))
    return ViewLine(*spans)
