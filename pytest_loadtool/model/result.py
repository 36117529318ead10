"""What became of a transaction on replay."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

#: The closed set of causes of a failed transaction; docs/load.md has what to do about each.
Cause = Literal[
    "status",
    "answer",
    "text",
    "regex",
    "json",
    "xml",
    "header",
    "response",
    "value",
    "flow",
    "outcome",
    "extractor",
    "target",
    "dns",
    "connect",
    "tls",
    "timeout",
    "reset",
    "protocol",
    "decoding",
    "auth",
    "memory",
    "hook",
    "internal",
]


@dataclass(frozen=True, slots=True)
class Failure:
    """One reason why a transaction failed: a validator, an extractor or the network.

    ``message`` is one line without values that differ from user to user or from run to run (ports,
    addresses, times), so that equal failures of many users count as one. ``seen`` says the same
    with what this one response had, where that tells more.
    """

    cause: Cause
    message: str
    seen: str = field(default="", compare=False)
    certain: bool = True
    """False: the response does not show what it is about, so that it is told and fails nothing."""

    @property
    def told(self) -> str:
        """Return what a person is told about this one response."""
        return self.seen or self.message


def main_failure(failures: tuple[Failure, ...]) -> Failure:
    """Return the failure that a transaction is counted under: that of its status, else the
    first."""
    return min(failures, key=lambda one: one.cause != "status")
