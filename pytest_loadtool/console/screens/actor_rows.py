"""The Actors View: validators and extractors of a transaction, as rows that can be edited."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.console.views.actors import described, taken_by
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import Transaction
from pytest_loadtool.model.extractor import Extractor
from pytest_loadtool.model.validator import DEFAULT_STATUS, StatusCodes, Validator


@dataclass(frozen=True, slots=True)
class ActorRow:
    """An actor; ``number`` is that of a validator, the Status Code validator has 0."""

    actor: StatusCodes | Validator | Extractor
    number: int = 0

    def removal(self, transaction: int) -> str:
        """Return the command line that takes it out; the Status Code validator gets its usual
        codes."""
        match self.actor:
            case StatusCodes():
                return f"status {transaction} {DEFAULT_STATUS}"
            case Extractor(variable=variable):
                return f"remove-extractor {transaction} {shlex.quote(variable)}"
            case _:
                return f"remove-validator {transaction} {self.number}"


def actor_rows(transaction: Transaction) -> tuple[ActorRow, ...]:
    """Return the actors of a transaction: validators, then extractors."""
    return (
        ActorRow(transaction.status),
        *(ActorRow(one, number) for number, one in enumerate(transaction.validators, 1)),
        *map(ActorRow, transaction.extractors),
    )


def actor_lines(transaction: Transaction, mask: Mask) -> Iterator[tuple[int | None, ViewLine]]:
    """Yield headings, with None, and a line per row, with its index."""
    extractors = False
    yield None, ViewLine(("Validators", "heading"))
    for index, row in enumerate(actor_rows(transaction)):
        if isinstance(row.actor, Extractor):
            if not extractors:
                yield None, ViewLine(("Extractors", "heading"))
            extractors = True
            taken = printable(mask.text(taken_by(row.actor)))
            yield index, ViewLine((f"  {row.actor.variable}  ", "name"), (taken, ""))
        elif isinstance(row.actor, StatusCodes):
            yield index, ViewLine(("  Status Code  ", "name"), (str(row.actor), ""))
        else:
            wanted = printable(mask.text(described(row.actor)))
            yield index, ViewLine((f"  {row.number}  ", "number"), (wanted, ""))
    if not extractors:
        yield None, ViewLine(("Extractors", "heading"))
        yield None, ViewLine(("  none", "dim"))
