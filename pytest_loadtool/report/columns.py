"""Aligned columns of plain text, for terminals of any width and names in any script."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import combining, east_asian_width

__all__ = ["cells", "fit", "table"]

_GAP = "  "
_NARROWEST_NAME = 16


def cells(text: str) -> int:
    """How many columns of a terminal ``text`` takes."""
    if text.isascii():
        return len(text)
    return sum(_cell(character) for character in text)


def fit(text: str, width: int) -> str:
    """``text`` in at most ``width`` columns. The middle is left out: both ends of a path tell."""
    if cells(text) <= width:
        return text
    head, tail = list(text[:width]), list(text[-width:])
    while head and cells("".join(head)) > (width - 1) // 2:
        head.pop()
    while tail and cells("".join(tail)) > width - 1 - cells("".join(head)):
        tail.pop(0)
    return f"{''.join(head)}…{''.join(tail)}"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The headings and the rows as lines of at most ``width`` columns, if that can be.

    The first column is text, set left and shortened where it must be; the others are numbers, set
    right and never shortened.
    """
    lines = [headings, *rows]
    widths = [max(cells(line[n]) for line in lines) for n in range(1, len(headings))]
    taken = sum(widths) + len(_GAP) * len(widths)
    name = max(_NARROWEST_NAME, min(width - taken, max(cells(line[0]) for line in lines)))
    return [_line(line, name, widths) for line in lines]


def _line(line: Sequence[str], name: int, widths: Sequence[int]) -> str:
    first = fit(line[0], name)
    rest = (
        " " * (width - cells(text)) + text for text, width in zip(line[1:], widths, strict=True)
    )
    return _GAP.join([first + " " * (name - cells(first)), *rest]).rstrip()


def _cell(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
