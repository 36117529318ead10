"""What happened when: a few sums for each second of a run, or for longer intervals of it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import sub
from typing import Final

MOST_INTERVALS = 3600
"""There are never more: when an hour is over seconds become pairs of seconds, and so on."""

_SUMS: Final = 5  # numbers for each interval: those of `Interval` after its length
_NONE: Final = array("Q", [0] * _SUMS)
_STRIDE: Final = 64 * _SUMS  # that are compared at once


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
    """Intervals of equal length, a power of two in seconds. All numbers merge exactly.

    An interval takes 40 bytes.
    """

    __slots__ = ("_sums", "length")

    def __init__(self) -> None:
        self.length = 1
        self._sums = array("Q")  # by interval, from the first second of the run on

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
            while second // self.length >= MOST_INTERVALS:
                self._coarsen(2 * self.length)
            sums = (requests, errors, user_seconds, response_us, longest_us)
            self._add(second // self.length, sums)

    def merge(self, other: Timeline) -> None:
        """Add another worker's. In any order the result is the same."""
        self._coarsen(other.length)
        for number, sums in other._intervals():
            self._add(number * other.length // self.length, sums)

    def __iter__(self) -> Iterator[Interval]:
        """Yield the intervals in which there was anything, in order."""
        for number, sums in self._intervals():
            yield Interval(number * self.length, self.length, *sums)

    def of_length(self, length: int) -> Timeline:
        """Return the same in intervals of at least this length, a power of two in seconds."""
        other = Timeline()
        other.merge(self)
        other._coarsen(length)
        return other

    def to_wire(self, known: Timeline | None = None) -> list[list[int]]:
        """Return ``[[length], [number, requests, errors, user-seconds, sum, longest], …]``.

        With ``known``, which is this one as it was before: only what came after it.
        """
        before = Timeline()
        if known is not None and known.length == self.length:
            before = known
        elif known is not None:
            before.merge(known)
            before._coarsen(self.length)
        wire = [[self.length]]
        for number, sums in self._intervals(self._first_after(before)):
            then = before._at(number)
            if sums != then:
                wire.append([number, *map(sub, sums[:-1], then), sums[-1]])
        return wire

    @classmethod
    def from_wire(cls, wire: list[list[int]]) -> Timeline:
        """Return the timeline that `to_wire` described."""
        self = cls()
        self.merge_wire(wire)
        return self

    def merge_wire(self, wire: list[list[int]]) -> None:
        """Add what `to_wire` described."""
        (length,), *rows = wire
        self._coarsen(length)
        for number, *sums in rows:
            self._add(number * length // self.length, sums)

    def _intervals(self, first: int = 0) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield the number and the sums of each in which there was anything."""
        for number in range(first, len(self._sums) // _SUMS):
            sums = self._at(number)
            if any(sums):
                yield number, sums

    def _at(self, number: int) -> array[int]:
        return self._sums[number * _SUMS : (number + 1) * _SUMS] or _NONE

    def _first_after(self, before: Timeline) -> int:
        """Return an interval from which on this may differ from ``before``: of a long run one at
        its end, and each report asks."""
        now, then = self._sums, before._sums
        start = 0
        while start < len(now) and now[start : start + _STRIDE] == then[start : start + _STRIDE]:
            start += _STRIDE
        return start // _SUMS

    def _add(self, number: int, sums: Sequence[int]) -> None:
        start = number * _SUMS
        missing = number + 1 - len(self._sums) // _SUMS
        if missing > 0:
            self._sums.extend(_NONE * missing)
        for place, more in enumerate(sums[:-1], start):
            self._sums[place] += more
        longest = start + _SUMS - 1
        self._sums[longest] = max(self._sums[longest], sums[-1])

    def _coarsen(self, length: int) -> None:
        """Make intervals longer, until they have this length at least."""
        while self.length < length:
            finer = list(self._intervals())
            self.length *= 2
            self._sums = array("Q")
            for number, sums in finer:
                self._add(number // 2, sums)
