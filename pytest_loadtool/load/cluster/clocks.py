"""How far the clocks of other machines are off, by round trips.

As in NTP (RFC 5905, section 8): of a question and its answer, the quickest of several round trips
says most, and the other clock is off by its answer less the middle of the trip, by half of the trip
more or less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from typing import Protocol

#: All start so exactly at one moment, in milliseconds, or it is said that they have not.
EXACT_TO_MS = 20

#: How often each worker is asked.
ROUND_TRIPS = 8


@dataclass(frozen=True, slots=True)
class Offset:
    """The difference of a clock from this one: how far it is ahead, and how exact that is, both in
    seconds: None as long as it was not measured."""

    ahead: float = 0.0
    exact_to: float | None = None


class Beginner(Protocol):
    """A worker that has begun, as its `WorkerSummary` says."""

    @property
    def name(self) -> str:
        """Its own."""

    @property
    def start_late_s(self) -> float:
        """How long after the moment to start it began, by its own clock."""

    @property
    def clock_ahead_s(self) -> float | None:
        """How far this is ahead."""

    @property
    def start_exact_to_s(self) -> float | None:
        """How exactly it began when the others did, at worst: late as it was."""


def exactness(workers: Iterable[Beginner]) -> str:
    """Return how far clocks are apart, and how exactly all have begun at one moment, with the worst
    if that is not as exact as it has to be; empty if nobody has measured it."""
    known = {one.name: one for one in workers if one.start_exact_to_s is not None}
    if not known:
        return ""
    ahead = [one.clock_ahead_s or 0.0 for one in known.values()]
    worst = max(known.values(), key=lambda one: one.start_exact_to_s or 0.0)
    exact, late = (ceil(1000 * (one or 0)) for one in (worst.start_exact_to_s, worst.start_late_s))
    text = f"clocks {max(ahead) - min(ahead):.3f} s apart, start exact to {exact} ms"
    if exact > EXACT_TO_MS:
        text += f" and not to {EXACT_TO_MS}: {worst.name} began {late} ms late"
        if late < exact:
            text += f", and its clock is known to {exact - late} ms"
    return text


def measured(sent: float, theirs: float, received: float, known: Offset) -> Offset:
    """Return the better of ``known`` and what one round trip says.

    ``sent`` and ``received`` are times of this clock, ``theirs`` is the one in the answer.
    """
    exact_to = (received - sent) / 2
    if known.exact_to is not None and exact_to >= known.exact_to:
        return known
    return Offset(theirs - (sent + received) / 2, exact_to)


class Clocks:
    """The clocks of ``workers``, who answer each question with the time of their own. Times are
    those of this machine's clock, in seconds."""

    def __init__(self, workers: Iterable[str] = ()) -> None:
        self.offsets = dict.fromkeys(workers, Offset())
        self.asked: dict[str, float] = {}
        """When each was asked last."""

    def ask(self, worker: str, at: float) -> int:
        """Return the number of the first question to a worker, which is asked now."""
        self.asked[worker] = at
        return 0

    def answered(self, worker: str, number: int, theirs: float, at: float) -> int | None:
        """Note an answer, and return the number of the next question, asked now, or None after the
        last."""
        known = self.offsets.get(worker, Offset())
        self.offsets[worker] = measured(self.asked[worker], theirs, at, known)
        if number + 1 == ROUND_TRIPS:
            return None
        self.asked[worker] = at
        return number + 1

    def there(self, worker: str, at: float) -> float:
        """Return what a worker's clock says at a time of this one."""
        return at + self.offsets.get(worker, Offset()).ahead
