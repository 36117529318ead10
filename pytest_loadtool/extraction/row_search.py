"""A text in the rows of a page's lists and tables, or in one element of XML.

The hot path has no time for a parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from pytest_loadtool.codec.entities import as_written, in_markup

#: What HTML has among its first tags; or, of a part of a page or HTML in XML, what it begins with.
_HTML: Final = re.compile(
    r"<(?:!doctype\s+html|html|head|body|div|table|p|ul|ol|form)\b"
    r"|(?:\A|<!\[CDATA\[)\s*<(?:t[dhr]|tbody|thead|li|d[ldt]|span|h[1-6]|button|input)\b",
    re.IGNORECASE,
)
# Possessive: what a script compares (``a<b``) is no tag, and must not cost quadratic time.
_TAG: Final = re.compile(r"<(/?)([A-Za-z_][^\s<>/]*+)[^<>]*+(?<=(/)|[^/])>")
#: How much of a text is looked at to tell what it is written in.
_BEGINNING: Final = 1000

#: The elements that are rows.
ROWS: Final = ("tr", "li", "article")
_ENDS: Final = tuple((f"<{one}", f"</{one}") for one in ROWS)
#: Rows that need no end tag (HTML §13.1.2.4), by the one that they have not, and what is behind
#: them then: the next one, or the end of their list, group 2; group 1 is of an end tag.
_ENDLESS: Final = {
    "</tr": re.compile(r"<(/?)(?:(table)|tr|tbody|thead|tfoot)(?=[\s>/])"),
    "</li": re.compile(r"<(/?)(?:([ou]l|menu)|li)(?=[\s>/])"),
}
#: What is behind the name of a tag: ``<li>``, not ``<link>``.
_BEHIND: Final = frozenset(" >\t\r\n")
#: A row that begins further ahead is no row.
LONGEST_ROW: Final = 20_000
#: In how many rows that have the one text the other is looked for.
_MOST_ROWS: Final = 50


#: Finds where the row around a place of a text starts and ends; twice 0 if there is none.
FindRow = Callable[[str, int], tuple[int, int]]


def in_row(text: str, anchor: str, wanted: str, find: FindRow | None = None) -> bool:
    """Return whether one row, a ``tr``, ``li`` or ``article``, or what ``find`` finds around a
    place, has both texts, as they are or with character references. In XML, whether the element
    around that with the first text has."""
    return any(in_markup(wanted, text[start:end]) for start, end in _rows(text, anchor, find))


def _rows(text: str, anchor: str, find: FindRow | None) -> Iterator[tuple[int, int]]:
    anchor = as_written(anchor, text)
    at, seen = text.find(anchor), 0
    while at >= 0 and seen < _MOST_ROWS:
        if find is not None:
            start, end = find(text, at)
        else:
            start, end = _with_attribute(text, at) or row_around(text, at)
        if end:
            yield start, end
        seen += 1
        at = text.find(anchor, max(at + 1, end))


def _with_attribute(text: str, at: int) -> tuple[int, int] | None:
    """Return where the element of XML starts and ends that has an attribute at ``at``; None: there
    is none."""
    opened = text.rfind("<", max(0, at - LONGEST_ROW), at)
    if opened <= text.rfind(">", 0, at + 1) or looks_like_html(text):
        return None
    tag = _TAG.match(text, opened)
    if tag is None or tag[1]:
        return None
    return (opened, tag.end()) if tag[3] else _closed(text, tag[2], opened)


def row_around(text: str, at: int) -> tuple[int, int]:
    """Return where the innermost row around ``at`` starts and ends; in XML, the element around that
    at ``at``. Twice 0 if there is none."""
    if not looks_like_html(text):
        return _parent(text, at)
    first, before = max(0, at - LONGEST_ROW), at
    while True:
        best, closing = -1, ""
        for opening, close in _ENDS:
            start = _last(text, opening, first, before)
            if start > best and text.find(close, start, at) < 0:
                best, closing = start, close
        if best < 0:
            return 0, 0
        end = text.find(closing, at)
        if end < 0:
            end = _without_end_tag(text, closing, best)
        if end > at:
            return best, end
        before = best


def _without_end_tag(text: str, closing: str, start: int) -> int:
    """Return where the row ends that starts there, as none behind it has an end tag."""
    depth = 0
    for tag in _ENDLESS[closing].finditer(text, start + 1) if closing in _ENDLESS else ():
        if tag[2]:
            depth += -1 if tag[1] else 1
        if depth < 0 or not (depth or tag[2]):
            return tag.start()
    return len(text)


def _last(text: str, opening: str, first: int, end: int) -> int:
    """Return where the last such tag starts; -1 if there is none."""
    start = text.rfind(opening, first, end)
    while start >= 0:
        behind = start + len(opening)
        if text[behind : behind + 1] in _BEHIND:
            break
        start = text.rfind(opening, first, start)
    return start


def looks_like_html(text: str) -> bool:
    """Return whether markup is HTML; else it is XML."""
    return _HTML.search(text, 0, _BEGINNING) is not None


def _parent(text: str, at: int) -> tuple[int, int]:
    """Return where the element around the one around ``at`` starts and ends."""
    open_: list[tuple[str, int]] = []
    for tag in _TAG.finditer(text, max(0, at - LONGEST_ROW), at + 1):
        if tag[1]:
            while open_ and open_.pop()[0] != tag[2]:
                pass
        elif not tag[3]:
            open_.append((tag[2], tag.start()))
    if len(open_) < 2:
        return 0, 0
    return _closed(text, *open_[-2])


def _closed(text: str, name: str, start: int) -> tuple[int, int]:
    """Return where the element that starts there starts and ends."""
    if text.find(f"</{name}", start) < 0:  # as of what a script compares: ``a<b``
        return 0, 0
    depth = 0
    for tag in _TAG.finditer(text, start):
        if tag[2] == name and not tag[3]:
            depth += -1 if tag[1] else 1
            if not depth:
                return start, tag.end()
    return 0, 0
