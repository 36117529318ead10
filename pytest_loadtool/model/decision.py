"""A decision of application state management, with its evidence."""

from __future__ import annotations

from dataclasses import dataclass

#: The rule of decisions to assert what a change brought about.
OUTCOME = "outcome"
#: That of changes which nothing shows.
NO_OUTCOME = "no-outcome"
#: That of polling: asked until its answer has come.
POLL = "poll"
#: The rules of decisions without a variable that can be taken back.
TAKEN_BACK = (OUTCOME, POLL)


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision why a value is, or is not, dynamic.

    ``producer`` is the transaction whose response sets the value and ``consumers`` those whose
    requests use it, each as its number in the test case, from 1, and its title; ``variable`` is
    empty when the decision is to leave the value alone.
    ``reason`` is one sentence for the user. ``confidence`` lies between 0 and 1.
    """

    value: str
    variable: str
    producer: str
    consumers: tuple[str, ...]
    rule: str
    reason: str
    confidence: float
    secret: bool = False
    """Whether the value is a credential, or a cookie, which may carry the session."""
