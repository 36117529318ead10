"""Items of lists in pages, as extractors with ``in_item`` know them: the ``tr``, ``li`` or
``article`` around a place, an element that a script defines, or a ``div`` or ``section`` with a
class."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.extraction.page import item_around
from pytest_loadtool.extraction.row_search import LONGEST_ROW, row_around

#: What may be an item beside rows; rows in capitals, too.
_BLOCK = re.compile(
    r"<(/?)(div|section|DIV|SECTION|TR|LI|ARTICLE|[a-z][a-z0-9]*-[a-z][a-z0-9-]*)(?=[\s>])"
)
_CLASS = re.compile(r"""<[^<>]*?\s(class=(?:"([^"<>]+)"|'([^'<>]+)'|([^\s"'<>=]+)))""")
#: What the name of a class cannot have in an extractor.
_NOT_IN_NAMES = frozenset(".\"'<>&${")
#: Group 1 is a text behind a tag, perhaps with space behind it.
ELEMENT = re.compile(r">\s*+([^<>\s][^<>]*+)<")
#: How many texts of a row are read.
_MOST_TEXTS = 50


@dataclass(frozen=True, slots=True)
class Item:
    """An item around a place: where it starts and ends, and what it is (`InItem.item`)."""

    start: int
    end: int
    kind: str = ""
    alone: bool = False
    """Whether the page has no other of that class."""


def items_around(text: str, position: int) -> Iterator[Item]:
    """Yield the row around ``position``; without one, each resource with a class around it."""
    start, end = row_around(text, position)
    if end:
        yield Item(start, end)
        return
    opened: list[tuple[str, int]] = []
    for found in _BLOCK.finditer(text, max(0, position - LONGEST_ROW), position):
        if not found[1]:
            opened.append((found[2], found.start()))
        elif opened:
            opened.pop()
    for tag, at in reversed(opened):
        class_ = _CLASS.match(text, at)
        written = "" if class_ is None else class_[2] or class_[3] or class_[4]
        names = written.split() if len(tag) > 2 else []
        kind = ".".join((tag, *(one for one in names if not _NOT_IN_NAMES & set(one))))
        if kind == tag and tag in ("div", "section", "DIV", "SECTION"):
            continue
        start, end = item_around(text, position, kind)
        if end:
            like_it = class_[1] if names and class_ is not None else f"<{tag}"
            alone = (class_ is not None or "-" in tag) and text.count(like_it) == 1
            yield Item(start, end, kind, alone)


def row_texts(text: str, position: int) -> frozenset[str]:
    """Return the texts of the row around ``position``, as a browser shows them; none: it is in no
    row."""
    item = next((one for one in items_around(text, position) if not one.alone), None)
    if item is None:
        return frozenset()
    found = ELEMENT.finditer(text, item.start, min(item.end + 1, len(text)))
    return frozenset(unescape(one[1].rstrip()) for one in islice(found, _MOST_TEXTS))
