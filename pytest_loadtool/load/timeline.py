"""What happened when: a few sums for each second of a run, or for longer intervals of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import sub

__all__ = ["MOST_INTERVALS", "Interval", "Timeline"]

MOST_INTERVALS = 3600
"""There are never more: when an hour is over seconds become pairs of seconds, and so on."""


@dataclass(frozen=True, slots=True)
class Interval:
    """``length`` seconds of a run, from ``second`` on.

    ``user_seconds`` adds up how many users were at work in each second; ``response_us`` the
    response times of the requests, of which ``longest_us`` is the longest.
    """

    second: int
    length: int
    requests: int
    errors: int
    user_seconds: int
    response_us: int
    longest_us: int


class Timeline:
    """Intervals of equal length, a power of two in seconds. All numbers merge exactly."""

    __slots__ = ("_sums", "length")

    def __init__(self) -> None:
        self.length = 1
        # By number of the interval: the numbers of `Interval` after its length.
        self._sums: dict[int, list[int]] = {}

    def add(
        self,
        second: int,
        requests: int,
        errors: int,
        user_seconds: int,
        response_us: int,
        longest_us: int,
    ) -> None:
        """Add to what happened in this second of the run. Nothing leaves no trace."""
        if requests or user_seconds:
            number = second // self.length
            self._add(number, [requests, errors, user_seconds, response_us, longest_us])
            self._coarsen()

    def merge(self, other: Timeline) -> None:
        """Add another worker's. In any order the result is the same."""
        self._coarsen(other.length)
        for number, sums in other._sums.items():
            self._add(number * other.length // self.length, sums)
        self._coarsen()

    def __iter__(self) -> Iterator[Interval]:
        """The intervals in which there was anything, in order."""
        for number, sums in sorted(self._sums.items()):
            yield Interval(number * self.length, self.length, *sums)

    def to_wire(self, known: Timeline | None = None) -> list[list[int]]:
        """``[[length], [number, requests, errors, user-seconds, sum, longest], …]``.

        With ``known``, which is this one as it was before: only what came after it.
        """
        before = Timeline()
        if known is not None and known.length == self.length:
            before = known
        elif known is not None:
            before.merge(known)
            before._coarsen(self.length)
        wire = [[self.length]]
        for number, sums in self._sums.items():
            then = before._sums.get(number)
            if then is None:
                wire.append([number, *sums])
            elif then != sums:
                wire.append([number, *map(sub, sums[:4], then), sums[4]])
        return wire

    @classmethod
    def from_wire(cls, wire: list[list[int]]) -> Timeline:
        """The timeline that `to_wire` described."""
        self = cls()
        (self.length,), *rows = wire
        self._sums = {row[0]: row[1:] for row in rows}
        return self

    def _add(self, number: int, sums: list[int]) -> None:
        known = self._sums.get(number)
        if known is None:
            self._sums[number] = sums.copy()
            return
        for place in range(4):
            known[place] += sums[place]
        known[4] = max(known[4], sums[4])

    def _coarsen(self, length: int = 1) -> None:
        """Make intervals longer, until they have this length at least and are not too many."""
        while self.length < length or len(self._sums) > MOST_INTERVALS:
            self.length *= 2
            finer, self._sums = self._sums, {}
            for number, sums in finer.items():
                self._add(number // 2, sums)
