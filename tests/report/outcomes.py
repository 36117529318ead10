"""Replayed transactions to write reports of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pytest_loadtool.diagnosis.outcome import StepOutcome
from pytest_loadtool.model.case import Transaction
from pytest_loadtool.model.result import Failure

__all__ = ["Answer", "outcome"]


@dataclass
class Answer:
    """What came back for ``request``; by default the page of a server that refuses."""

    request: bytes
    status: int = 200
    headers: Sequence[tuple[bytes, bytes]] = ((b"Content-Type", b"text/html"),)
    body: bytes = b""
    sent: float = 10.0
    finished: float = 10.0142
    broken: str = field(default="", kw_only=True)

    @property
    def text(self) -> str:
        if self.broken:
            raise ValueError(self.broken)
        return self.body.decode("utf-8", "replace")


def outcome(
    index: int, page: str, transaction: Transaction, answer: Answer, *messages: str
) -> StepOutcome:
    """A transaction that failed for each of the ``messages``, or passed."""
    failures = tuple(Failure("status", message) for message in messages)
    return StepOutcome(index, page, "http://shop:8000", transaction, answer, failures)
