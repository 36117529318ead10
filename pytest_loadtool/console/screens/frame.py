"""The frame of every screen: what is open above; what commands say, and the keys, below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pytest_loadtool.console.screens.cells import columns_of, filled, fitted, joined, wrapped
from pytest_loadtool.console.screens.keys import ScreenKey, hints
from pytest_loadtool.console.screens.pager import TOP, Pager
from pytest_loadtool.console.screens.panels import Panel
from pytest_loadtool.console.screens.same import Same
from pytest_loadtool.console.views.line import ViewLine

#: The smallest terminal that a screen is drawn in.
_LEAST_COLUMNS, _LEAST_ROWS = 40, 10
#: Rows from which on the keys get two lines.
_ROOMY = 20


@dataclass(frozen=True, slots=True)
class Output:
    """What commands said, or the help: lines in a pane below."""

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
                shown += (ViewLine((str(fitted(one, width)), "cursor")) for one in pieces)
            else:
                shown += pieces
        return shown

    def at(self, cursor: int, columns: int, rows: int) -> Output:
        """Put the cursor on a line, or on the nearest there is, and scroll to it."""
        cursor = max(0, min(cursor, len(self.texts) - 1))
        moved = replace(self, cursor=cursor)
        pieces = _pieces(Same(self.lines), max(columns - 2, 8))
        above = sum(map(len, pieces[:cursor]))
        top = max(above - rows + 1, min(self.pager.top, above), 0)
        return replace(moved, pager=replace(self.pager, top=top))

    def rows(self, columns: int, most: int) -> int:
        """Return how many rows it takes with its title: at most half of them, unless ``whole``."""
        if not self.open:
            return 0
        return most if self.whole else min(len(self.shown(columns)) + 1, max(most // 2, 4))


@lru_cache(maxsize=8)
def _pieces(lines: Same[tuple[str, ...]], width: int) -> tuple[tuple[ViewLine, ...], ...]:
    """The lines, each in the pieces that it takes in so many columns."""
    return tuple(tuple(wrapped(text, width, hanging=True)) for text in _texts(lines.it))


def _texts(lines: tuple[str, ...]) -> list[str]:
    """The lines, each by itself, without tabs."""
    found: list[str] = []
    for line in lines:
        if isinstance(line, ViewLine) and "\t" not in line and "\n" not in line:
            found.append(line)
        else:
            found += str(line).expandtabs(4).split("\n")
    return found


@dataclass(frozen=True, slots=True)
class Bar:
    """The line above: what is open, what state it is in, and what is under way."""

    name: str
    server: str = ""
    state: str = ""


def framed(
    bar: Bar,
    body: Callable[[int, int], list[ViewLine]],
    output: Output,
    message: str,
    keys: Sequence[ScreenKey],
    columns: int,
    rows: int,
) -> list[ViewLine]:
    """Return a whole screen: exactly so many rows of so many columns."""
    if columns < _LEAST_COLUMNS or rows < _LEAST_ROWS:
        text = (
            f"A view needs {_LEAST_COLUMNS} columns and {_LEAST_ROWS} rows; this terminal has "
            f"{columns} and {rows}. Make it larger, or q for the line."
        )
        return filled(wrapped(text, columns), columns, rows)
    taken = output.rows(columns, rows - 2 - _hint_rows(rows))
    height = body_rows(output, columns, rows)
    lines = [_title(bar, columns)]
    lines += body(columns, height) if height else []
    lines += _pane(output, columns, taken)
    said = ViewLine((f" {message}", "heading")) if message else ViewLine(("─" * columns, "dim"))
    below = hints(keys, columns, _hint_rows(rows))
    return [*lines, fitted(said, columns), *(fitted(one, columns) for one in below)]


def _hint_rows(rows: int) -> int:
    return 2 if rows >= _ROOMY else 1


def pane_rows(output: Output, columns: int, rows: int) -> int:
    """Return how many lines of the pane are seen in a terminal of so many rows."""
    return max(0, output.rows(columns, rows - 2 - _hint_rows(rows)) - 1)


def body_rows(output: Output, columns: int, rows: int) -> int:
    """Return how many rows are left for the screen itself in a terminal of so many."""
    return max(0, rows - 2 - _hint_rows(rows) - output.rows(columns, rows - 2 - _hint_rows(rows)))


def _title(bar: Bar, columns: int) -> ViewLine:
    left = f" {bar.name}  {bar.server}"
    right = f"{bar.state} "
    if columns_of(left) + columns_of(right) + 2 > columns:
        left = f" {bar.name}"
    gap = columns - columns_of(left) - columns_of(right)
    text = f"{left}{' ' * max(gap, 2)}{right}"
    return ViewLine((str(fitted(text, columns)), "title"))


def _pane(output: Output, columns: int, rows: int) -> list[ViewLine]:
    if not rows:
        return []
    lines = output.shown(columns)
    below = len(lines) - output.pager.top - (rows - 1)
    more = f" PgDn: {below} more lines ─" if below > 0 else ""
    title = f"── {output.title} "
    rule = "─" * max(0, columns - columns_of(title) - columns_of(more) - 13)
    head = ViewLine((title, "heading"), (f"{rule}{more} Esc closes ─", "dim"))
    seen = [joined((ViewLine((" ", "")), one)) for one in output.pager.seen(lines, rows - 1)]
    return filled((fitted(head, columns), *seen), columns, rows)
