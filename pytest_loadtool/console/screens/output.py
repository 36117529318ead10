"""What commands said, or the help: lines in a pane, and what keys do to it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from pytest_loadtool.console.screens.cells import fitted, split_at, wrapped
from pytest_loadtool.console.screens.pager import TOP, Pager
from pytest_loadtool.console.screens.panels import Panel, row_of
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.model.same import Same
from pytest_loadtool.report.diagnosis import FIX_FIRST


@dataclass(frozen=True, slots=True)
class Output:
    """The words of commands, or the help: lines in a pane below."""

    title: str = ""
    lines: tuple[str, ...] = ()
    pager: Pager = TOP
    open: bool = False
    whole: bool = False
    """Whether it takes all of the screen."""
    panel: Panel | None = None
    """The panel that it is, if the command has one: it has a cursor then."""
    cursor: int = 0
    """The line, as it was said, that the cursor is on."""
    cell: int = 0
    """The cell of that line, in a grid."""

    @property
    def texts(self) -> list[str]:
        """The lines, each by itself."""
        return _texts(self.lines)

    def shown(self, columns: int) -> list[ViewLine]:
        """Return the lines, wrapped at so many columns; that of the cursor marked."""
        width = max(columns - 2, 8)
        shown: list[ViewLine] = []
        for at, pieces in enumerate(_pieces(Same(self.lines), width)):
            if self.panel is not None and at == self.cursor:
                shown += (self._marked(fitted(one, width)) for one in pieces)
            else:
                shown += pieces
        return shown

    def _marked(self, line: ViewLine) -> ViewLine:
        """Return the line at the cursor: all of it, and its cell otherwise than the rest."""
        cells = self.panel.cells(self.texts) if self.panel is not None else ()
        if not cells or row_of(line) is None:
            return ViewLine((str(line), "cursor"))
        cell = cells[min(self.cell, len(cells) - 1)]
        before, rest = split_at(line, cell.start)
        mine, behind = split_at(rest, cell.end - cell.start)
        return ViewLine((before, "cursor"), (mine, "found"), (behind, "cursor"))

    def at(self, cursor: int, columns: int, rows: int) -> Output:
        """Put the cursor on a line, or on the nearest there is, and scroll to it."""
        cursor = max(0, min(cursor, len(self.texts) - 1))
        moved = replace(self, cursor=cursor)
        pieces = _pieces(Same(self.lines), max(columns - 2, 8))
        above = sum(map(len, pieces[:cursor]))
        top = max(above - rows + 1, min(self.pager.top, above), 0)
        return replace(moved, pager=replace(self.pager, top=top))

    def clicked(self, column: int, row: int, columns: int, rows: int) -> Output:
        """Return the pane after a click on a line of it that is seen: a panel's cursor goes there,
        in a grid to that cell."""
        if self.panel is None:
            return self
        pieces = _pieces(Same(self.lines), max(columns - 2, 8))
        ends = [*accumulate(map(len, pieces))]
        line = bisect_right(ends, self.pager.top + row)
        if line >= len(ends):
            return self
        moved, cells = self.at(line, columns, rows), self.panel.cells(self.texts)
        hit = [at for at, one in enumerate(cells) if one.start <= column - 1]
        return replace(moved, cell=hit[-1]) if hit else moved

    def wheeled(self, by: int, columns: int, rows: int) -> Output:
        """Return the pane scrolled by so many lines, a panel with its cursor."""
        if self.panel is not None:
            return self.at(self.cursor + by, columns, rows)
        return replace(self, pager=self.pager.moved(by, len(self.shown(columns)), rows))

    def at_end(self, columns: int, rows: int) -> Output:
        """Scroll to the last of its lines, where so many are seen."""
        return replace(self, pager=Pager(max(0, len(self.shown(columns)) - rows)))

    def at_reason(self, columns: int, rows: int) -> Output:
        """Scroll to the diagnosis of a failure; where there is none, to the end."""
        found = next((at for at, one in enumerate(self.texts) if one.startswith(FIX_FIRST)), None)
        end = self.at_end(columns, rows)
        if found is None:
            return end
        above = sum(map(len, _pieces(Same(self.lines), max(columns - 2, 8))[:found]))
        return replace(self, pager=Pager(min(above, end.pager.top)))

    def moved(self, move: str, columns: int, rows: int) -> Output | None:
        """Return the pane after a key that only changes what is looked at, where ``rows`` lines of
        it are seen; None if the key is not for it."""
        if not self.open:
            return None
        if move == "back":
            return replace(self, open=False)
        by = {"page up": -rows, "page down": rows}
        if self.panel is not None:
            if move in ("left", "right"):
                last = len(self.panel.cells(self.texts)) - 1
                cell = self.cell + (1 if move == "right" else -1)
                return replace(self, cell=max(0, min(cell, last)))
            far = len(self.texts)
            by |= {"up": -1, "down": 1, "home": -far, "end": far}
            return self.at(self.cursor + by[move], columns, rows) if move in by else self
        count = len(self.shown(columns))
        if self.whole:
            by |= {"up": -1, "down": 1, "home": -count, "end": count}
        if move in by and count > rows:
            return replace(self, pager=self.pager.moved(by[move], count, rows))
        return self if self.whole and (move in by or move == "open") else None

    def rows(self, columns: int, most: int) -> int:
        """Return how many rows it takes with its title: at most half of them, unless ``whole``."""
        if not self.open:
            return 0
        return most if self.whole else min(len(self.shown(columns)) + 1, max(most // 2, 4))


@lru_cache(maxsize=8)
def _pieces(lines: Same[tuple[str, ...]], width: int) -> tuple[tuple[ViewLine, ...], ...]:
    """Return the lines, each in the pieces that it takes in so many columns."""
    return tuple(tuple(wrapped(text, width, hanging=True)) for text in _texts(lines.it))


def _texts(lines: tuple[str, ...]) -> list[str]:
    """Return the lines, each by itself, without tabs."""
    found: list[str] = []
    for line in lines:
        if isinstance(line, ViewLine) and "\t" not in line and "\n" not in line:
            found.append(line)
        else:
            found += str(line).expandtabs(4).split("\n")
    return found
