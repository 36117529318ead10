"""Links, forms, choices and items of lists in HTML pages, without a parser: the hot path of replay
has no time for one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Final

from pytest_loadtool.codec.entities import WRITTEN, unescape
from pytest_loadtool.codec.template import Template
from pytest_loadtool.extraction.address import VALUE, Address, Filled, Fills
from pytest_loadtool.extraction.row_search import LONGEST_ROW, FindRow, row_around
from pytest_loadtool.extraction.tags import (
    attributes,
    choices,
    control_value,
    named_controls,
    select_end,
)
from pytest_loadtool.model.extractor import Choice, FormField, Link

_FORM: Final = re.compile(r"<form(?=[\s>])", re.IGNORECASE)
_FORM_END: Final = re.compile(r"</form\b|<form(?=[\s>])", re.IGNORECASE)
_OPTION: Final = re.compile(r"<option(?=[\s>/])", re.IGNORECASE)
_BLANK: Final = " \t\r\n\f"
_QUOTES: Final = "\"'"
#: What items end with that are calls of a script.
CALL: Final = "()"
_SPECIAL: Final = re.compile(r"[\\.^$*+?{}\[\]|()]")
#: Characters that markup has character references for (HTML §13.5), and how they are written.
_MARKUP: Final = {
    "&": "amp|#38|#x26",
    "<": "lt|#60|#x3c",
    ">": "gt|#62|#x3e",
    '"': "quot|#34|#x22",
    "'": "apos|#0?39|#x27",
}
#: At how many places of the one text an item is looked for, and the value in it.
_MOST_ITEMS: Final = 50
#: How many tags a link's text may stand in, with its own.
_MOST_TAGS: Final = 8
#: Stands in a label for the value that is in the address of its link.
_AGAIN: Final = "\0"
#: From the text of a page and a user's values to the value.
Find = Callable[[str, Sequence[str]], str | None]
#: Behind the end of any text.
_ALL: Final = 1 << 62


def escaped_text(text: str) -> str:
    """Return a pattern for this very text. As re.escape, without what needs no escape: people read
    it."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def page_text(text: str) -> str:
    """Return a pattern for this text as it is, or as markup writes it, with character
    references."""
    return "".join(
        f"(?:{one}|&(?i:{_MARKUP[one]});)" if one in _MARKUP else escaped_text(one) for one in text
    )


def bind_link(source: Link, match: int, fills: Fills) -> Find:
    """Return a function that finds the value in the ``match``-th (from 1) of the links with such an
    address, and with the label if there is one."""
    address = Address(source.address, fills)
    called = fills(Template.parse(source.label.replace(VALUE, _AGAIN)))
    any_label = not source.label

    def find(text: str, values: Sequence[str]) -> str | None:
        filled, label = address.filled(values), called(values)
        if filled is None or not (label or any_label):
            return None
        found: Iterator[str]
        if not label:
            found = (value for value, _ in _links(text, filled))
        elif _AGAIN in label:
            found = (one for one, end in _links(text, filled) if _is_called(text, end, one, label))
        else:
            found = _called(text, filled, label)
        return next(islice(found, match - 1, None), None)

    return find


def _links(
    text: str, address: Filled, position: int = 0, limit: int = _ALL
) -> Iterator[tuple[str, int]]:
    """Yield the values of the links with such an address, and where each address ends."""
    start, end = address.next_in(text, position, limit)
    while 0 <= start < limit:
        value = address.fits(text[start:end])
        if value:
            yield value, end
        start, end = address.next_in(text, end, limit)


def _called(text: str, address: Filled, label: str) -> Iterator[str]:
    """Yield the values of those with that label: it is behind the tag, or within further tags."""
    for at in _places(text, label):
        start = at
        for _ in range(_MOST_TAGS):
            behind, start = start, text.rfind("<", 0, start)
            if start < 0 or text.startswith("</a", start) or _has_text(text, behind, at):
                break
            found = next(_links(text, address, start, behind), None)
            if found is not None:
                yield found[0]
                break


def _has_text(text: str, start: int, end: int) -> bool:
    """Return whether a person can read something between the tag that begins there and ``end``."""
    if start == end:
        return False
    behind = text.find(">", start, end) + 1
    following = text.find("<", behind, end)
    return bool(text[behind : end if following < 0 else following].strip())


def _is_called(text: str, end: int, value: str, label: str) -> bool:
    """Return whether the tag in which an address ends there has that label, with the value in
    it."""
    start = text.find(">", end) + 1
    written = text[start : text.find("<", start)].strip()
    return bool(start) and unescape(written) == label.replace(_AGAIN, value)


def bind_form_field(source: FormField, match: int, fills: Fills) -> Find:
    """Return a function that finds the value of the ``match``-th control of that name in forms with
    such an action."""
    action, name_of = Address(source.action, fills), fills(Template.parse(source.name))

    def find(text: str, values: Sequence[str]) -> str | None:
        filled, name = action.filled(values), name_of(values)
        inside = _forms(text, filled) if filled is not None and name else iter(())
        found = ((form, one) for form in inside for one in named_controls(form, name))
        for form, (tag, control, end) in islice(found, match - 1, None):
            return control_value(form, tag, control, end)
        return None

    return find


def _forms(text: str, action: Filled) -> Iterator[str]:
    """Yield what is in the forms that submit to such an address."""
    at = last = tag = -1
    while (found_at := text.find(action.needle, at + 1)) >= 0:
        # Only what was not looked through before: there may be many addresses behind one tag.
        tag = max(tag, text.rfind("<", max(at, 0), found_at))
        at = found_at
        form = _FORM.match(text, tag) if tag > last else None
        if form is None:
            continue
        last = tag
        found, start = attributes(text, form.end())
        if action.fits(found.get("action", "")) is not None:
            close = _FORM_END.search(text, start)
            yield text[start : close.start() if close is not None else len(text)]


def bind_choice(source: Choice, match: int, fills: Fills) -> Find:
    """Return a function that finds what the ``match``-th choice with that label submits, in a
    control of that name."""
    name_of, label_of = fills(Template.parse(source.name)), fills(Template.parse(source.label))

    def find(text: str, values: Sequence[str]) -> str | None:
        name, label = name_of(values), label_of(values)
        found = _choices(text, name, label) if name and label else iter(())
        return next(islice(found, match - 1, None), None)

    return find


def _choices(text: str, name: str, label: str) -> Iterator[str]:
    for tag, found, end in named_controls(text, name):
        if tag == "select":
            yield from _options(text, label, end)
            continue
        for value, written in choices(text, tag, found, end):
            if unescape(written) == label:
                yield value


def _options(text: str, label: str, end: int) -> Iterator[str]:
    """Yield the values of the options with that label in the select whose tag ends there."""
    limit = select_end(text, end)
    for at in _places(text, label, end, limit):
        found = _OPTION.match(text, text.rfind("<", end, at))
        if found is not None:
            value = attributes(text, found.end())[0].get("value")
            yield label if value is None else value


def in_items(
    text: str, anchor: str, item: str, take: Callable[[str], str | None], number: int = 1
) -> str | None:
    """Return what ``take`` finds in the first of the items that have an element with exactly that
    text, or in the one of that ``number`` of those in which it finds something.

    An item is a ``tr``, ``li`` or ``article``, in XML the element around that with the text, or
    what ``item`` says: ``div.card``; or a call of a script, ``add_row()``, with exactly that text
    in quotes.
    """
    seen = last = 0
    is_call = item.endswith(CALL)
    for at in _quoted(text, anchor) if is_call else _places(text, anchor):
        if at < last:
            continue
        if is_call:
            start, end = _call_around(text, at, item[:-1])
        else:
            start, end = item_around(text, at, item) if item else row_around(text, at)
        value = take(text[start:end]) if end else None
        seen += 1
        number -= value is not None
        if not number or seen == _MOST_ITEMS:
            return value
        last = end
    return None


def _places(text: str, anchor: str, start: int = 0, limit: int = _ALL) -> Iterator[int]:
    """Yield where an element has that text and no other."""
    if WRITTEN.search(anchor):
        for found in _pattern(anchor).finditer(text, start, min(limit + 1, len(text))):
            yield found.start() + 1
        return
    length = len(anchor)
    at = text.find(anchor, start, limit)
    while at >= 0:
        before, behind = at - 1, at + length
        while before >= 0 and text[before] in _BLANK:
            before -= 1
        if before >= 0 and text[before] == ">":
            while behind < len(text) and text[behind] in _BLANK:
                behind += 1
            if text[behind : behind + 1] == "<":
                yield at
        at = text.find(anchor, at + length, limit)


def _quoted(text: str, anchor: str) -> Iterator[int]:
    """Yield where a text stands in quotes, and no other with it; of scripts within JSON, too."""
    at = text.find(anchor)
    while at >= 0:
        end = at + len(anchor)
        if at and text[at - 1] in _QUOTES and text[end : end + 1] in ('"', "'", "\\"):
            yield at
        at = text.find(anchor, end)


def _call_around(text: str, at: int, opening: str) -> tuple[int, int]:
    """Return where the call around ``at`` starts and ends that opens so; twice 0 if there is
    none."""
    start = text.rfind(opening, max(0, at - LONGEST_ROW), at)
    if start < 0 or text.find(");", start, at) >= 0:
        return 0, 0
    end = text.find(")", at)
    return start, len(text) if end < 0 else end


@lru_cache(maxsize=256)
def _pattern(anchor: str) -> re.Pattern[str]:
    return re.compile(rf">\s*+{page_text(anchor)}\s*+<")


def row_finder(item: str) -> FindRow | None:
    """Return what finds the item around a place; None of rows, which are found without."""
    return partial(item_around, item=item) if item else None


def item_around(text: str, at: int, item: str) -> tuple[int, int]:
    """Return where the innermost element of that name and with those classes starts and ends that
    is around ``at``; twice 0 if there is none."""
    tag, *classes = item.split(".")
    opening, first = f"<{tag}", max(0, at - LONGEST_ROW)
    tags = _tags(tag)
    start = text.rfind(opening, first, at)
    while start >= 0:
        found = tags.match(text, start)
        if found is not None:
            has = attributes(text, found.end())[0].get("class", "").split() if classes else []
            if set(classes) <= set(has):
                end = _end(text, tags, start, tag.lower())
                if end > at:
                    return start, end
        start = text.rfind(opening, first, start)
    return 0, 0


def _end(text: str, tags: re.Pattern[str], start: int, tag: str) -> int:
    """Return where the element ends that starts there."""
    if tag in UNNESTED:
        found = _behind(tag).search(text, start + 1, start + LONGEST_ROW)
        return found.start() if found is not None else min(len(text), start + LONGEST_ROW)
    depth = 0
    for one in tags.finditer(text, start, start + LONGEST_ROW):
        depth += -1 if one[1] else 1
        if not depth:
            return one.start()
    return min(len(text), start + LONGEST_ROW)


#: What no paragraph has in it: where such an element begins or ends, the paragraph has ended.
_BLOCKS: Final = (
    "address|article|aside|blockquote|body|center|d[dlt]|details|div|dialog|fieldset|figcaption"
    "|figure|footer|form|h[1-6]|header|hgroup|hr|li|main|menu|nav|ol|pre|search|section|summary"
    "|table|t[dhr]|ul"
)
#: Elements that are in none of their kind, so that they need no end tag (HTML §13.1.2.4), and what
#: is behind each: a term goes on until the next, with what is said of it.
UNNESTED: Final = {
    "dt": r"<dt(?=[\s>/])|</dl\b",
    "option": r"</?(?:option|optgroup)(?=[\s>/])|</select\b",
    "p": rf"</?(?:p|{_BLOCKS})(?=[\s>/])",
}


@lru_cache(maxsize=64)
def _behind(tag: str) -> re.Pattern[str]:
    return re.compile(UNNESTED[tag], re.IGNORECASE)


@lru_cache(maxsize=64)
def _tags(tag: str) -> re.Pattern[str]:
    return re.compile(rf"<(/?){tag}(?=[\s>/])", re.IGNORECASE)
