"""Spellings: how one value may be written where it comes up again, by clients and by servers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from html import escape
from urllib.parse import quote

from pytest_loadtool.codec.filters import BASE64, FILTERS
from pytest_loadtool.codec.places import ENCODERS

_ENCODING_FILTERS = ("html", *BASE64, "s256")


def spellings(value: str) -> set[str]:
    """Return how a value is written in the places that values travel in."""
    return {spell(value) for spell in SPELLINGS}


def any_of(texts: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern for any of these, of several that fit the longest. It branches by the first
    character, so that most alternatives are not looked at."""
    branches: dict[str, list[str]] = {}
    for text in sorted(texts, key=lambda one: (-len(one), one)):
        branches.setdefault(text[0], []).append(re.escape(text[1:]))
    found = (f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in branches.items())
    return re.compile("|".join(found)) if branches else None


def _string(characters: str, form: str, *, nested: bool = False) -> Callable[[str], str]:
    """Return a writer of JSON strings in which these characters are escaped, too; nested in another
    string, all backslashes are two."""
    special = re.compile(f"[{characters}]")

    def write(value: str) -> str:
        text = json.dumps(value)[1:-1]
        if '"' in characters:
            text = text.replace(r"\"", '"')
        text = special.sub(lambda match: form.format(match[0], ord(match[0])), text)
        return text.replace("\\", r"\\") if nested else text

    return write


#: PHP; Gson; what stands in HTML; .NET, old and new; Django's escapejs; OWASP's encoder for
#: JavaScript.
_STRINGS = (
    ("/", "\\{0}"),
    ("&<>'=", "\\u{1:04x}"),
    ("&<>'=+", "\\u{1:04x}"),
    ("&<>'+`", "\\u{1:04X}"),
    ("\"&<>'+`", "\\u{1:04X}"),
    ("\"&<>'`=;-", "\\u{1:04X}"),
    ("\"&<>'`=;+/-", "\\x{1:02X}"),
)


def _references(characters: str) -> Callable[[str], str]:
    """Return a writer of HTML in which these characters are references, too."""
    special = re.compile(f"[{characters}]")
    return lambda value: special.sub(lambda match: f"&#x{ord(match[0]):X};", escape(value))


def _percent(value: str) -> str:
    return quote(value, safe="", errors="replace")


def _small_percent(value: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), _percent(value))


SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    *ENCODERS.values(),
    *(FILTERS[name] for name in _ENCODING_FILTERS),
    *(_string(*one, nested=nested) for one in _STRINGS for nested in (False, True)),
    _references("+"),
    _references("=/`"),
    lambda value: quote(value, errors="replace"),
    _percent,
    _small_percent,
)
"""Each writes a value in one way."""
