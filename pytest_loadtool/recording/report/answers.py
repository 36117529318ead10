"""Answers that say by themselves whether they are errors, as those do that come with status 200;
and what the recording shows of the answers, for test cases made before that was noted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pytest_loadtool.answers.shape import answer_of
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.validator import JsonValidator
from pytest_loadtool.recording.failures import subject
from pytest_loadtool.recording.notes import EXPECTED, Note

#: How an object of JSON begins, and how many bytes are looked at for that.
_OBJECT, _BEGINNING = re.compile(rb"\s*\{"), 64
#: A GraphQL call has one of these: the document, or the hash of a document that the server knows.
_CALL = frozenset({"query", "extensions"})
#: What an answer to it has, and nothing else (GraphQL specification, §7.1).
_ANSWER = frozenset({"data", "extensions"})
_NO_ERRORS = JsonValidator("$.errors", absent=True)

#: The keys by which the answers of many programs' calls say that they went well, if they are true.
_WENT_WELL = {name: JsonValidator(f"$.{name}", equals=True) for name in ("success", "ok")}

_MEANS: Mapping[JsonValidator, str] = MappingProxyType(
    {_NO_ERRORS: "no errors in the answer to a GraphQL call: they come with status 200"}
    | {
        validator: f'"{name}": true in the answer: what is refused may have status 200, too'
        for name, validator in _WENT_WELL.items()
    }
)


def expected_answer(exchange: Exchange) -> tuple[JsonValidator, ...]:
    """Return validators of how a call went: of a GraphQL call that succeeded, that its answer has
    no errors. They, too, have status 200. Of other calls: their answer says that they went well, if
    it did."""
    if not 200 <= exchange.status <= 299 or not _OBJECT.match(exchange.response_start(_BEGINNING)):
        return ()  # most are not worth reading
    if exchange.status == 200 and _called(exchange):
        answer = _object(exchange.response_body)
        if "data" in answer and answer.keys() <= _ANSWER:
            return (_NO_ERRORS,)
    answer = _object(exchange.response_body)
    return tuple(one for name, one in _WENT_WELL.items() if answer.get(name) is True)


def answer_notes(transaction: Transaction, exchange: Exchange) -> list[Note]:
    """Return what `expected_answer` has put into the transaction, unless it was taken out since."""
    return [
        Note(EXPECTED, subject(exchange), _MEANS[one])
        for one in expected_answer(exchange)
        if one in transaction.validators
    ]


def _called(exchange: Exchange) -> bool:
    if exchange.method == "GET":
        return not _CALL.isdisjoint(parse_qs(urlsplit(exchange.url).query))
    return not _CALL.isdisjoint(_object(exchange.request_body))


def _object(body: bytes) -> dict[str, Any]:
    if not _OBJECT.match(body):
        return {}
    try:
        found: dict[str, Any] = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found


def with_answers(case: TestCase, exchanges: Sequence[Exchange]) -> TestCase:
    """Return ``case`` with `Recorded.answer` where nothing is known of an answer yet."""

    def noted(one: Transaction) -> Transaction:
        recorded = one.recorded
        if recorded is None or recorded.answer is not None or recorded.entry is None:
            return one
        if recorded.entry >= len(exchanges):
            return one
        answer = answer_of(recorded, exchanges[recorded.entry])
        return replace(one, recorded=replace(recorded, answer=answer))

    pages = (
        replace(page, transactions=tuple(map(noted, page.transactions))) for page in case.pages
    )
    return replace(case, pages=tuple(pages))
