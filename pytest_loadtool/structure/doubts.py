"""Doubts: what a test case itself says may be wrong on another server, though all is answered as
recorded. Each way to replay tells them, and they are failures if the test case is strict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_loadtool.model.case import TestCase, Transaction

_BY_PLACE = "taken by its place in the list"
_OPAQUE = "sent as recorded, in a body that cannot be followed"
KINDS = (_BY_PLACE, _OPAQUE)


@dataclass(frozen=True, slots=True)
class Doubt:
    """One of them: of what ``kind``, of ``what``, where in the file, and as a sentence."""

    kind: str
    what: str
    line: int
    said: str


def doubts_of(transaction: Transaction) -> Iterator[Doubt]:
    """Yield those of one transaction."""
    for one in transaction.extractors:
        if one.by_place:
            said = f"${{{one.variable}}} is {_BY_PLACE}: {one.source}"
            yield Doubt(_BY_PLACE, one.variable, one.line, said)
    if what := transaction.opaque:
        yield Doubt(_OPAQUE, what, transaction.line, f"its request is {_OPAQUE}: {what}")


def doubts(case: TestCase) -> dict[str, list[tuple[str, Doubt]]]:
    """Return those of a test case by their kinds, each with the number and title of its
    transaction."""
    found: dict[str, list[tuple[str, Doubt]]] = {}
    for number, each in enumerate(case.transactions(), 1):
        for one in doubts_of(each):
            found.setdefault(one.kind, []).append((f"{number} {each.title}", one))
    return found
