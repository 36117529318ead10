"""How long an iteration of a test case takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Length:
    """The times of an iteration, in seconds: what a virtual user thinks, and for how long it waits
    for answers if these take what they took when they were recorded; ``start`` is what its start
    takes, once, before the first one. ``skippable`` are the page and the title of each transaction
    that a user may rightly never come to."""

    thinking: float = 0.0
    waiting: float = 0.0
    start: float = 0.0
    skippable: frozenset[tuple[str, str]] = frozenset()

    @property
    def total(self) -> float:
        """Return the time of the whole iteration."""
        return self.thinking + self.waiting
