"""Calls of scripts in rows of pages: what a click hands to a function, as
``<a href="javascript:__doPostBack('Grid','Delete$3')">``.

Such an argument tells one row from another by its number; a number alone is found in any list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

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
#: How many such attributes of a page are read, and how much of each.
_MOST_CALLS, _LONGEST_CODE = 2_000, 1_000


def in_calls(text: str, transaction: int, wanted: Wanted) -> Iterator[Producer]:
    """Yield the wanted arguments with a number in them of calls in rows; `Producer.text` is the
    pattern of such calls."""
    if "(" not in text:  # quicker than to look for what runs
        return
    for script in islice(_SCRIPT.finditer(text), _MOST_CALLS):
        at = 1 if script[2] is None else 2
        code = script[at][:_LONGEST_CODE]
        found = [(one, unescape(one[2])) for one in _ARGUMENT.finditer(code)]
        told = [(one, value) for one, value in found if value in wanted and _tells(value)]
        labels = row_texts(text, script.start(at)) if told else frozenset()
        for one, value in told if labels else ():
            if (function := _function(code, one.start())) is not None:
                before = code[function.start() : one.start(2)]
                pattern = f"{_any_number(before)}({_any_number(one[2])}){escaped_text(one[1])}"
                yield Producer(
                    transaction, ProducerKind.CALL, function[1], value, text=pattern, labels=labels,
                    encoded=one[2] if one[2] != value else None,
                    filters=("unhtml",) if one[2] != value else (),
                )  # fmt: skip


def _function(code: str, end: int) -> re.Match[str] | None:
    """Return the last call that opens before ``end``."""
    return next(reversed([*_FUNCTION.finditer(code, 0, end)]), None)


def _tells(value: str) -> bool:
    """Return whether it may tell one row from another."""
    numbered = _NUMBER.search(value) is not None and not value.isdigit()
    return numbered and _SHORTEST <= len(value) <= _LONGEST


def _any_number(text: str) -> str:
    """Return a pattern for the text, with whatever numbers."""
    parts = _NUMBER.split(text)
    return r"\d+".join(map(escaped_text, parts))
