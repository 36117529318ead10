"""Links: the addresses in a page, and the texts that a person clicks on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_loadtool.codec.entities import unescape

# Possessive, the most frequent first, and only HTML's own white space: all pages of a recording are
# searched.
_LINK = re.compile(
    r"""[\t-\r "'](?-i:(?=[adfhsADFHS]))(?:href|src|(?:form)?action"""
    r"""|data-[\w-]*(?:ur[il]|href|src|action)(?:-value)?|(?:data-)?hx-(?:get|post|put|patch|delete))"""
    r"""\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']++))""",
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
