"""Addresses with holes, as links and forms of a page are known by: ``/orders/*/edit``.

``*`` is where the value is, ``...`` is any text, both within a segment of the path or a value of
the query. The path has to fit as a whole; of the query, the parameters that the address names, in
any order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from pytest_loadtool.codec.entities import WRITTEN, unescape
from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.extraction.jsonpath import Fill

#: Compiles a template.
Fills = Callable[[Template], Fill]

#: Where the value is, and what may be any text.
VALUE: Final = "*"
ANY: Final = "..."
_HOLE: Final = re.compile(r"\*|\.\.\.")
#: Stands for a placeholder, which has that number.
_MARK: Final = re.compile("\0([0-9]+)\0")
_HOST: Final = re.compile(r"(?:https?:)?//[^/?#]+", re.IGNORECASE)
_END: Final = re.compile(r"[\"'<>\s]")
_DELIMITERS: Final = "\"'<> \t\r\n"
#: Text further from what an address is found by is no part of it.
_LONGEST_ADDRESS: Final = 2_000
#: With less than that of a path, an address is found by a parameter.
_SHORTEST_PATH: Final = 3


class _Piece:
    """A segment or a value: literals, and between each two of them a hole."""

    __slots__ = ("literals", "value")

    def __init__(self, literals: list[str], value: int) -> None:
        self.literals = literals
        self.value = value

    def filled(self, texts: list[str]) -> _Piece:
        """Return it with these texts in place of its placeholders."""
        if not any("\0" in one for one in self.literals):
            return self
        literals = [_MARK.sub(lambda found: texts[int(found[1])], one) for one in self.literals]
        return _Piece(literals, self.value)

    def fits(self, text: str) -> str | None:
        """Return what stands in the hole of the value, empty without one; None: it does not fit."""
        first = self.literals[0]
        last = len(self.literals) - 1
        if not last:
            return "" if text == first else None
        if not text.startswith(first):
            return None
        at, value = len(first), ""
        for hole in range(last):
            behind = self.literals[hole + 1]
            if hole + 1 < last:
                end = text.find(behind, at + 1)
            else:
                end = len(text) - len(behind) if text.endswith(behind) else -1
            if end <= at:
                return None
            if hole == self.value:
                value = text[at:end]
            at = end + len(behind)
        return value


class Filled:
    """An address with the values of a user in it."""

    __slots__ = ("_absolute", "_anywhere", "_begins", "_params", "_path", "_segments", "needle")

    def __init__(self, path: list[_Piece], params: list[tuple[str, _Piece]]) -> None:
        self._params = params
        self._segments = path
        whole = all(len(one.literals) == 1 for one in path)
        start = "/".join("\0".join(one.literals) for one in path)
        self._path = start if whole else None
        self._absolute = _HOST.match(start) is not None
        runs = start.split("\0")
        parts = (
            [one for run in runs for one in WRITTEN.split(run)] if WRITTEN.search(start) else runs
        )
        # A parameter has a name that other addresses have, too.
        self.needle = max(parts, key=len)
        if len(self.needle) < _SHORTEST_PATH:
            named = [f"{name}=" for name, _ in params if not WRITTEN.search(name)]
            self.needle = max((self.needle, *named), key=len)
        self._begins = self.needle == parts[0]
        self._anywhere = not self.needle
        self.needle = self.needle or "href="

    def fits(self, address: str) -> str | None:
        """Return what `_Piece.fits` does, for an address as a page writes it."""
        if "&" in address and ";" in address:  # else it is between parameters
            address = unescape(address)
        if not self._absolute:
            host = _HOST.match(address)
            if host is not None:
                address = address[host.end() :]
        path, _, query = address.partition("#")[0].partition("?")
        value = ""
        if self._path is not None:
            if path != self._path:
                return None
        else:
            written = path.split("/")
            if len(written) != len(self._segments):
                return None
            for segment, text in zip(self._segments, written, strict=True):
                found = segment.fits(text)
                if found is None:
                    return None
                value = found or value
        if self._params:
            pairs = [one.partition("=") for one in query.split("&")]
            for name, piece in self._params:
                for key, _, text in pairs:
                    found = piece.fits(text) if key == name else None
                    if found is not None:
                        value = found or value
                        break
                else:
                    return None
        return value

    def next_in(self, text: str, position: int, limit: int) -> tuple[int, int]:
        """Return where the next text starts and ends that may be such an address: what stands in
        quotes, or is the value of an attribute. Twice -1 if none starts before ``limit``."""
        at = text.find(self.needle, position, limit + _LONGEST_ADDRESS)
        if at < 0:
            return -1, -1
        behind = at + len(self.needle)
        if self._anywhere:
            at = behind = behind + (text[behind : behind + 1] in "\"'")
        found = _END.search(text, behind, at + _LONGEST_ADDRESS)
        end = found.start() if found is not None else min(len(text), at + _LONGEST_ADDRESS)
        if self._anywhere:
            return at, end
        if self._begins and at and text[at - 1] in "\"'=":
            return at, end
        first = max(0, at - _LONGEST_ADDRESS)
        start = max([text.rfind(one, first, at) for one in _DELIMITERS]) + 1
        if start and text[start - 1] not in "\"'":
            start = text.find("=", start, end) + 1 or start
        return start, end


class Address:
    """An address as the case file has it: a template, taken apart once."""

    __slots__ = ("_fills", "_fixed", "_params", "_path")

    def __init__(self, template: str, fills: Fills) -> None:
        parts = Template.parse(template).parts
        references = [one for one in parts if isinstance(one, Reference)]
        self._fills = [fills(Template((one,))) for one in references]
        plain, count = "", 0
        for one in parts:
            if isinstance(one, str):
                plain += one
            else:
                plain += f"\0{count}\0"
                count += 1
        path, _, query = plain.partition("?")
        self._path = [_piece(one) for one in path.split("/")]
        pairs = [one.partition("=") for one in query.split("&") if one]
        self._params = [(name, _piece(text)) for name, _, text in pairs]
        self._fixed = None if references else Filled(self._path, self._params)

    def filled(self, values: Sequence[str]) -> Filled | None:
        """Return it with the values of a user; None where one is empty: it would fit any
        address."""
        if self._fixed is not None:
            return self._fixed
        texts = [fill(values) for fill in self._fills]
        if not all(texts):
            return None
        path = [one.filled(texts) for one in self._path]
        return Filled(path, [(name, one.filled(texts)) for name, one in self._params])


def _piece(text: str) -> _Piece:
    """Return a segment or a value of an address, as the case file has it."""
    literals, holes, start = [], [], 0
    for hole in _HOLE.finditer(text):
        literals.append(text[start : hole.start()])
        holes.append(hole[0])
        start = hole.end()
    literals.append(text[start:])
    return _Piece(literals, holes.index(VALUE) if VALUE in holes else -1)
