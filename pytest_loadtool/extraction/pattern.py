"""Regular expressions with a time limit: what somebody wrote meets what a server sent.

It also has literal text, found quickly in texts that are much alike, such as a page seen by many
users.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from time import process_time
from typing import Any, Final

from pytest_loadtool.errors import SlowPatternError
from pytest_loadtool.extraction.pattern_effort import longest_texts

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


#: Seconds of this process's time that an expression may take for one response.
_LIMIT: Final = 1.0
#: How often it may take longer, before it gets less: what is under way beside it waits.
_MOST_OVERRUNS: Final = 3
#: What it gets from then on. A search usually takes a hundredth of that.
_LIMIT_THEN: Final = 0.02
#: What an expression may have to try in a text, at worst, and be left to `re`. It takes 0.3 s then.
_MOST_STEPS: Final = 1e7

_END: Final = 1 << 62


class Allowance:
    """The time for what is searched for one expression, ``written`` as its author wrote it: in all
    responses, or with the values of all users."""

    __slots__ = ("left", "overruns", "written")

    def __init__(self, written: str) -> None:
        self.written = written
        self.left = _LIMIT
        self.overruns = 0

    def begin(self) -> None:
        """Begin to search another response."""
        self.left = _LIMIT if self.overruns < _MOST_OVERRUNS else _LIMIT_THEN

    def overrun(self, size: int) -> SlowPatternError:
        """Return the error: it took longer, on a text of ``size`` characters."""
        limit = _LIMIT if self.overruns < _MOST_OVERRUNS else _LIMIT_THEN
        self.overruns += 1
        return SlowPatternError(self.written, limit, size)


class Pattern:
    """Finds what `re` finds: with `re` where that cannot take long, else with the package regex,
    which stops when the time is over.

    Its searches raise `SlowPatternError` when the time since `begin` of its allowance is over.
    `first` is for one search in a response, the others are for more.

    Raises:
        ValueError: it is no regular expression.
    """

    __slots__ = (
        "_limited", "_longest", "_longest_here", "_needle", "_plain", "allowance", "groups",
    )  # fmt: skip

    def __init__(self, text: str, allowance: Allowance | None = None) -> None:
        try:
            self._plain: Any = re.compile(text)
        except re.error as error:
            raise ValueError(f"{text!r} is not a regular expression: {error}") from None
        self.groups: int = self._plain.groups
        self.allowance = Allowance(text) if allowance is None else allowance
        self._longest, self._longest_here = _longest(text)
        self._needle = Needle(literal_start(text))
        self._limited: Any = None

    def first(self, text: str) -> re.Match[str] | None:
        """Return the first match in a response. It begins the allowance."""
        start = self._needle.find(text)
        if start < 0:
            return None
        length = len(text) - start
        found: re.Match[str] | None
        if length <= self._longest:
            found = self._plain.search(text, start)
            return found
        if self._needle.literal and length <= self._longest_here:
            found = self._plain.match(text, start)
            if found is not None:
                return found
        self.allowance.begin()
        try:
            found = self._engine().search(text, start, timeout=self.allowance.left)
        except TimeoutError:
            raise self.allowance.overrun(len(text)) from None
        return found

    def search(self, text: str, start: int = 0, end: int = _END) -> re.Match[str] | None:
        """Return the first match between these places; what is around them may be looked at."""
        if min(len(text), end) - start <= self._longest:
            found: re.Match[str] | None = self._plain.search(text, start, end)
            return found
        return self._once("search", text, start, end)

    def match(self, text: str, start: int) -> re.Match[str] | None:
        """Return the match that begins there."""
        if len(text) - start <= self._longest:
            found: re.Match[str] | None = self._plain.match(text, start)
            return found
        return self._once("match", text, start, _END)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return the match that is all of the text."""
        if len(text) <= self._longest:
            found: re.Match[str] | None = self._plain.fullmatch(text)
            return found
        return self._once("fullmatch", text, 0, _END)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Return all matches, one behind the other."""
        if len(text) <= self._longest:
            every: Iterator[re.Match[str]] = self._plain.finditer(text)
            return every
        return self._all(text)

    def _all(self, text: str) -> Iterator[re.Match[str]]:
        started = process_time()
        try:
            yield from self._engine().finditer(text, timeout=self.allowance.left)
        except TimeoutError:
            raise self.allowance.overrun(len(text)) from None
        finally:
            self._took(started)

    def _once(self, how: str, text: str, start: int, end: int) -> re.Match[str] | None:
        engine = self._engine()
        started = process_time()
        try:
            found: re.Match[str] | None = getattr(engine, how)(
                text, start, end, timeout=self.allowance.left
            )
        except TimeoutError:
            raise self.allowance.overrun(len(text)) from None
        finally:
            self._took(started)
        return found

    def _took(self, started: float) -> None:
        left = self.allowance.left - (process_time() - started)
        self.allowance.left = max(left, 1e-6)  # regex takes 0 for no limit

    def _engine(self) -> Any:
        if self._limited is None:
            # Imported when a text needs it: 30 ms.
            import regex

            from pytest_loadtool.extraction.pattern_rewrite import respelled

            self._limited = regex.compile(respelled(self._plain.pattern))
        return self._limited


@lru_cache(maxsize=1024)
def _longest(text: str) -> tuple[int, int]:
    return longest_texts(text, _MOST_STEPS)
