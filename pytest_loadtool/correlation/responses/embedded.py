"""JSON in the scripts of pages: the state that a page comes with, which its scripts read.

``<script type="application/json" id="state">{…}</script>`` and ``window.__APP__ = {…};`` at the end
of a script; and ``<div data-page="{…}">``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.flattened import expanded
from pytest_loadtool.correlation.responses.json_rows import with_named_rows
from pytest_loadtool.extraction.page import escaped_text

#: Group 1 are the attributes, group 2 is the name that JSON gets, group 3 the JSON.
_SCRIPT = re.compile(
    r"<script\b([^<>]*)>\s*(?:(?:window\.|self\.|var |let |const )?([\w$.]+)\s*=\s*)?"
    r"([\[{](?:(?!</script)[\s\S])*[\]}])\s*;?\s*</script",
    re.IGNORECASE,
)
#: Group 1 is an attribute, group 2 JSON in it that begins in braces.
_ATTRIBUTE = re.compile(
    r"""\s([\w:.-]{1,60})="((?:\{|\[\{)&(?:quot|#34|#x22);[^"<>]*)\""""
    r"""|\s([\w:.-]{1,60})='((?:\{|\[\{)"[^'<>]*)'"""
)
_ID = re.compile(r"""\sid=(["'])([\w.:-]+)\1""")
#: Shorter texts have nothing that is one of several; of longer ones nothing is said.
_SHORTEST, _LONGEST = 20, 1 << 20


@dataclass(frozen=True, slots=True)
class Embedded:
    """A document in a page: where its text begins, that text, a pattern that takes it, and what it
    says."""

    start: int
    text: str
    pattern: str
    document: Any
    decode: tuple[str, ...] = ()
    """What makes the text of what is written in the page."""
    written: str = ""
    name: str = ""
    """What its script calls it, or what its element is called."""

    def steps_to(self, value: str) -> tuple[str | int, ...]:
        """Return the way to the first place of a value; empty if it is no value of the document."""
        stack: list[tuple[tuple[str | int, ...], Any]] = [((), self.document)]
        while stack:
            steps, one = stack.pop()
            if isinstance(one, dict):
                stack += [((*steps, key), child) for key, child in reversed(one.items())]
            elif isinstance(one, list):
                stack += [((*steps, at), child) for at, child in reversed([*enumerate(one)])]
            elif str(one) == value:
                return steps
        return ()


@lru_cache(maxsize=2)
def embedded(text: str) -> tuple[Embedded, ...]:
    """Return the documents in a page."""
    found = list(_embedded(text)) if "<script" in text else []
    if '="{&' in text or '="[{&' in text or "='{\"" in text or "='[{\"" in text:
        found += _in_attributes(text)
    return tuple(found)


def embedded_at(text: str, at: int) -> Embedded | None:
    """Return the document around a place of a page."""
    found = (one for one in embedded(text) if one.start <= at < one.start + len(one.written))
    return next(found, None)


def _embedded(text: str) -> Iterator[Embedded]:
    for found in _SCRIPT.finditer(text):
        if not _SHORTEST <= len(found[3]) <= _LONGEST:
            continue
        try:
            document = with_named_rows(expanded(json.loads(found[3])), found[3])
        except (ValueError, RecursionError):
            continue
        id_ = _ID.search(found[1])
        called, id_name = found[2] or "", id_[2] if id_ else ""
        pattern = _pattern(called, id_name)
        yield Embedded(
            found.start(3), found[3], pattern, document, written=found[3], name=called or id_name
        )


def _in_attributes(text: str) -> Iterator[Embedded]:
    """Yield the documents in attributes of which a page has one: of others, any may be meant."""
    several = Counter(one[1] or one[3] for one in _ATTRIBUTE.finditer(text))
    for found in _ATTRIBUTE.finditer(text):
        name, written = found[1] or found[3], found[2] or found[4]
        plain = unescape(written)
        if several[name] > 1 or not _SHORTEST <= len(plain) <= _LONGEST:
            continue
        try:
            document = with_named_rows(expanded(json.loads(plain)), plain)
        except (ValueError, RecursionError):
            continue
        mark = '"' if found[1] else "'"
        pattern = rf"\s{escaped_text(name)}={mark}([^{mark}<>]*){mark}"
        start = found.start(2 if found[1] else 4)
        yield Embedded(start, plain, pattern, document, ("html",), written)


def _pattern(name: str, id_name: str) -> str:
    """Return what finds that JSON: by the name that it gets, the id of its script, or as it
    comes."""
    if name:
        return rf"\b{escaped_text(name)}\s*=\s*([\[{{][\s\S]*?[\]}}])\s*;?\s*</script"
    tag = rf'[^<>]*\sid=["\']{escaped_text(id_name)}["\'][^<>]*' if id_name else "[^<>]*"
    return rf"<script\b{tag}>\s*([\[{{][\s\S]*?[\]}}])\s*</script"
