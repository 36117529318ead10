"""Partial responses: fields that a script of the page puts into the form that is there already.

* ASP.NET AJAX (UpdatePanel) answers with ``length|type|id|content|``, repeated; the length counts
  the UTF-16 units of the content, which may hold anything. Hidden fields are of type hiddenField.
* JSF (Jakarta Faces 4.0 §13.4.4) answers with XML; an ``update`` whose id names the view state or
  the client window holds its new value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_PARTIAL = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<partial-response[\s>]|\d+\|[^|<]*\|[^|<]*\|")
_HEAD = re.compile(r"(\d+)\|([^|]*)\|([^|]*)\|")
_UPDATE = re.compile(
    r"""<update\s+id\s*=\s*["']([^"']*)["']\s*>\s*<!\[CDATA\[(.*?)\]\]>\s*</update""", re.DOTALL
)
_STATE = re.compile(r"(?:javax|jakarta)\.faces\.(?:ViewState|ClientWindow)")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def is_partial(text: str) -> bool:
    """Return whether a body is a partial response of one of these kinds."""
    return _PARTIAL.match(text) is not None


def partial_fields(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and new value of each field that a partial response brings, in order."""
    return _of_update_panel(text) if text[:1].isdigit() else _of_faces(text)


def _of_update_panel(text: str) -> Iterator[tuple[str, str]]:
    units = _ASTRAL.sub(_surrogates, text)
    position = 0
    while (head := _HEAD.match(units, position)) is not None:
        position = head.end() + int(head[1])
        if head[2] == "hiddenField":
            content = units[head.end() : position]
            yield head[3], content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        position += 1  # the bar that ends the content


def _surrogates(found: re.Match[str]) -> str:
    over = ord(found[0]) - 0x10000
    return chr(0xD800 + (over >> 10)) + chr(0xDC00 + (over & 0x3FF))


def _of_faces(text: str) -> Iterator[tuple[str, str]]:
    for update in _UPDATE.finditer(text):
        name = _STATE.search(update[1])
        if name is not None:
            yield name[0], update[2]
