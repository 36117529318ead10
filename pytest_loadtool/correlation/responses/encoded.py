"""Values in encoded texts of a response: of JSON in base64, of the claims of a token.

A client decodes such a text, and sends back what it reads there. Whatever a response holds is
looked at only if it looks like base64 and begins with text; of what it then says, only values
count that requests use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pytest_loadtool.codec.decoding import DECODINGS
from pytest_loadtool.correlation.producer import Box, Producer, Wanted
from pytest_loadtool.correlation.responses.producers import in_escapes, in_json, in_text, in_xml
from pytest_loadtool.correlation.responses.tokens import tokens
from pytest_loadtool.correlation.search_budget import Searches

#: How many texts of one body that hold something are taken; of rows that all have it, any will do.
_MOST_TEXTS = 200
#: How often a text is decoded that holds nothing yet.
_MOST_LEVELS = 3
#: Of how many texts it is remembered what they hold.
_MOST_REMEMBERED = 1000
#: What stands between the separators of short texts: ``user:key|time``.
_SEPARATED = re.compile(r"[^\s:;,|&=\"'<>{}()\[\]]{8,}")
#: How many digits are decoded: what is shorter is a word, what is longer a picture or a file.
_SHORTEST = 16
_LONGEST_OPENED = 1 << 16
_LENGTH = f"{_SHORTEST},{_LONGEST_OPENED}"
#: Four digits of base64 that decode to ASCII: of random ones, one in fourteen.
_ASCII = "[CDI-Za-f][AC-HQS-Xgi-nwyz0-3][ABEFIJMNQRUVYZcdghklopstwx014589]."
#: Base64 of either alphabet, or a JSON web token (RFC 7519 §3), that begins with six of ASCII.
_PACKED = re.compile(
    rf"(?={_ASCII}{_ASCII})"
    rf"(?:(?:[A-Za-z0-9+/]{{{_LENGTH}}}|[\w-]{{{_LENGTH}}})={{0,2}}"
    rf"|eyJ[\w-]{{5,1000}}\.[\w-]{{{_LENGTH}}}\.[\w-]{{0,1000}})",
    re.ASCII,
)
#: Of many words, each on a line, those that are so as a whole: one search for all of them.
_PACKED_LINE = re.compile(rf"\n({_PACKED.pattern})(?=\n)", re.ASCII)

_Leaves = Callable[[Any, int, Wanted], Iterator[Producer]]


@dataclass(frozen=True, slots=True)
class _Opened:
    """The text that an encoded text decodes to, and the wanted values in that, of no transaction
    yet."""

    decode: tuple[str, ...]
    text: str
    values: tuple[Producer, ...]


_CLOSED = _Opened((), "", ())


class Packed:
    """The wanted values within encoded texts: of JSON what ``leaves`` gives, of XML any, of other
    texts random ones."""

    def __init__(
        self,
        wanted: frozenset[str],
        random: frozenset[str],
        searches: Searches,
        leaves: _Leaves = in_json,
    ) -> None:
        self._searches = searches
        self._leaves = leaves
        self._wanted = wanted
        self._random = random
        self._open = lru_cache(_MOST_REMEMBERED)(self._read)

    def holds(self, text: str) -> bool:
        """Return whether the text is encoded as a whole and there is a wanted value in it."""
        if len(text) < _SHORTEST or _PACKED.fullmatch(text) is None:
            return False
        return bool(self._open(text).values)

    def within(self, producer: Producer) -> Iterator[Producer]:
        """Yield the producers of the values within what another one gives."""
        if self.holds(producer.value):
            opened = self._open(producer.value)
            ways = [one.removeprefix("un") for one in producer.filters]
            if ways[-1:] == ["url"] and opened.decode[0] == "base64":
                del ways[-1]  # which base64 passes over
            box = Box(producer, (*ways, *opened.decode), opened.text)
            for one in opened.values:
                yield _inside(one, box)

    def _read(self, text: str) -> _Opened:
        """Return what the text decodes to, and that in turn, until there is a value in it."""
        ways: list[str] = []
        while len(ways) < _MOST_LEVELS and _PACKED.fullmatch(text):
            ways.append("jwt" if "." in text else "base64")
            content = DECODINGS[ways[-1]](text)
            if content is None or not "".join(content.split()).isprintable():
                break
            values = tuple(self._values(content))
            if values:
                return _Opened(tuple(ways), content, values)
            text = content
        return _CLOSED

    def _values(self, text: str) -> Iterator[Producer]:
        found: set[str] = set()
        for one in self._in_structure(text):
            found.add(one.value)
            if one.value in self._wanted:
                yield one
            yield from self.within(one)
        words = tokens(text).union(_SEPARATED.findall(text)) - {text}
        plain = self._random.intersection(words) - found
        for value in sorted(plain):
            if self._searches.allow(len(text)):
                yield from in_text(text, value, 0)
        yield from in_escapes(text, self._random, found | plain, 0, self._searches)

    def _in_structure(self, text: str) -> Iterator[Producer]:
        first = text.lstrip()[:1]
        if first in ("{", "["):
            try:
                document = json.loads(text)
            except (ValueError, RecursionError):
                return
            yield from self._leaves(document, 0, Sought(self._wanted, self))
        elif first == "<":
            yield from in_xml(text, 0, Sought(self._wanted, self))


def _inside(producer: Producer, box: Box) -> Producer:
    """Return the producer of a value in a text that is in that box."""
    at = box.producer.transaction
    if producer.box is None:
        return replace(producer, transaction=at, box=box)
    around = replace(producer.box, producer=_inside(producer.box.producer, box))
    return replace(producer, transaction=at, box=around)


class Sought:
    """These values, and all encoded texts that hold one of those that are ``packed``; and what is
    called so and has that value, of those ``called``."""

    def __init__(
        self,
        values: frozenset[str],
        packed: Packed,
        called: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self._values = values
        self._packed = packed
        self._called = called

    def __contains__(self, value: object) -> bool:
        if isinstance(value, str):
            return value in self._values or self._packed.holds(value)
        return value in self._called

    def __len__(self) -> int:
        return len(self._values)

    def intersection(self, words: Iterable[str]) -> set[str]:
        """Return those of the words that are sought. A part of an encoded text is none: where it
        ends is by chance."""
        found = set(self._values.intersection(words))
        packed = _PACKED_LINE.findall("\n{}\n".format("\n".join(words)))
        holding = sorted(filter(self._packed.holds, packed))[:_MOST_TEXTS]
        if holding:
            together = " ".join(words)
            found.update(
                one
                for one in holding
                if not any(one in other and one != other for other in holding)
                and f"{one}%" not in together
                and f"{one}+" not in together
            )
        return found
