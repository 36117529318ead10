"""Tokens that a text writes with escapes: ``a\\/b\\u003d`` in a script, ``a&#x2F;b`` in HTML.

They nest: an attribute of HTML holds JSON, which has JSON in a string, and an address in that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from pytest_loadtool.codec.filters import UNDO, filtered
from pytest_loadtool.correlation.producer import Wanted
from pytest_loadtool.correlation.requests.decoded_view import OWN_FILTER, View
from pytest_loadtool.correlation.responses.tokens import escaped_words, tokens
from pytest_loadtool.model.place import Place


@dataclass(frozen=True, slots=True)
class _Level:
    """The characters that may stand in a token: ``escapes`` in it or right beside it, and
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
_BASE64 = re.compile(
    r"(?=(?:.{4}){4,}\Z)(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])(?:[A-Za-z0-9+/]+|[\w-]+)={0,2}", re.ASCII
)


def escaped(text: str, wanted: Wanted, known: Set[str] = frozenset()) -> Iterator[tuple[str, str]]:
    """Yield the wanted tokens that the text holds with escapes in them or right beside them: each
    as it is, and as the text writes it. Those that are ``known`` are not looked for."""
    if not any(level.escapes.search(text) for level in _LEVELS):
        return
    source = plain = escaped_words(text)
    for depth, level in enumerate(_LEVELS, 1):
        if not level.escapes.search(plain):
            continue
        plain = _decoded(plain, level)
        found = wanted.intersection(tokens(plain)) - known
        if found:
            yield from _as_written(source, sorted(found), _LEVELS[:depth])
        known = found | known


def _decoded(text: str, level: _Level) -> str:
    if level.place is Place.JSON_STRING and "\\\\" not in text:
        text = text.replace("\\/", "/")  # most escapes of PHP: 20 times as fast
    return filtered(text, (level.undo,))


def _as_written(
    source: str, values: Iterable[str], levels: Iterable[_Level]
) -> Iterator[tuple[str, str]]:
    """Yield each of the values that ``source`` holds below these levels, and what it has in its
    place."""
    view = View(source, 0, len(source), Place.TEXT)
    for level in levels:
        view = View(view.text, 0, len(view.text), level.place, view)
    for value in values:
        start = view.text.find(value)
        if start >= 0:
            yield value, source[view.at(start) : view.at(start + len(value))]


def decoding(text: str, raw: str, value: str) -> tuple[str, ...]:
    """Return the filters that make ``value`` of what the text writes for it, today and on another
    day.

    Of base64, every other token of 32 bytes has a ``/``, and PHP's json_encode writes ``\\/``: so a
    token without one takes the filters of the escapes that the text has elsewhere, too.
    """
    filters: tuple[str, ...] = ()
    may_differ = is_base64(value)
    for level in _LEVELS:
        decoded = filtered(raw, (level.undo,))
        if decoded != raw or (may_differ and level.of_base64.search(text)):
            filters += (level.undo,)
        raw = decoded
    return filters if raw == value else ()


def is_base64(value: str) -> bool:
    """Return whether a token is base64 by its looks, that of addresses included: the next one may
    have a ``+`` or ``/`` in it, or end in ``=``."""
    return _BASE64.fullmatch(value) is not None


def base64_within(value: str, filters: tuple[str, ...]) -> str:
    """Return a pattern for base64 that these filters write within an address: up to an escape that
    is none of its own. ``value`` is the pattern of one that has none: a group with characters that
    it has not, such as ``([^&]+)``."""
    own = "%" + "25" * filters.count("url")
    return f"((?:{value[1:-2].replace('[^', '[^%')}|{own}(?:2[BFbf]|3[Dd]|5[Cc]))+)"


def disguises(values: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the value and the filter that decodes, by what a value is in another encoding as a
    whole."""
    return {
        written: (value, undo)
        for value in values
        for coding, undo in UNDO.items()
        if (written := filtered(value, (coding,))) != value
    }
