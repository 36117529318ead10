"""A reading: what sources take from a response, of which each value is looked for once."""

from __future__ import annotations

from pytest_loadtool.codec.uses import escaped
from pytest_loadtool.extraction.extract import Readable, taken
from pytest_loadtool.model.extractor import Source


class Reading:
    """A response, and what was taken from it: many values may come from one source."""

    __slots__ = ("_taken", "response")

    def __init__(self, response: Readable) -> None:
        self.response = response
        self._taken: dict[Source, list[str | None]] = {}

    def taken(self, source: Source, match: int = 1) -> str | None:
        """What the source takes, its texts being no templates."""
        found = self._taken.setdefault(source, [])
        while len(found) < match:
            found.append(taken(escaped(source), self.response, len(found) + 1))
        return found[match - 1]
