"""Rows in markup: the ``tr``, ``li`` or ``article`` around a place, or a ``div`` or ``section``
with a class of which there are several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.extraction.bound import escaped_text
from pytest_loadtool.extraction.row_search import LONGEST_ROW, ROWS

_ROW = re.compile(rf"<(/?)({'|'.join(ROWS)})(?=[\s>])", re.IGNORECASE)
_BLOCK = re.compile(r"<(/?)(div|section)(?=[\s>])", re.IGNORECASE)
_CLASS = re.compile(r'<[^<>]*?\sclass="([^"<>]+)"')
#: Group 1 is a text behind a tag, perhaps with space behind it.
ELEMENT = re.compile(r">\s*+([^<>\s][^<>]*+)<")
#: How many texts of a row are read.
_MOST_TEXTS = 50


@dataclass(frozen=True, slots=True)
class Around:
    """What is around a place: a pattern for the tag of it, at which another one begins or it
    ends, and where it starts."""

    tag: str
    start: int
    by_class: bool = False


def rows_around(text: str, position: int, many: bool) -> Iterator[Around]:
    """The row around ``position``; without one, each thing with a class around it if ``many``."""
    row = row_at(text, position)
    if row is not None:
        yield Around(rf"/?{row[0]}[\s>]", row[1])
    if row is not None or not many:
        return
    for tag, start in reversed(_open(_BLOCK, text, position)):
        class_ = _CLASS.match(text, start)
        if class_ is not None:
            yield Around(rf'{tag}[^<>]*?\sclass="{escaped_text(class_[1])}"', start, True)


def row_at(text: str, position: int) -> tuple[str, int] | None:
    """The tag of the row around ``position``, and where it starts."""
    opened = _open(_ROW, text, position)
    return opened[-1] if opened else None


def _open(tags: re.Pattern[str], text: str, position: int) -> list[tuple[str, int]]:
    """What is open at ``position``: each tag, and where it starts."""
    opened: list[tuple[str, int]] = []
    for found in tags.finditer(text, max(0, position - LONGEST_ROW), position):
        if not found[1]:
            opened.append((found[2], found.start()))
        elif opened:
            opened.pop()
    return opened


def row_end(text: str, row: Around, position: int) -> int:
    """Behind the "<" with which the row ends that is around ``position``, or another begins."""
    limit = min(len(text), row.start + LONGEST_ROW)
    found = re.compile(f"<{row.tag}").search(text, position, limit)
    return limit if found is None else found.start() + 1


def row_texts(text: str, position: int) -> frozenset[str]:
    """The texts of the row around ``position``, as a browser shows them; none: it is in no row."""
    for row in rows_around(text, position, True):
        if not row.by_class or len(re.findall(f"<{row.tag}", text)) > 1:
            found = ELEMENT.finditer(text, row.start, row_end(text, row, position))
            return frozenset(unescape(one[1].rstrip()) for one in islice(found, _MOST_TEXTS))
    return frozenset()
