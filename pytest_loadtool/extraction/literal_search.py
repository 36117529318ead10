"""Literal text, found quickly in texts that are much alike, such as a page seen by many users."""

from __future__ import annotations

import re
from typing import Final

#: Shorter texts are searched as they are.
_LONG: Final = 2000
#: How often a character may be in a text for being looked at where it is to be worth it.
_RARE: Final = 16

_LITERAL = re.compile(r"[^\\.^$*+?{}\[\]|()]+")
_QUANTIFIERS: Final = frozenset("*+?{")


def literal_start(pattern: str) -> str:
    """Return the text with which every match of a regular expression begins; "" when that is not
    plain."""
    if "|" in pattern:
        return ""
    pattern = pattern.removeprefix("\\b")  # it takes no characters
    found = _LITERAL.match(pattern)
    if found is None:
        return ""
    end = found.end()
    quantified = pattern[end : end + 1] in _QUANTIFIERS
    return found[0][:-1] if quantified else found[0]


class Needle:
    """Finds ``literal``.

    ``str.find`` and regular expressions go through a text character by character, where finding a
    single one takes a twentieth of that. So the character of the literal that is the rarest in the
    first long text is looked for, and the rest where it stands.
    """

    __slots__ = ("_anchor", "_offset", "_settled", "literal")

    def __init__(self, literal: str) -> None:
        self.literal = literal
        self._anchor = ""
        self._offset = 0
        self._settled = False

    def find(self, text: str) -> int:
        """Return where the literal stands first; -1 if nowhere."""
        if len(text) < _LONG or not self.literal:
            return text.find(self.literal)
        if not self._settled:
            self._settle(text)
        if not self._anchor:
            return text.find(self.literal)
        at = -1
        for _ in range(4 * _RARE):
            at = text.find(self._anchor, at + 1)
            if at < 0:
                return -1
            start = at - self._offset
            if start >= 0 and text.startswith(self.literal, start):
                return start
        return text.find(self.literal, max(0, at - self._offset))  # not so rare in this text

    def _settle(self, text: str) -> None:
        self._settled = True
        count, anchor = min((text.count(one), one) for one in set(self.literal))
        if count <= _RARE:
            self._anchor = anchor
            self._offset = self.literal.index(anchor)
