"""GraphQL calls (GraphQL over HTTP): whether one was answered, and how to tell on replay."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pytest_loadtool.model.case import Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.validator import JsonValidator
from pytest_loadtool.recording.failures import subject
from pytest_loadtool.recording.notes import EXPECTED, Note

__all__ = ["answer_notes", "expected_answer"]

#: A call has one of these: the document, or the hash of a document that the server knows.
_CALL = frozenset({"query", "extensions"})
#: What an answer has, and nothing else (GraphQL specification, §7.1).
_ANSWER = frozenset({"data", "extensions"})
_NO_ERRORS = JsonValidator("$.errors", absent=True)
_NO_ERRORS_MEANS = "no errors in the answer to a GraphQL call: they come with status 200"


def expected_answer(exchange: Exchange) -> tuple[JsonValidator, ...]:
    """Of a GraphQL call that succeeded: its answer has no errors. They, too, have status 200."""
    if exchange.status != 200 or not _called(exchange):
        return ()
    answer = _object(exchange.response_body)
    if "data" not in answer or not answer.keys() <= _ANSWER:
        return ()
    return (_NO_ERRORS,)


def answer_notes(transaction: Transaction, exchange: Exchange) -> list[Note]:
    """That `expected_answer` is in the transaction, unless somebody has taken it out since."""
    if _NO_ERRORS not in transaction.validators or not expected_answer(exchange):
        return []
    return [Note(EXPECTED, subject(exchange), _NO_ERRORS_MEANS)]


def _called(exchange: Exchange) -> bool:
    if exchange.method == "GET":
        return not _CALL.isdisjoint(parse_qs(urlsplit(exchange.url).query))
    return not _CALL.isdisjoint(_object(exchange.request_body))


def _object(body: bytes) -> dict[str, Any]:
    if not body.lstrip().startswith(b"{"):
        return {}
    try:
        found: dict[str, Any] = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found
