"""Distinct errors with their counts, and an example of each: bounded, however much goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pytest_loadtool.model.result import Cause, Failure

MOST_DISTINCT = 200
"""How many distinct errors a worker keeps; what comes after them is only counted."""

_LONGEST_MESSAGE = 500
_LONGEST_EXAMPLE = 2000

_Key = tuple[int, Cause, str]
"""Index of the transaction, cause, message."""


@dataclass(slots=True)
class ErrorRecord:
    """One distinct error: how often it came, in which second first, and its first example."""

    transaction: int
    cause: Cause
    message: str
    count: int
    second: int
    example: str


class ErrorLog:
    """Counts failures by transaction, cause and message.

    ``others`` counts the failures whose error is not among the first `MOST_DISTINCT`.
    """

    __slots__ = ("_records", "others")

    def __init__(self) -> None:
        self._records: dict[_Key, ErrorRecord] = {}
        self.others = 0

    def record(
        self,
        transaction: int,
        failures: tuple[Failure, ...],
        second: int,
        example: Callable[[], str],
    ) -> None:
        """Count each distinct failure once. ``example`` is called only for an unknown error."""
        for failure in dict.fromkeys(failures):
            key = (transaction, failure.cause, failure.message[:_LONGEST_MESSAGE])
            known = self._records.get(key)
            if known is not None:
                known.count += 1
            elif len(self._records) < MOST_DISTINCT:
                text = example()[:_LONGEST_EXAMPLE]
                self._records[key] = ErrorRecord(*key, count=1, second=second, example=text)
            else:
                self.others += 1

    def merge(self, other: ErrorLog) -> None:
        """Add another worker's errors. Of two first examples the earlier one stays.

        Nothing is dropped here, so the order of merging does not matter; there are at most
        `MOST_DISTINCT` errors for each worker.
        """
        for key, theirs in other._records.items():
            mine = self._records.get(key)
            if mine is None:
                self._records[key] = ErrorRecord(
                    *key, count=theirs.count, second=theirs.second, example=theirs.example
                )
                continue
            mine.count += theirs.count
            mine.second, mine.example = min(
                (mine.second, mine.example), (theirs.second, theirs.example)
            )
        self.others += other.others

    def __iter__(self) -> Iterator[ErrorRecord]:
        """Return the most frequent first; then in order of the transactions, and as they came."""
        return iter(sorted(self._records.values(), key=lambda one: (-one.count, one.transaction)))

    def __len__(self) -> int:
        return len(self._records)

    def to_wire(self, known: ErrorLog | None = None) -> list[Any]:
        """Return ``[others, [transaction, cause, message, count, second, example], …]``.

        With ``known``, which is this one as it was before: only what came after it.
        """
        before = known or ErrorLog()
        wire: list[Any] = [self.others - before.others]
        for key, one in self._records.items():
            same = before._records.get(key)
            more = one.count - (same.count if same else 0)
            if more:
                wire.append([*key, more, one.second, one.example])
        return wire

    @classmethod
    def from_wire(cls, wire: list[Any]) -> ErrorLog:
        """Return the log that `to_wire` described."""
        self = cls()
        self.others, *records = wire
        for fields in records:
            record = ErrorRecord(*fields)
            self._records[record.transaction, record.cause, record.message] = record
        return self
