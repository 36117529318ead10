"""Items of lists in pages, as extractors with ``in_item`` know them: the ``tr``, ``li`` or
``article`` around a place; an element that a script defines; a ``div`` or ``section`` with a
class; and whatever has a sibling like it: cards, paragraphs, terms of a ``dl`` with what is said of
them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.extraction.page import UNNESTED, item_around
from pytest_loadtool.extraction.row_search import LONGEST_ROW, row_around

#: What may be an item beside rows; rows in capitals, too.
_BLOCK = re.compile(
    r"<(/?)(div|section|a|p|dl|dt|details|fieldset|label|option|figure|nav|aside"
    r"|DIV|SECTION|TR|LI|ARTICLE|P|DL|DT|OPTION|[a-z][a-z0-9]*-[a-z][a-z0-9-]*)(?=[\s>])"
)
#: Of these, what is an item if it has a class or is one of a kind; others need a sibling.
_ALONE = ("div", "section", "DIV", "SECTION")
_SOMETIMES = frozenset(
    {*("a", "p", "dl", "dt", "details", "fieldset", "label", "option", "figure", "nav", "aside")}
)
_CLASS = re.compile(r"""<[^<>]*?\s(class=(?:"([^"<>]+)"|'([^'<>]+)'|([^\s"'<>=]+)))""", re.I)
#: What the name of a class cannot have in an extractor.
_NOT_IN_NAMES = frozenset(".\"'<>&${")
#: Group 1 is a text behind a tag, perhaps with space behind it.
ELEMENT = re.compile(r">\s*+([^<>\s][^<>]*+)<")
#: What may be between two elements of a list, besides space.
_BREAK = re.compile(r"<[bh]r\s*/?>\Z", re.IGNORECASE)
#: The rows of lists; so many are a list.
_ROW, _FEW = re.compile(r"<(?:tr|li|article)(?=[\s>])", re.IGNORECASE), 2
#: What says in a tag which one of several an element is, and the number there.
_MARK = re.compile(r'\s(id|data-(?:[\w-]*-)?(?:id|pk|key))="([^"<>]*\d[^"<>]*)"')
_NUMBER = re.compile(r"\d+")
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
    repeated: bool = False
    """Whether it is a row, or has a sibling like it."""


@lru_cache(maxsize=64)
def items_around(text: str, position: int) -> tuple[Item, ...]:
    """Return the row around ``position``; without one, from the inside out each element around it
    that has a sibling like it, or is a resource with a class."""
    return tuple(_items(text, position))


def _items(text: str, position: int) -> Iterator[Item]:
    start, end = row_around(text, position)
    if end:
        inner = (one for one in _elements(text, position, frames=True) if one.start > start)
        yield from (one for one in inner if _is_one_of(text, one, start, end))
        yield Item(start, end, repeated=True)
    else:
        yield from _elements(text, position, frames=False)


def _is_one_of(text: str, one: Item, start: int, end: int) -> bool:
    """Return whether an element within a row is one of a list, of which its own tag says which it
    is: the row around cards is only their frame."""
    for name, value in _MARK.findall(text, one.start, text.find(">", one.start)):
        others = re.findall(rf'\s{name}="([^"]*)"', text[start:end])
        stem = _NUMBER.sub("#", value)
        if len({each for each in others if _NUMBER.sub("#", each) == stem}) > 1:
            return True
    return False


def _elements(text: str, position: int, *, frames: bool) -> Iterator[Item]:
    """Yield the elements around a place that may be items; ``frames``: also what has a list in it,
    such as the menu of a card."""
    for tag, at in reversed(_opened(text, position)):
        class_ = _CLASS.match(text, at)
        names = _classes(class_) if len(tag) > 2 or tag.lower() in _SOMETIMES else []
        if tag == "a" and not names:  # as in any menu
            continue
        kind = ".".join((tag, *names))
        start, end = item_around(text, position, kind)
        if end - start >= LONGEST_ROW:  # it ends elsewhere
            continue
        beside = _sibling(text, tag, start, end) if start == at and end else None
        shared = None if beside is None else _shared(names, beside, tag)
        if shared is not None and item_around(text, position, shared) == (start, end):
            yield Item(start, end, shared, repeated=True)
            continue
        if tag.lower() in _SOMETIMES or (kind == tag and tag in _ALONE) or not end:
            continue
        if not frames and len(tuple(islice(_ROW.finditer(text, start, end), _FEW))) == _FEW:
            continue  # a frame around lists: it is longer where these are
        like_it = class_[1] if names and class_ is not None else f"<{tag}"
        alone = (class_ is not None or "-" in tag) and text.count(like_it) == 1
        yield Item(start, end, kind, alone)


def repeated_around(text: str, position: int) -> Iterator[Item]:
    """Yield those of the items around ``position`` that have a sibling like them."""
    return (one for one in items_around(text, position) if one.repeated)


def _opened(text: str, position: int) -> list[tuple[str, int]]:
    """Return the elements around a place that may be items, the outer ones first, each with where
    it starts."""
    opened: list[tuple[str, int]] = []
    for found in _BLOCK.finditer(text, max(0, position - LONGEST_ROW), position):
        tag = found[2]
        if not found[1]:
            if opened and opened[-1][0] == tag and tag.lower() in UNNESTED:
                opened.pop()
            opened.append((tag, found.start()))
        elif tag.lower() != "dt":  # what is said of a term is behind it
            for back in range(len(opened) - 1, -1, -1):
                if opened[back][0] == tag:
                    del opened[back:]
                    break
    return opened


def _classes(class_: re.Match[str] | None) -> list[str]:
    written = "" if class_ is None else class_[2] or class_[3] or class_[4]
    return [one for one in written.split() if not _NOT_IN_NAMES & set(one)]


def _sibling(text: str, tag: str, start: int, end: int) -> list[str] | None:
    """Return the classes of the element of that name right behind another or before it; None: there
    is none."""
    found = _following(tag).match(text, end)
    if found is not None:
        return _classes(_CLASS.match(text, found.end()))
    before = _without_breaks(text[max(0, start - LONGEST_ROW) : start])
    first = max(0, start - LONGEST_ROW)
    closed = before.lower().endswith(f"</{tag.lower()}>")
    if not closed and tag.lower() not in UNNESTED:
        return None
    last = first + len(before) - len(f"</{tag}>") if closed and tag.lower() != "dt" else start
    opening = f"<{tag}"
    at = text.rfind(opening, first, last)
    for _ in range(_MOST_TEXTS):
        if at < 0:
            break
        if item_around(text, at + len(opening), tag) == (at, last):
            return _classes(_CLASS.match(text, at))
        at = text.rfind(opening, first, at)
    return None


def _without_breaks(text: str) -> str:
    """Return a text without what may be between two elements of a list at its end."""
    text = text.rstrip()
    while text.endswith(">") and (found := _BREAK.match(text, text.rfind("<"))) is not None:
        text = text[: found.start()].rstrip()
    return text


@lru_cache(maxsize=64)
def _following(tag: str) -> re.Pattern[str]:
    """Return a pattern for what is between an element and the next of that name."""
    return re.compile(rf"(?:</{tag}\s*>)?(?:\s|<[bh]r\s*/?>)*+(?=<{tag}[\s>])", re.IGNORECASE)


def _shared(names: list[str], others: list[str], tag: str) -> str | None:
    """Return the kind that two siblings have in common; None: they are of two kinds."""
    both = [one for one in names if one in others]
    if (names or others) and not both:
        return None
    return ".".join((tag, *both))


def row_texts(text: str, position: int) -> frozenset[str]:
    """Return the texts of the row around ``position``, as a browser shows them; none: it is in no
    row."""
    item = next((one for one in items_around(text, position) if not one.alone), None)
    if item is None:
        return frozenset()
    return texts_of(text, item)


def texts_of(text: str, item: Item) -> frozenset[str]:
    """Return the texts of an item, as a browser shows them."""
    found = ELEMENT.finditer(text, item.start, min(item.end + 1, len(text)))
    return frozenset(unescape(one[1].rstrip()) for one in islice(found, _MOST_TEXTS))
