"""Answers with status 200 that are errors all the same."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.validator import JsonValidator
from pytest_loadtool.recording import build_case
from pytest_loadtool.recording.notes import EXPECTED
from pytest_loadtool.recording.report.answers import expected_answer
from tests.recording.samples import SHOP, call

JSON = ("Content-Type", "application/json")
QUERY = b'{"query": "{ items { id } }"}'
ANSWER = b'{"data": {"items": []}}'


def test_an_answer_without_errors_stays_one() -> None:
    """The transaction says so in the test case, where it can be edited; the report tells it."""
    recorded = call("POST", f"{SHOP}/graphql", 0, JSON, body=QUERY, answer=ANSWER)
    recording = build_case([recorded], name="shop")
    (transaction,) = recording.case.transactions()
    assert transaction.validators == (JsonValidator("$.errors", absent=True),)
    (note,) = recording.notes
    assert (note.kind, "no errors" in note.message) == (EXPECTED, True)


@pytest.mark.parametrize(
    ("method", "path", "body", "answer", "expected"),
    [
        ("POST", "/graphql", QUERY, ANSWER, True),
        ("GET", "/graphql?query=%7Bitems%7D", b"", ANSWER, True),
        ("POST", "/graphql", b'{"extensions": {"persistedQuery": {}}}', ANSWER, True),
        ("POST", "/graphql", QUERY, b'{"data": null, "extensions": {}}', True),
        ("POST", "/graphql", QUERY, b'{"data": null, "errors": [{}]}', False),
        ("POST", "/graphql", QUERY, b'{"data": {}, "count": 3}', False),
        ("POST", "/search", b'{"term": "tea"}', ANSWER, False),
        ("GET", "/search?q=tea", b"", ANSWER, False),
        ("POST", "/graphql", b"{", ANSWER, False),
        ("POST", "/graphql", QUERY, b"<p>", False),
    ],
)
def test_only_graphql(method: str, path: str, body: bytes, answer: bytes, expected: bool) -> None:
    """Where call and answer have that form; an error that was recorded is not asked away."""
    recorded = call(method, SHOP + path, 0, JSON, body=body, answer=answer)
    assert bool(expected_answer(recorded)) is expected


@pytest.mark.parametrize(
    ("method", "answer", "expected"),
    [
        ("POST", b'{"success": true, "message": "Saved"}', ["$.success"]),
        ("POST", b'\n{"ok":true}', ["$.ok"]),
        ("GET", b'{"ok": true, "success": true}', ["$.success", "$.ok"]),
        ("POST", b'{"success": false, "error": "Token mismatch"}', []),
        ("POST", b'{"success": 1, "ok": "true"}', []),
        ("POST", b'{"items": [{"ok": true}]}', []),
        ("POST", b'[{"success": true}]', []),
        ("POST", b'{"success": true', []),
    ],
)
def test_an_answer_that_says_it_went_well(method: str, answer: bytes, expected: list[str]) -> None:
    """By a boolean of its own; what said something else when it was recorded is left alone."""
    recorded = call(method, f"{SHOP}/ajax", 0, JSON, body=b"{}", answer=answer)
    recording = build_case([recorded], name="shop")
    (transaction,) = recording.case.transactions()
    assert transaction.validators == tuple(JsonValidator(one, equals=True) for one in expected)
    assert [note.kind for note in recording.notes] == [EXPECTED] * len(expected)
