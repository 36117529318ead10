"""Links: the addresses in a page, and the texts that a person clicks on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_loadtool.model.entities import unescape

__all__ = ["label_at", "links"]

_LINK = re.compile(
    r"""[\s"'](?=[adfhs])(?:(?:form)?action|href|src"""
    r"""|data-[\w-]*(?:ur[il]|href|src|action)(?:-value)?"""
    r"""|(?:data-)?hx-(?:get|post|put|patch|delete))\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^<>]*+>\s*+([^<>]{1,200}?)\s*+<")
#: How much text behind an address is looked at for what a person clicks on.
_LONGEST_TAG = 5000


def links(text: str) -> Iterator[tuple[str, str, int]]:
    """The addresses a page links to or submits to: as the browser reads them, as written, and where
    they end.
    """
    for found in _LINK.finditer(text):
        raw = found[1] or found[2] or found[3] or ""
        yield (unescape(raw) if "&" in raw else raw), raw, found.end()


def label_at(text: str, end: int) -> str:
    """The text of the link whose address ends there."""
    label = _LABEL.match(text, end, end + _LONGEST_TAG)
    return unescape(label[1]) if label else ""
