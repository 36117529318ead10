"""What it means that an extractor found nothing: what it wanted, what came, who needs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.extractor import Extractor
from pytest_loadtool.model.result import Failure
from pytest_loadtool.structure.uses import needed_by, references

#: How many transactions that need a value are listed.
_MOST_USERS = 6


def broken_extractors(
    case: TestCase,
    index: int,
    failures: Sequence[Failure],
    response: str,
    sent: Mapping[str, str],
) -> list[str]:
    """Return lines on each extractor of transaction ``index`` that found nothing; ``response``
    says, in a few words, where it looked; ``sent`` are the values of placeholders as far as they
    are known."""
    transactions = list(case.transactions())
    messages = [one.message for one in failures if one.cause == "extractor"]
    lines: list[str] = []
    for one in transactions[index].extractors:
        if any(f"${{{one.variable}}}" in message for message in messages):
            lines += _about(case, transactions, index, one, response)
            lines += _went_by(one, sent)
    return ["extractors that found nothing:", *lines] if lines else []


def _went_by(one: Extractor, sent: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys(reference.name for reference in references(one.source)):
        known = (
            f" = {sent[name]}, as it was sent" if name in sent else ", which no request has sent"
        )
        yield f"    it went by ${{{name}}}{known}"


def _about(
    case: TestCase,
    transactions: Sequence[Transaction],
    index: int,
    one: Extractor,
    response: str,
) -> Iterator[str]:
    which = f", match {one.match}" if one.match > 1 else ""
    yield f"  ${{{one.variable}}}: {one.source}{which}, in the response of transaction {index + 1}"
    yield f"    the response was {response}"
    users = list(_users(case, transactions, index, one.variable))
    variable = case.variables.get(one.variable)
    stale = " (sent as recorded)" if variable is not None and variable.recorded else ""
    if users:
        more = f" and {len(users) - _MOST_USERS} more" if len(users) > _MOST_USERS else ""
        yield f"    needed by {', '.join(users[:_MOST_USERS])}{more}{stale}"
    else:
        yield "    no later transaction needs it"
    yield "    if the response is right, mend the extractor"


def _users(
    case: TestCase, transactions: Sequence[Transaction], index: int, name: str
) -> Iterator[str]:
    """Yield the later transactions that use the value, up to the next that extracts it."""
    for number, one in enumerate(transactions[index + 1 :], index + 2):
        if name in needed_by(case, one):
            yield f"{number} {one.title}"
        if any(extractor.variable == name for extractor in one.extractors):
            return
