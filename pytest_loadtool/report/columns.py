"""Aligned columns of plain text, for terminals of any width and names in any script."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from unicodedata import combining, east_asian_width

_GAP = "  "
_NARROWEST_NAME = 16
_WORD = re.compile(r"\s*\S+")


def cells(text: str) -> int:
    """Return how many columns of a terminal ``text`` takes."""
    if text.isascii():
        return len(text)
    return sum(_cell(character) for character in text)


def fit(text: str, width: int) -> str:
    """Return ``text`` in at most ``width`` columns. The middle is left out: both ends of a path
    tell."""
    if cells(text) <= width:
        return text
    head = _head(text, (width - 1) // 2)
    tail = _head(text[::-1], width - 1 - cells(head))[::-1]
    return f"{head}…{tail}"


def wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Return ``text`` in lines of at most ``width`` columns that begin with ``first``, then with
    ``rest``.

    Blanks between words stay as they are. Only a word longer than a line is broken.
    """
    lines: list[str] = []
    line, is_new = first, True
    for word in _WORD.findall(text):
        if not is_new and cells(line) + cells(word) > width:
            lines.append(line)
            line, is_new = rest, True
        if is_new:
            word = word.lstrip()
        while cells(line) + cells(word) > width:
            head = _head(word, max(2, width - cells(line)))
            lines.append(line + head)
            line, word = rest, word[len(head) :]
        line, is_new = line + word, False
    return lines if is_new else [*lines, line]


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return the headings and the rows as lines of at most ``width`` columns, if that can be.

    The first column is text, set left and shortened where it must be; the others are numbers, set
    right and never shortened.
    """
    lines = [headings, *rows]
    widths = [max(cells(line[n]) for line in lines) for n in range(1, len(headings))]
    taken = sum(widths) + len(_GAP) * len(widths)
    longest = max(cells(line[0]) for line in lines)
    name = min(longest, max(_NARROWEST_NAME, width - taken))
    return [_line(line, name, widths) for line in lines]


def _line(line: Sequence[str], name: int, widths: Sequence[int]) -> str:
    first = fit(line[0], name)
    rest = (
        " " * (width - cells(text)) + text for text, width in zip(line[1:], widths, strict=True)
    )
    return _GAP.join([first + " " * (name - cells(first)), *rest]).rstrip()


def _head(text: str, width: int) -> str:
    """Return as much of the beginning of ``text`` as goes into ``width`` columns."""
    taken = list(accumulate(map(_cell, text)))
    return text[: bisect_right(taken, width)]


def _cell(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
