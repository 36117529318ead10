"""How far the clocks of other machines are off, by round trips.

As in NTP (RFC 5905, section 8): of a question and its answer, the quickest of several round trips
says most, and the other clock is off by its answer less the middle of the trip, by half of the trip
more or less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

#: How often each worker is asked.
ROUND_TRIPS = 8


@dataclass(frozen=True, slots=True)
class Offset:
    """How far a clock is ahead of this one, and how exact that is, both in seconds: None as long as
    it was not measured."""

    ahead: float = 0.0
    exact_to: float | None = None


def exactness(offsets: Iterable[Offset]) -> str:
    """Return how far clocks are apart, and how exactly all start at one moment; empty if nobody
    has measured it."""
    known = [(one.ahead, one.exact_to) for one in offsets if one.exact_to is not None]
    if not known:
        return ""
    ahead, exact_to = zip(*known, strict=True)
    apart, exact = max(ahead) - min(ahead), ceil(1000 * max(exact_to))
    return f"clocks {apart:.3f} s apart, start exact to {exact} ms"


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
        """Note an answer; the number of the next question, asked now, or None after the last."""
        known = self.offsets.get(worker, Offset())
        self.offsets[worker] = measured(self.asked[worker], theirs, at, known)
        if number + 1 == ROUND_TRIPS:
            return None
        self.asked[worker] = at
        return number + 1

    def there(self, worker: str, at: float) -> float:
        """Return what a worker's clock says at a time of this one."""
        return at + self.offsets.get(worker, Offset()).ahead
