"""Tokens that a text writes with escapes: ``a\\/b\\u003d`` in a script, ``a&#x2F;b`` in HTML.

They nest: an attribute of HTML holds JSON, which has JSON in a string, and an address in that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_loadtool.correlation.tokens import escaped_words, tokens
from pytest_loadtool.correlation.views import OWN_FILTER, View
from pytest_loadtool.model.filters import UNDO, filtered
from pytest_loadtool.model.place import Place

__all__ = ["decoding", "escaped"]


@dataclass(frozen=True, slots=True)
class _Level:
    """What may be written in what: ``escapes`` may stand in a token or right beside it, and
    ``of_base64`` are those of its characters that are no letters and digits."""

    place: Place
    escapes: re.Pattern[str]
    of_base64: re.Pattern[str]

    @property
    def undo(self) -> str:
        """The filter that decodes it."""
        return UNDO[OWN_FILTER[self.place]]


_CODES = "(?:2[bBfF]|3[dD])"
_LEVELS = (
    _Level(Place.XML, re.compile("&#"), re.compile(f"&#(?:[xX]{_CODES}|4[37]|61);")),
    *(
        _Level(
            Place.JSON_STRING,
            re.compile(r"\\[/ux]"),
            re.compile(rf"{backslash}(?:/|(?:u00|x){_CODES})"),
        )
        for backslash in (r"\\", r"\\\\")
    ),
    _Level(Place.QUERY, re.compile("%[2357][0-9a-fA-F]"), re.compile(r"\Z.")),
)
_BASE64 = re.compile(r"(?=(?:.{4}){4,}\Z)(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+/]+={0,2}")


def escaped(text: str, wanted: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The wanted tokens that the text holds with escapes in them or right beside them: each as it
    is, and as the text writes it."""
    if not wanted or not any(level.escapes.search(text) for level in _LEVELS):
        return
    source = escaped_words(text)
    view = View(source, 0, len(source), Place.TEXT)
    for level in _LEVELS:
        if not level.escapes.search(view.text):
            continue
        view = View(view.text, 0, len(view.text), level.place, view)
        found = wanted.intersection(tokens(view.text))
        for value in sorted(found):
            start = view.text.find(value)
            yield value, source[view.at(start) : view.at(start + len(value))]
        wanted -= found


def decoding(text: str, raw: str, value: str) -> tuple[str, ...]:
    """The filters that make ``value`` of what the text writes for it, today and on another day.

    Of base64, every other token of 32 bytes has a ``/``, and PHP's json_encode writes ``\\/``: so a
    token without one takes the filters of the escapes that the text has elsewhere, too.
    """
    filters: tuple[str, ...] = ()
    is_base64 = _BASE64.fullmatch(value) is not None
    for level in _LEVELS:
        decoded = filtered(raw, (level.undo,))
        if decoded != raw or (is_base64 and level.of_base64.search(text)):
            filters += (level.undo,)
        raw = decoded
    return filters if raw == value else ()
