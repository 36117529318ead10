"""Tokens: what stands by itself in a text, whatever the text is written in."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from itertools import islice

#: How long a token is at least.
SHORTEST = 8
#: How long what stands behind a word and a hyphen is at least, to be one of its own.
_LONG = 16
_UUID = 36
#: In how many places of a text an id is looked for, most of which are parts of other words.
_MOST_FOUND = 10_000
#: What goes on before an id is part of a number, an escape or a word.
_JOINED = frozenset("._%#&;-")
_STRICT = string.ascii_letters + string.digits + "_-"
_WIDE = _STRICT + ".~+/:|%!"
_PADDED = re.compile(r"[\w\-.~+/:|%!]{8,}={0,2}", re.ASCII)
#: The words that are long enough, among blanks: most are not, and are passed over.
_LONG_WORD = re.compile(rf" ([^ ]{{{SHORTEST},}}+)")


def _only(characters: str) -> bytes:
    """Return a table for `bytes.translate` that makes blanks of all others."""
    return bytes(one if chr(one) in characters else 32 for one in range(256))


_WIDE_OR_PADDED, _WORDS = _only(_WIDE + "="), _only(_STRICT)
_ESCAPED = _only(_WIDE + "=\\&#;")
_ESCAPED_WORD = re.compile(r" ([^ \\%&]*+[\\%&][^ ]*+)")


def tokens(text: str) -> set[str]:
    """Return all tokens of at least 8 characters: of letters, digits, ``_`` and ``-``, and those
    that have other characters of URLs in them, or the padding of base64 behind them; and what is
    long and stands behind the last ``-`` of one: ``context-`` and a hash.

    By tables of characters, in half the time that a regular expression takes: all the text of a
    recording is looked through.
    """
    content = text.encode("ascii", "replace").translate(_WIDE_OR_PADDED).decode()
    wide = set(_LONG_WORD.findall(f" {content}"))
    words = " ".join(wide).encode().translate(_WORDS).decode()
    found = set(_LONG_WORD.findall(f" {words}"))
    joined = [one for one in found if "-" in one]
    found.update(one[-_UUID:] for one in joined if one[-_UUID - 1 : -_UUID] == "-")
    found.update(one for one in (each.rpartition("-")[2] for each in joined) if len(one) >= _LONG)
    with_equals = [one for one in wide if "=" in one]
    return found.union(wide.difference(with_equals), _PADDED.findall(" ".join(with_equals)))


def escaped_words(text: str) -> str:
    """Return the words of a text that have an escape of HTML, JSON or URLs in them, once each."""
    words = text.encode("ascii", "replace").translate(_ESCAPED).decode()
    return " ".join(dict.fromkeys(_ESCAPED_WORD.findall(f" {words}")))


def standing_alone(value: str, text: str) -> Iterator[int]:
    """Yield where a value stands by itself, or behind a word: ``1`` of ``(1)`` and ``row_1``."""
    for found in islice(re.finditer(re.escape(value), text), _MOST_FOUND):
        start, end = found.span()
        before, behind = text[max(0, start - 2) : start], text[end : end + 2]
        named = before[:1].isalpha() and before[-1:] in "_-"
        joined = before[-1:] in _JOINED and not named and (before[-1:] != "#" or before == "&#")
        in_name = behind[:1] == "." and behind[1:].isalnum()
        goes_on = (
            behind[:1] in ("%", "_") or in_name or (behind[:1] == "-" and behind[1:].isdigit())
        )
        if not (before[-1:].isalnum() or joined or behind[:1].isalnum() or goes_on):
            yield start


def is_there(value: str, text: str) -> bool:
    """Return whether it stands by itself anywhere in a text."""
    return next(standing_alone(value, text), None) is not None
