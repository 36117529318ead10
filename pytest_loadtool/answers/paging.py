"""Whether an answer shows all that there is, or a part: a page of a list.

Links to more are those of RFC 8288 §3 (``rel="next"``), ranges those of RFC 9110 §14.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pytest_loadtool.answers.documents import document_of, spelled

#: Names of fields, as `spelled`, that tell of more if they have something.
_NEXT = frozenset(
    {
        *("next", "nextpage", "nextcursor", "nexttoken", "nextpagetoken", "hasmore", "hasnext"),
        *("hasnextpage", "cursor"),
    }
)
#: Those with the number of pages, and with that of all resources.
_PAGES = frozenset({"totalpages", "pages", "pagecount", "lastpage"})
_TOTALS = frozenset(
    {
        *("total", "totalcount", "totalelements", "totalhits", "totalitems", "totalrecords"),
        *("totalresults", "count", "found", "numfound", "recordsfiltered", "recordstotal"),
    }
)
_NOTHING: tuple[Any, ...] = (None, False, 0, "", [], {})
#: In lower case, each with a beginning that is rare: together they take four times as long.
_LINKS = (
    re.compile(r"""rel=["']?next\b"""),
    re.compile(r"[?&;](?:page|p|offset|start|cursor|after)=\w"),
)
#: ``1-20 of 57``, and ``Content-Range: items 0-19/57``, which counts from 0.
_OF = re.compile(r"\b\d{1,9}\s*(?:[-\N{EN DASH}]|to)\s*(\d{1,9})\s*(?:of|/)\s*(\d{1,9})\b")
_RANGE = re.compile(r"\b\d{1,9}-(\d{1,9})/(\d{1,9})\b")
_COUNTS, _COUNT = ("x-total-count", "x-total"), re.compile(r"\d{1,9}")
#: How many objects are looked at, and how deep: what tells of more is at the top.
_MOST_OBJECTS, _DEEPEST = 20, 3


def is_paged(top: dict[str, Any] | None, text: str) -> bool:
    """Return whether an answer tells of pages, be it only one: by the object at the ``top`` of a
    document, or of another answer by its text."""
    if top is None:
        return _link(text) != ""
    return any(
        value not in _NOTHING and spelled(key) in _NEXT | _PAGES for key, value in top.items()
    )


def more_than_shown(headers: Sequence[tuple[str, str]], text: str) -> str:
    """Return what in an answer says that there is more than it shows; empty if nothing does."""
    found = (_in_document(text), _in_headers(headers, text))
    return next(filter(None, found), "")


def _in_document(text: str) -> str:
    try:
        document = document_of(text)
    except ValueError:
        return "" if text.lstrip()[:1] in ("{", "[") else _on_page(text)
    objects = tuple(_objects(document))
    lists = (one for each in objects for one in each.values() if isinstance(one, list))
    listed = max(map(len, lists), default=0)
    for each in objects:
        for key, value in each.items():
            name = spelled(key)
            if name in _NEXT and value not in _NOTHING:
                return f"it has {key!r}"
            number = value if isinstance(value, int) else 0
            if name in _PAGES and number > 1:
                return f"{key!r} is {number}"
            if name in _TOTALS and number > listed > 0:
                return f"{key!r} is {number}, and {listed} are listed"
    return ""


def _objects(document: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects at the top of a document, but for those in lists."""
    waiting = [(document, 0)]
    for _ in range(_MOST_OBJECTS):
        if not waiting:
            return
        value, depth = waiting.pop(0)
        if isinstance(value, dict):
            yield value
            if depth < _DEEPEST:
                waiting += ((one, depth + 1) for one in value.values() if isinstance(one, dict))


def _on_page(text: str) -> str:
    parts = (one for one in _OF.finditer(text) if int(one[1]) < int(one[2]))
    part = next(parts, None)
    return f"it shows {part[0]}" if part is not None else _link(text)


def _link(text: str) -> str:
    lowered = text.lower()
    return "it links to more" if any(one.search(lowered) for one in _LINKS) else ""


def _in_headers(headers: Sequence[tuple[str, str]], text: str) -> str:
    for name, value in headers:
        lower = name.lower()
        part = _RANGE.search(value) if lower == "content-range" else None
        if (part is not None and int(part[1]) + 1 < int(part[2])) or (
            lower == "link" and _LINKS[0].search(value.lower())
        ):
            return f"{name}: {value}"
        if lower in _COUNTS and _COUNT.fullmatch(value) and int(value) > _length(text) > 0:
            return f"{name} is {value}, and {_length(text)} are listed"
    return ""


def _length(text: str) -> int:
    """Return how many items a document has that is a list."""
    try:
        document = document_of(text)
    except ValueError:
        return 0
    return len(document) if isinstance(document, list) else 0
