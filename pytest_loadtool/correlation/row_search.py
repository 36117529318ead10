"""A text in the rows of a page's lists and tables: the hot path has no time for a parser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_loadtool.model.entities import in_markup

__all__ = ["in_row", "row_around"]

_OPENING: Final = (("<tr", "</tr"), ("<li", "</li"), ("<article", "</article"))
#: What is behind the name of a tag: ``<li>``, not ``<link>``.
_BEHIND: Final = frozenset(" >\t\r\n")
#: A row that begins further ahead is no row.
_LONGEST_ROW: Final = 20_000
#: In how many rows that have the one text the other is looked for.
_MOST_ROWS: Final = 50


def in_row(text: str, mark: str, wanted: str) -> bool:
    """Whether one row, a ``tr``, ``li`` or ``article``, has both texts, the second as it is or with
    character references."""
    return any(in_markup(wanted, text[start:end]) for start, end in _rows(text, mark))


def _rows(text: str, mark: str) -> Iterator[tuple[int, int]]:
    at, seen = text.find(mark), 0
    while at >= 0 and seen < _MOST_ROWS:
        start, end = row_around(text, at)
        if end:
            yield start, end
        seen += 1
        at = text.find(mark, max(at + 1, end))


def row_around(text: str, at: int) -> tuple[int, int]:
    """Where the innermost row around ``at`` starts and ends; twice 0 if there is none."""
    best, closing = -1, ""
    for opening, close in _OPENING:
        start = _last(text, opening, max(0, at - _LONGEST_ROW), at)
        if start > best and text.find(close, start, at) < 0:
            best, closing = start, close
    if best < 0:
        return 0, 0
    end = text.find(closing, at)
    return best, len(text) if end < 0 else end


def _last(text: str, opening: str, first: int, end: int) -> int:
    """Where the last such tag starts; -1 if there is none."""
    start = text.rfind(opening, first, end)
    while start >= 0:
        behind = start + len(opening)
        if text[behind : behind + 1] in _BEHIND:
            break
        start = text.rfind(opening, first, start)
    return start
