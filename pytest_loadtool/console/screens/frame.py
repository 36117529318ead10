"""The frame of every screen: what is open above; what commands say, and the keys, below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_loadtool.console.screens.cells import columns_of, filled, fitted, joined, wrapped
from pytest_loadtool.console.screens.keys import ScreenKey, hints
from pytest_loadtool.console.screens.output import Output
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.workflow.telling import counted

#: The smallest terminal that a screen is drawn in.
_LEAST_COLUMNS, _LEAST_ROWS = 40, 10
#: Rows from which on the keys get two lines.
_ROOMY = 20


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
    *,
    typed: bool = False,
) -> list[ViewLine]:
    """Return a whole screen: exactly so many rows of so many columns; ``typed`` as for `hints`."""
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
    # Where there are two lines of keys, a long message has the first of them.
    pieces = list(wrapped(said, columns))[: _hint_rows(rows)]
    below = hints(keys, columns, _hint_rows(rows) - len(pieces) + 1, typed=typed)
    return [*lines, *(fitted(one, columns) for one in (*pieces, *below))]


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
    more = f" PgUp: {output.pager.top} above ─" if output.pager.top else ""
    more += f" PgDn: {counted(below, 'more line')} ─" if below > 0 else ""
    title = f"── {output.title} "
    rule = "─" * max(0, columns - columns_of(title) - columns_of(more) - 13)
    head = ViewLine((title, "heading"), (f"{rule}{more} Esc closes ─", "dim"))
    seen = [joined((ViewLine((" ", "")), one)) for one in output.pager.seen(lines, rows - 1)]
    return filled((fitted(head, columns), *seen), columns, rows)
