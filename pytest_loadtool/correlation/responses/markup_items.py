"""Items of lists in pages, as extractors with ``in_item`` know them: the ``tr``, ``li`` or
``article`` around a place, or a ``div`` or ``section`` with a class.

Here, too: links: the addresses in a page, and the texts that a person clicks on.

Here, too: form controls of a page as producers: fields, what they offer to choose from, meta tags.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.correlation.producer import Producer, Wanted
from pytest_loadtool.extraction.page import item_around
from pytest_loadtool.extraction.row_search import LONGEST_ROW, row_around
from pytest_loadtool.extraction.tags import choices, control_value, controls, labels_for
from pytest_loadtool.model.rule import ProducerKind

_FORM_START = re.compile(r"<form(?=[\s>])", re.IGNORECASE)
_CHOICES = frozenset({"checkbox", "radio", "submit", "button", "image", "reset", "file", "range"})


def in_page(text: str, transaction: int, wanted: Wanted) -> Iterator[Producer]:
    """Form fields and meta tags: the wanted ones, those that a person fills in, and of the others
    one of each name in a form; and the wanted choices."""
    seen: set[tuple[int, str]] = set()
    labels: dict[str, int] | None = None
    forms = [match.start() for match in _FORM_START.finditer(text)]
    for tag, found, start, end in controls(text):
        name = found.get("name", "")
        if not name:
            continue
        value = control_value(text, tag, found, end)
        control = _control_type(tag, found.get("type", "").lower())
        form = bisect_left(forms, start) - 1
        sought = value in wanted
        if sought or control == "text" or (form, name) not in seen:
            seen.add((form, name))
            kind = ProducerKind.META if tag == "meta" else ProducerKind.CONTROL
            yield Producer(transaction, kind, name, value, form=form, control=control)
        if control != "choice" or not (sought or tag == "select"):
            continue
        if labels is None:
            labels = labels_for(text)
        for value, label in choices(text, tag, found, end, labels):
            if value in wanted:
                yield Producer(
                    transaction, ProducerKind.CHOICE, name, value,
                    form=form, control=control, text=label, labels=frozenset({unescape(label)}),
                )  # fmt: skip


def form_start(text: str, form: int) -> int | None:
    """Return where the attributes of the form with that number (`Producer.form`) begin."""
    found = next(islice(_FORM_START.finditer(text), form, None), None) if form >= 0 else None
    return None if found is None else found.end()


def _control_type(tag: str, kind: str) -> Literal["", "hidden", "text", "choice"]:
    if tag == "meta":
        return ""
    if tag == "input" and kind == "hidden":
        return "hidden"
    choice = tag in ("select", "button") or kind in _CHOICES
    return "choice" if choice else "text"


_LINK = re.compile(
    r"""[\s"'](?=[adfhs])(?:(?:form)?action|href|src"""
    r"""|data-[\w-]*(?:ur[il]|href|src|action)(?:-value)?"""
    r"""|(?:data-)?hx-(?:get|post|put|patch|delete))\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^<>]*+>\s*+([^<>]{1,200}?)\s*+<")
_WHOLE_LABEL = re.compile(r"[^<>]*+>\s*+([^<>]{1,81})<")
#: At how many places of one address in one page its text is looked for.
MOST_LABELS = 100
#: How much text behind an address is looked at for what a person clicks on.
_LONGEST_TAG = 5000


def links(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield the addresses a page links to or submits to: as the browser reads them, as written, and
    where they end.
    """
    for found in _LINK.finditer(text):
        raw = found[1] or found[2] or found[3] or ""
        yield (unescape(raw) if "&" in raw else raw), raw, found.end()


def labels_of(text: str, raw: str) -> Iterator[str]:
    """Yield the texts behind an address that the page writes so, as the page writes them."""
    end = 0
    for _place in range(MOST_LABELS):
        start = text.find(raw, end)
        if start < 0:
            return
        end = start + len(raw)
        label = _WHOLE_LABEL.match(text, end, end + _LONGEST_TAG)
        if label is not None:
            yield label[1]


def label_at(text: str, end: int) -> str:
    """Return the text of the link whose address ends there."""
    label = _LABEL.match(text, end, end + _LONGEST_TAG)
    return unescape(label[1]) if label else ""


#: What may be an item beside rows; rows in capitals, too.
_BLOCK = re.compile(r"<(/?)(div|section|DIV|SECTION|TR|LI|ARTICLE)(?=[\s>])")
_CLASS = re.compile(r'<[^<>]*?\s(class="([^"<>]+)")')
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
        names = class_[2].split() if class_ is not None and len(tag) > 2 else []
        kind = ".".join((tag, *(one for one in names if not _NOT_IN_NAMES & set(one))))
        if kind == tag and tag in ("div", "section", "DIV", "SECTION"):
            continue
        start, end = item_around(text, position, kind)
        if end:
            yield Item(start, end, kind, class_ is not None and text.count(class_[1]) == 1)


def row_texts(text: str, position: int) -> frozenset[str]:
    """Return the texts of the row around ``position``, as a browser shows them; none: it is in no
    row."""
    item = next((one for one in items_around(text, position) if not one.alone), None)
    if item is None:
        return frozenset()
    found = ELEMENT.finditer(text, item.start, min(item.end + 1, len(text)))
    return frozenset(unescape(one[1].rstrip()) for one in islice(found, _MOST_TEXTS))
