"""An outcome by an item of a list that shows the newest only is told, and blames nobody."""

from __future__ import annotations

import json

import pytest

from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import JsonValidator, Outcome, TextValidator
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.compile.validate import compile_validator
from tests.correlation.exchanges import html, json_body

OUTCOME = Outcome("state is sent", "POST /orders/7/ship")
BY_ID = JsonValidator("$.orders[?(@.id==${id})].state", "sent", outcome=OUTCOME)
BY_ROW = TextValidator(">sent<", row='/orders/${id}"', outcome=OUTCOME)
VALIDATORS = pytest.mark.parametrize("validator", [BY_ID, BY_ROW], ids=["JSON", "a page"])


def _failure(
    validator: JsonValidator | TextValidator, *ids: str, strict: bool = False
) -> Failure | None:
    """What the validator of order 7 says of a list with these orders, each of them open."""
    if isinstance(validator, JsonValidator):
        answer = json_body({"orders": [{"id": int(one), "state": "open"} for one in ids]})
    else:
        rows = "".join(f'<tr><td><a href="/orders/{one}">{one}</a><td>open</tr>' for one in ids)
        answer = html(f"<!doctype html><table>{rows}</table>")
    check = compile_validator(validator, VariableNames({"id": "7"}), strict=strict)
    return check(RecordedResponse(answer), ())


@VALIDATORS
def test_all_is_newer(validator: JsonValidator | TextValidator) -> None:
    """The item may be on a further page: no failure, unless all differences are."""
    told = _failure(validator, "12", "11", "9", "8")
    assert told is not None
    assert not told.certain
    assert told.message.startswith("it does not show whether state is sent: all that is listed is")
    strict = _failure(validator, "12", "11", "9", "8", strict=True)
    assert strict is not None
    assert strict.certain
    assert strict.cause == "answer"


@VALIDATORS
@pytest.mark.parametrize("ids", ["12 11 9 8 6", "12 11 9 8 7", "9 8", ""])
def test_it_would_be_there(validator: JsonValidator | TextValidator, ids: str) -> None:
    """It is there, or an older one is, or there is no page of anything."""
    failed = _failure(validator, *ids.split())
    assert failed is not None
    assert failed.certain
    assert failed.message.startswith("POST /orders/7/ship did not take effect")


def _listing(is_json: bool, *names: str) -> str:
    """A list of orders with these names, each of another number."""
    if is_json:
        return json.dumps([{"id": one, "name": one[:3]} for one in names])
    return "<!doctype html>" + "".join(f'<li><a href="/{one}">{one[:3]}</a>' for one in names)


@pytest.mark.parametrize("is_json", [True, False], ids=["JSON", "a page"])
@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("Ale1 Bun1", "Ale2 Bun2", "in place of 2 of before"),
        ("Ale1 Bun1", "Ale2 Ale1", "in place of 1 of before"),
        ("Ale1", "Ale2 Bun2", "in place of 1 of before"),
        ("Ale1 Bun1", "Ale1 Bun1", ""),
        ("Ale1 Bun1", "Ale2 Ale1 Bun1", ""),
        ("Ale1 Bun1", "Ale1", ""),
        ("", "Ale2", ""),
    ],
)
def test_others_in_their_place(is_json: bool, before: str, after: str, told: str) -> None:
    """A list from which others have pushed what it had before the change may have lost that, too,
    which is known by its name alone; one that has only grown, or shrunk, has not."""
    by_name = JsonValidator('$[?(@.name=="Tea")]', outcome=OUTCOME)
    check = compile_validator(
        by_name if is_json else TextValidator("Tea", outcome=OUTCOME), VariableNames({}), kept=0
    )
    kept, text = (_listing(is_json, *one.split()) if one else "" for one in (before, after))
    failed = check(RecordedResponse(html(text)), (kept,))
    assert failed is not None
    assert failed.certain is not bool(told)
    assert told in failed.message


def test_numbers_that_nobody_counts() -> None:
    """They are too long to be numbers."""
    failed = _failure(BY_ROW, "9" * 5000, "12", "11", "9")
    assert failed is not None
    assert failed.certain
