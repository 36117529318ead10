"""Stand-ins: text that takes the place of a secret and looks like it.

A stand-in has the length of its secret, and a digit where that has a digit, a letter where it has
one; other characters, zeros, the header of a JSON web token and the version of a UUID stay, so that
what could be told of the secret's shape can be told of the stand-in. Equal secrets have equal
stand-ins, and a secret within another one has its own stand-in there. They are made with a key:
whoever does not have it cannot try guesses.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from string import ascii_lowercase, ascii_uppercase
from types import MappingProxyType

from pytest_loadtool.codec.spellings import SPELLINGS, any_of

_HEXADECIMAL = re.compile(r"[0-9a-f-]+|[0-9A-F-]+")
#: RFC 9562 §4.1: the version is character 14, the variant character 19.
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_VERSION = frozenset({14, 19})
#: What a JSON web token begins with (RFC 7519 §3): its header is no secret.
_TOKEN_HEADER = re.compile(r"eyJ[\w-]*\.")
#: Most secrets are in a run of these characters that has a digit or a capital letter, and most
#: text is not: there is no need to look for all secrets at every character of a recording.
_RUN_CHARACTERS = r"a-z_.~+/=%:|!&;\\\-"
_RUN = re.compile(
    rf"(?<![{_RUN_CHARACTERS}A-Z0-9])[{_RUN_CHARACTERS}]*+[A-Z0-9][{_RUN_CHARACTERS}A-Z0-9]*+"
)
_SHORTEST_RUN = 8


def stand_ins(
    values: Iterable[str], key: bytes, given: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Return a stand-in for each value, made with ``key`` (up to 64 bytes), and those ``given``."""
    made = dict(given)
    for value in sorted(set(values) - given.keys(), key=lambda one: (len(one), one)):
        inner = sorted((one for one in made if one in value), key=len, reverse=True)
        pieces = re.split(f"({'|'.join(map(re.escape, inner))})", value) if inner else [value]
        made[value] = "".join(made.get(piece) or _shaped(piece, key) for piece in pieces)
    return made


def _shaped(value: str, key: bytes) -> str:
    kept = _kept(value)
    letters = 6 if _HEXADECIMAL.fullmatch(value) else 26
    noise = _noise(value, key)
    return "".join(
        one if at in kept else _like(one, letters, next(noise)) for at, one in enumerate(value)
    )


def _kept(value: str) -> frozenset[int]:
    """Return the positions of characters that stay."""
    if _UUID.fullmatch(value):
        return _VERSION
    header = _TOKEN_HEADER.match(value)
    return frozenset(range(header.end())) if header is not None else frozenset()


def _like(character: str, letters: int, number: int) -> str:
    if character in "123456789":
        return "123456789"[number % 9]
    if character.islower():
        return ascii_lowercase[number % letters]
    if character.isupper():
        return ascii_uppercase[number % letters]
    return character


def _noise(value: str, key: bytes) -> Iterator[int]:
    for block in count():
        text = f"{block}:{value}".encode(errors="replace")
        yield from hashlib.blake2b(text, key=key).digest()


class Replacer:
    """Replaces values in texts of any kind, under the encodings that values travel in."""

    def __init__(self, pairs: Mapping[str, str]) -> None:
        """``pairs``: what to write for each value."""
        self._texts = {
            form: encode(new)
            for old, new in pairs.items()
            for encode in SPELLINGS
            if (form := encode(old)) and form != encode(new)
        }
        runs = [one for one in self._texts if _RUN.fullmatch(one)]
        self._in_run = any_of(runs)
        self._elsewhere = any_of(self._texts.keys() - set(runs))

    def text(self, text: str) -> str:
        """Return ``text`` with every value replaced."""
        if self._elsewhere is not None:
            text = self._elsewhere.sub(self._instead, text)
        return text if self._in_run is None else _RUN.sub(self._within, text)

    def content(self, content: bytes) -> bytes:
        """Return the bytes of a body with its secrets replaced. What is not UTF-8 in it stays as it
        is."""
        text = content.decode(errors="surrogateescape")
        return self.text(text).encode(errors="surrogateescape")

    def _instead(self, match: re.Match[str]) -> str:
        return self._texts[match[0]]

    def _within(self, run: re.Match[str]) -> str:
        text = run[0]
        if len(text) < _SHORTEST_RUN or self._in_run is None:
            return text
        return self._texts.get(text) or self._in_run.sub(self._instead, text)
