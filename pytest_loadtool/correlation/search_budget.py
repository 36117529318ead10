"""Searches: how much text is looked through for values, so that any recording comes to an end."""

from __future__ import annotations

#: How many characters of responses are looked through for single values, in all: some seconds.
MOST_SEARCHED = 20_000_000_000
#: Looking for an extractor takes as long as looking so often for the value alone.
EXTRACTOR = 10


class Searches:
    """A budget of how many characters may still be looked through, of ``most``."""

    __slots__ = ("_left",)

    def __init__(self, most: float = MOST_SEARCHED) -> None:
        self._left = most

    @property
    def over(self) -> bool:
        """Return whether something was not looked through."""
        return self._left < 0

    def allow(self, size: int) -> bool:
        """Return whether so many characters may be looked through. They count then, and if they are
        too many, nothing may be any more."""
        self._left -= size
        return self._left >= 0
