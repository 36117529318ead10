"""From a text of a response that is picked to what takes it: of several places, from that one."""

from __future__ import annotations

import re

import pytest

from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.editing.suggestions import (
    PickedPlace,
    PlaceError,
    suggested_extractors,
    suggested_validators,
)
from pytest_loadtool.extraction.extract import taken
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Boundary, JsonPath, RegularExpression
from pytest_loadtool.model.validator import JsonValidator

TABLE = (
    "<table><tr><th>Id</th><th>Parent</th></tr>"
    '<tr><td class="id">4711</td><td class="parent">4711</td><td>Root</td></tr>'
    '<tr><td class="id">4712</td><td class="parent">4711</td><td>Leaf</td></tr></table>'
)
ITEMS = '{"first": {"id": "a1"}, "second": {"id": "a1"}, "note": "F\\u00fcr a1", "n": [17, 17]}'
ONCE = '<input name="csrf" value="6CCUccJo7hGf">'


def answered(body: str, media: str = "text/html") -> Exchange:
    return Exchange(
        1_790_000_000, 0.01, "GET", "http://127.0.0.1/", "HTTP/1.1", (),
        status=200, response_headers=(("Content-Type", media),), response_body=body.encode(),
    )  # fmt: skip


def place(body: str, text: str, number: int) -> PickedPlace:
    return PickedPlace(text, number, body.count(text))


JSON = "application/json"
AROUND = {RegularExpression, Boundary}
CASES = [
    *((TABLE, "text/html", "4711", number, AROUND) for number in range(3)),
    *((ITEMS, JSON, "a1", number, {JsonPath} | AROUND) for number in range(2)),
    (ITEMS, JSON, "a1", 2, AROUND),  # in the middle of a text
    (ITEMS, JSON, "17", 0, {JsonPath} | AROUND),
    (ITEMS, JSON, "17", 1, {JsonPath, Boundary}),  # a pattern would begin at an earlier comma
    ('{"n": "17 17"}', JSON, "17", 1, set()),  # only the same value stands before it
]


@pytest.mark.parametrize(("body", "media", "text", "number", "kinds"), CASES)
def test_what_is_picked_is_taken_where_it_was_picked(
    body: str, media: str, text: str, number: int, kinds: set[type]
) -> None:
    """On a response with something else at that place alone, each that is proposed takes that."""
    start, end = [one.span() for one in re.finditer(text, body)][number]
    value = "98765" if text.isdigit() else "zz9"
    changed = RecordedResponse(answered(body[:start] + value + body[end:], media))
    found = suggested_extractors(answered(body, media), text, place(body, text, number))
    assert [taken(source, changed, match) for source, match in found] == [value] * len(found)
    recorded = RecordedResponse(answered(body, media))
    assert {taken(source, recorded, match) for source, match in found} <= {text}
    assert {type(source) for source, _ in found} == kinds


def test_a_validator_of_a_picked_json_value_has_its_path() -> None:
    """The second of two members with the same value, and the value that was recorded."""
    exchange = answered(ITEMS, "application/json")
    found = suggested_validators(exchange, "a1", place(ITEMS, "a1", 1))
    assert found[0] == JsonValidator("$.second.id", "a1")
    assert suggested_validators(exchange, "17", place(ITEMS, "17", 1))[0] == JsonValidator(
        "$.n[1]", 17
    )


def test_what_stands_around_a_place_has_not_the_value_itself() -> None:
    """A pattern that the recorded value is a part of finds nothing on replay."""
    body = '<p><a href="/orders/4711">4711</a></p>'
    found = suggested_extractors(answered(body), "4711", place(body, "4711", 1))
    assert not [source for source, _ in found if "4711" in str(source)]


def test_a_place_that_is_not_known_is_told() -> None:
    """Where it is shown another number of times than it stands there; not if it stands there
    once."""
    with pytest.raises(PlaceError, match=r"^3 places in the response have it$"):
        suggested_extractors(answered(TABLE), "4711", PickedPlace("4711", 1, 2))
    with pytest.raises(PlaceError):
        suggested_validators(answered(TABLE), "4711", PickedPlace("4711", -1, 3))
    letters = '{"a": {"n": "Gr\\u00fcn"}, "b": {"n": "Gr\\u00fcn"}}'
    shown = PickedPlace("Grün", 1, 2)
    found = suggested_extractors(answered(letters, "application/json"), "Grün", shown)
    assert found == ((JsonPath("$.b.n"), 1),)
    once = answered(ONCE)
    text = "6CCUccJo7hGf"
    assert suggested_extractors(once, text, PickedPlace(text, -1, 0)) == suggested_extractors(
        once, text
    )
