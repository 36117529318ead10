"""Validators that compare: what holds, and what a failure says of all users and of one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from pytest_loadtool.casefile import parse_validator
from pytest_loadtool.codec.content import ContentError
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.compile.validate import compile_validator
from tests.console.traffic import exchange

CART = {
    "n": 7, "f": 7.0, "s": "7", "yes": True, "none": None, "state": "open", "password": "hunter2",
    "items": [{"id": 1, "price": 2.5}, {"id": 2, "price": 3}], "tags": ["a", "b"], "no": [], "": "",
}  # fmt: skip
SCHEMA = {
    "type": "object",
    "properties": {"items": {"items": {"properties": {"price": {"type": "integer"}}}}},
}
FILES = {
    "items.json": json.dumps(SCHEMA).encode(),
    "any.json": b"{}",
    "bad.json": b'{"type": 5}',
    "far.json": b'{"$ref": "http://127.0.0.1:9/other.json"}',
}

#: A validator, and what one user is told when it does not hold; empty: it holds.
ROWS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"json": "$.n", "equals": 7}, ""),
    ({"json": "$.n", "equals": 7.0}, ""),
    ({"json": "$.f", "equals": 7}, ""),
    ({"json": "$.n", "equals": "7"}, "$.n is 7, expected the text '7'"),
    ({"json": "$.s", "equals": 7}, "$.s is the text '7', expected 7"),
    ({"json": "$.n", "equals": "${seven}"}, ""),
    ({"json": "$.yes", "equals": True}, ""),
    ({"json": "$.yes", "equals": 1}, "$.yes is true, expected 1"),
    ({"json": "$.state", "equals": "done"}, "$.state is open, expected done"),
    ({"json": "$.state", "equals": "done", "absent": True}, ""),
    ({"json": "$.state", "not_equals": "open"}, "$.state is open, expected other than 'open'"),
    ({"json": "$.password", "not_equals": "hunter2"}, "$.password is another value, expected"),
    ({"json": "$.state", "contains": "pe"}, ""),
    ({"json": "$.tags", "contains": "b"}, ""),
    ({"json": "$.tags", "contains": "c"}, '$.tags is ["a","b"], expected with \'c\''),
    ({"json": "$.state", "matches": "^o"}, ""),
    ({"json": "$.n", "matches": "7"}, "$.n is 7, expected matching '7'"),
    ({"json": "$.n", "more_than": 6, "at_most": 7}, ""),
    ({"json": "$.n", "at_least": 7, "less_than": 7}, "$.n is 7, expected < 7 and >= 7"),
    ({"json": "$.s", "less_than": 10}, "$.s is 7, expected < 10"),
    ({"json": "$.yes", "less_than": 10}, "$.yes is true, expected < 10"),
    ({"json": "$.no", "empty": True}, ""),
    ({"json": "$.tags", "empty": True}, '$.tags is ["a","b"], expected empty: true'),
    ({"json": "$.state", "empty": False}, ""),
    ({"json": "$.x", "empty": True}, "JSON path $.x empty: true: not found"),
    ({"json": "$.f", "type": "integer"}, ""),
    ({"json": "$.yes", "type": "number"}, "$.yes is true, expected of type 'number'"),
    ({"json": "$.none", "type": "null"}, ""),
    ({"json": "$.none", "type": "string"}, "$.none is null, expected of type 'string'"),
    ({"json": "$.items[*]", "count": True, "equals": 2}, ""),
    ({"json": "$.items[*]", "count": True, "at_least": 3}, "count of $.items[*] is 2, expected >="),
    ({"json": "$.items[?(@.id==${two})].price", "less_than": 3.5}, ""),
    ({"text": '"id"', "count": True, "equals": 2}, ""),
    ({"text": '"id"', "count": True, "less_than": 2}, "count of text '\"id\"' is 2, expected < 2"),
    ({"text": '"id": 1', "ahead_of": '"id": ${two}'}, ""),
    ({"text": '"id": 2', "ahead_of": '"id": 1'}, "not found ahead of '\"id\": 1': '\"id\": 2'"),
    ({"text": '"id": 2', "ahead_of": '"id": 1', "absent": True}, ""),
    ({"text": '"id": 1', "ahead_of": '"id"', "absent": True}, "found, but should not be, ahead of"),
    ({"text": '"id": 9', "ahead_of": '"id"'}, "not found ahead of"),
    ({"regex": r'"price": ([\d.]+)', "count": True, "at_most": 2}, ""),
    ({"regex": r'"price": ([\d.]+)', "more_than": 2.5}, "is 2.5, expected > 2.5"),
    ({"regex": r'"price": ([\d.]+)', "at_most": 2.5}, ""),
    ({"header": "X-Left", "at_least": 3}, ""),
    ({"header": "X-Left", "count": True, "equals": 1}, "count of X-Left is 2, expected = 1"),
    ({"header": "X-Left", "equals": "3"}, ""),
    ({"header": "X-Left", "matches": "[a-c]"}, "X-Left is 3, expected matching '[a-c]'"),
    ({"header": "X-None", "not_equals": "a"}, "Header X-None other than 'a': not found"),
    ({"xml": "/a/b", "count": True, "equals": 0}, ""),
    ({"response": "status", "equals": 200}, ""),
    ({"response": "status", "less_than": 200}, "status is 200, expected < 200"),
    ({"response": "size", "less_than": 10}, "size is "),
    ({"response": "duration", "at_most": "100ms"}, ""),
    ({"response": "duration", "at_most": "1ms"}, "duration is 0.05, expected <= 0.001"),
    ({"json": "$", "schema": "any.json"}, ""),
    (
        {"json": "$", "schema": "items.json"},
        "does not follow the schema items.json: $.items[0].price: 2.5 is not of type 'integer'",
    ),
    ({"json": "$", "schema": "items.json", "absent": True}, ""),
    ({"json": "$.x", "schema": "any.json"}, "JSON path $.x by schema 'any.json': not found"),
    ({"json": "$", "schema": "far.json"}, "refers to http://127.0.0.1:9/other.json"),
)  # fmt: skip


def judged(keys: dict[str, Any], cart: object = CART) -> Failure | None:
    answer = exchange(
        "GET", "http://shop/cart", 0, content_type="application/json", answer=json.dumps(cart)
    )
    headers = (*answer.response_headers, ("X-Left", "3"), ("X-Left", "5"))
    response = RecordedResponse(replace(answer, response_headers=headers, took=0.05))
    names = VariableNames({"seven": "7", "two": "2"}, FILES)
    return compile_validator(parse_validator(keys), names)(response, ())


@pytest.mark.promise(42)
@pytest.mark.parametrize(("keys", "told"), ROWS, ids=[str(keys) for keys, _ in ROWS])
def test_what_holds(keys: dict[str, Any], told: str) -> None:
    """A value is compared as what it is; one that differs is told with what was expected."""
    failure = judged(keys)
    assert (failure is None) is (told == "")
    if failure is not None:
        assert told in failure.told
        assert (failure.cause == "response") is ("response" in keys)


@pytest.mark.parametrize(
    "keys",
    [
        {"json": "$.n", "equals": -1},
        {"json": "$.n", "less_than": -1},
        {"json": "$.n", "type": "string"},
        {"json": "$.items[*]", "count": True, "less_than": 0},
        {"json": "$", "schema": "items.json"},
    ],
    ids=str,
)
def test_failures_of_many_users_are_one(keys: dict[str, Any]) -> None:
    """Whatever each of them got."""
    carts = [{"n": n, "items": [{"price": n + 0.5}] * n} for n in range(1, 9)]
    failures = [failure for cart in carts if (failure := judged(keys, cart))]
    assert len(failures) == len(carts)
    assert len(set(failures)) == 1
    assert len({one.told for one in failures}) > 1 or keys.get("schema")


def test_no_schema() -> None:
    """It is said of the file, before anything is sent."""
    for name, said in (("bad.json", "bad.json is no JSON Schema: 5 is not"), ("gone", "not read")):
        with pytest.raises(ReplayError, match=said):
            judged({"json": "$", "schema": name})
    with pytest.raises(ValueError, match="expected one of text, regex, json, xml, header, resp"):
        parse_validator({"equals": 1})
    assert not issubclass(ReplayError, ContentError)
