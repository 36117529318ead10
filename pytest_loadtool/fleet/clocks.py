"""How far the clocks of other machines are off, by round trips.

As in NTP (RFC 5905, section 8): of a question and its answer, the quickest of several round trips
says most, and the other clock is off by its answer less the middle of the trip, by half of the trip
more or less.
"""

from __future__ import annotations

from dataclasses import dataclass

#: How often each worker is asked.
ROUND_TRIPS = 8


@dataclass(frozen=True, slots=True)
class Offset:
    """How far a clock is ahead of this one, and how exact that is, both in seconds: None as long as
    it was not measured."""

    ahead: float = 0.0
    exact_to: float | None = None


def measured(sent: float, theirs: float, received: float, known: Offset) -> Offset:
    """Return the better of ``known`` and what one round trip says.

    ``sent`` and ``received`` are times of this clock, ``theirs`` is the one in the answer.
    """
    exact_to = (received - sent) / 2
    if known.exact_to is not None and exact_to >= known.exact_to:
        return known
    return Offset(theirs - (sent + received) / 2, exact_to)
