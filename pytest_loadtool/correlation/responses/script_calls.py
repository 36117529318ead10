"""Calls of scripts in rows of pages: what a click hands to a function, as
``<a href="javascript:__doPostBack('Grid','Delete$3')">``.

Such an argument tells one row from another by its number; a number alone is found in any list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.correlation.producer import Producer, Wanted
from pytest_loadtool.correlation.responses.markup_items import row_texts
from pytest_loadtool.extraction.page import escaped_text
from pytest_loadtool.model.rule import ProducerKind

#: Group 1 or 2 is what runs: of a link, or of any event.
_SCRIPT = re.compile(
    r"""\s(?:href\s*=\s*"\s*javascript:|on[a-z]+\s*=\s*")([^"<>]*)"""
    r"""|\s(?:href\s*=\s*'\s*javascript:|on[a-z]+\s*=\s*')([^'<>]*)""",
    re.IGNORECASE,
)
_FUNCTION = re.compile(r"([\w$.]+)\s*\(")
#: Group 2 is what stands in quotes, however these are written.
_ARGUMENT = re.compile(r"""('|"|&#0*39;|&#x27;|&quot;|&apos;)([^'"<>]*?)\1""")
#: Not the number of a character reference.
_NUMBER = re.compile(r"(?<!&#)(?<!&#\d)(?<!&#\d\d)\d+")
#: A shorter one is anywhere; a longer one is a text.
_SHORTEST, _LONGEST = 3, 200
#: How many calls of a page are read.
_MOST_CALLS = 2_000


def in_calls(text: str, transaction: int, wanted: Wanted) -> Iterator[Producer]:
    """Yield the wanted arguments with a number in them of calls in rows; `Producer.text` is the
    pattern of such calls."""
    for count, script in enumerate(_SCRIPT.finditer(text)):
        if count == _MOST_CALLS:
            return
        start = script.start(1 if script[2] is None else 2)
        code = script[1] or script[2] or ""
        for found in _ARGUMENT.finditer(code):
            raw = found[2]
            value = unescape(raw) if "&" in raw else raw
            if value not in wanted or not _tells(value):
                continue
            functions = [*_FUNCTION.finditer(code, 0, found.start())]
            labels = row_texts(text, start) if functions else ()
            if labels:
                before = code[functions[-1].start() : found.start(2)]
                pattern = f"{_any_number(before)}({_any_number(raw)}){escaped_text(found[1])}"
                yield Producer(
                    transaction, ProducerKind.CALL, functions[-1][1], value, text=pattern,
                    labels=frozenset(labels), encoded=raw if raw != value else None,
                    filters=("unhtml",) if raw != value else (),
                )  # fmt: skip


def _tells(value: str) -> bool:
    """Return whether it may tell one row from another."""
    numbered = _NUMBER.search(value) is not None and not value.isdigit()
    return numbered and _SHORTEST <= len(value) <= _LONGEST


def _any_number(text: str) -> str:
    """Return a pattern for the text, with whatever numbers."""
    parts = _NUMBER.split(text)
    return r"\d+".join(map(escaped_text, parts))
