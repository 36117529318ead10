"""Decoded text, and where each of its characters stands in the text that it was decoded from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import unquote

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.filters import FILTERS
from pytest_loadtool.model.place import Place

# One character each: a percent-encoded one is as long as its UTF-8 (RFC 3629 §4).
_NEXT = r"%[89ab][0-9a-f]"
_PERCENT = (
    rf"%[0-7][0-9a-f]|%[cd][0-9a-f]{_NEXT}|%e[0-9a-f](?:{_NEXT}){{2}}|%f[0-7](?:{_NEXT}){{3}}"
    r"|%[0-9a-f]{2}"
)
_Escapes = tuple[re.Pattern[str], Callable[[str], str]]

_URL: _Escapes = (re.compile(_PERCENT, re.IGNORECASE), unquote)
_FORM: _Escapes = (
    re.compile(rf"\+|{_PERCENT}", re.IGNORECASE),
    lambda escape: " " if escape == "+" else unquote(escape),
)
_JSON: _Escapes = (
    re.compile(
        r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.", re.DOTALL
    ),
    FILTERS["unjson"],
)
_NAME: _Escapes = (re.compile("%(?:22|0[dDaA])"), FILTERS["unurl"])
_XML: _Escapes = (re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|\w+);"), unescape)

#: The escapes of each place that has some.
_ESCAPES: Mapping[Place, _Escapes] = MappingProxyType(
    {
        Place.WHOLE_TARGET: _URL,
        Place.PATH: _URL,
        Place.QUERY: _URL,
        Place.FORM: _FORM,
        Place.JSON_STRING: _JSON,
        Place.XML: _XML,
        Place.FILE_NAME: _NAME,
    }
)

#: The filter that does within a value what the place's encoder does in a request.
OWN_FILTER: Mapping[Place, str] = MappingProxyType(
    {
        Place.PATH: "url",
        Place.QUERY: "url",
        Place.FORM: "form",
        Place.JSON_STRING: "json",
        Place.XML: "html",
    }
)


def decoded(place: Place, text: str) -> str:
    """Return what ``text`` means in that place."""
    return View(text, 0, len(text), place).text


class View:
    """``source[start:end]`` as decoded in ``place``. Of a view within a view, `at` leads out of
    both."""

    __slots__ = ("_from", "_outer", "_to", "text")

    def __init__(
        self, source: str, start: int, end: int, place: Place, outer: View | None = None
    ) -> None:
        # From each of these positions in the text on, characters stand side by side in the source.
        self._to = [0]
        self._from = [start]
        self._outer = outer
        escapes, decode = _ESCAPES.get(place, (None, str))
        if escapes is None:
            self.text = source[start:end]
            return
        pieces: list[str] = []
        length, position = 0, start
        for match in escapes.finditer(source, start, end):
            plain, character = source[position : match.start()], decode(match[0])
            pieces += (plain, character)
            length += len(plain) + len(character)
            position = match.end()
            self._to.append(length)
            self._from.append(position)
        pieces.append(source[position:end])
        self.text = "".join(pieces)

    def at(self, position: int) -> int:
        """Return where the character at ``position`` of the text starts in the outermost source."""
        last = bisect_right(self._to, position) - 1
        found = self._from[last] + position - self._to[last]
        return found if self._outer is None else self._outer.at(found)
