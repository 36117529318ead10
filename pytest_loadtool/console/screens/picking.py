"""Picking a value out of a text: one word after the other, or several of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_loadtool.console.screens.cells import cut_at
from pytest_loadtool.console.views.line import ViewLine

#: A value as people see one: what stands in quotes, or has no blanks and brackets in it. Of an
#: address it is a part.
_WORD = re.compile(r"(?<=\")[^\"\s/][^\"/]*(?=\")|[^\s\"'<>{}()\[\],;=&/?]+")


@dataclass(frozen=True, slots=True)
class Pick:
    """A selection: the characters from ``start`` to ``end`` of a line."""

    line: int
    start: int
    end: int

    def moved(self, lines: Sequence[str], step: int) -> Pick:
        """Go to the next word, or to the one before, on another line if need be."""
        ahead = [one for one in words(lines[self.line]) if (one[0] - self.start) * step > 0]
        if ahead:
            return Pick(self.line, *(ahead[0] if step > 0 else ahead[-1]))
        return first_from(lines, self.line + step, step) or self

    def moved_lines(self, lines: Sequence[str], by: int) -> Pick:
        """Go to a word of the next lines that have any, as far to the right as this one."""
        at = max(0, min(self.line + by, len(lines) - 1))
        found = first_from(lines, at, 1 if by > 0 else -1)
        if found is None:
            return self
        near = min(words(lines[found.line]), key=lambda one: abs(one[0] - self.start))
        return Pick(found.line, *near)

    def extended(self, lines: Sequence[str]) -> Pick:
        """Take the next word of the line, too."""
        ahead = [end for _, end in words(lines[self.line]) if end > self.end]
        return replace(self, end=min(ahead)) if ahead else self

    def text(self, lines: Sequence[str]) -> str:
        """Return what is picked."""
        return lines[self.line][self.start : self.end]

    def shown(self, line: ViewLine, columns: int) -> ViewLine:
        """Return its line with it marked, from where it can be seen in so many columns."""
        head, rest = cut_at(line, self.start)
        mine, tail = cut_at(rest, self.end - self.start)
        marked = ViewLine(*head.spans, (str(mine), "cursor"), *tail.spans)
        left = max(0, self.end - columns + 1)
        return cut_at(marked, min(left, self.start))[1]


def first_with(lines: Sequence[str], text: str) -> Pick | None:
    """Return the word that has a text in it, or begins nearest to it; else the first there is."""
    wanted = text.lower()
    for line, shown in enumerate(lines):
        at = shown.lower().find(wanted)
        if at >= 0 and (found := words(shown)):
            return Pick(line, *min(found, key=lambda one: abs(one[0] - at)))
    return first_from(lines, 0)


def words(line: str) -> list[tuple[int, int]]:
    """Return where the words of a line stand."""
    found = _WORD.finditer(line)
    return [match.span() for match in found if any(map(str.isalnum, match[0]))]


def first_from(lines: Sequence[str], line: int, step: int = 1) -> Pick | None:
    """Return the first word from a line on, or, backwards, the last; None if there is none."""
    while 0 <= line < len(lines):
        if found := words(lines[line]):
            return Pick(line, *(found[0] if step > 0 else found[-1]))
        line += step
    return None
