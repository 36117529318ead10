"""What validators and extractors give on known responses."""

from __future__ import annotations

from pytest_loadtool.model.extractor import Extractor, JsonPath, RegularExpression
from pytest_loadtool.model.validator import JsonValidator, StatusCodes, TextValidator
from pytest_loadtool.workflow.trying import (
    MOST_MATCHES,
    KnownResponse,
    tried_extractor,
    tried_validator,
)
from tests.console.traffic import exchange

ITEMS = '{"items": [{"name": "Tea", "id": 1}, {"name": "Milk", "id": 2}]}'


def answered(text: str, **values: str) -> KnownResponse:
    found = exchange("GET", "http://shop/items", 0, content_type="application/json", answer=text)
    return KnownResponse("recorded", found, values)


def test_all_matches_are_counted() -> None:
    """Up to a limit; the wanted one is taken."""
    every = JsonPath("$.items[*].id")
    assert tried_extractor(Extractor("id", every), answered(ITEMS)).matches == ("1", "2")
    assert tried_extractor(Extractor("id", every, match=2), answered(ITEMS)).taken == "2"
    third = tried_extractor(Extractor("id", every, match=3), answered(ITEMS))
    assert (third.taken, len(third.matches)) == (None, 2)
    many = tried_extractor(Extractor("a", RegularExpression("a")), answered("a" * 200))
    assert len(many.matches) == MOST_MATCHES
    late = tried_extractor(Extractor("a", RegularExpression("a"), match=120), answered("a" * 200))
    assert late.taken == "a"


def test_placeholders_stand_for_what_is_known() -> None:
    """As text, whatever it means to the path around it; what is not known is said."""
    path = Extractor("id", JsonPath('$.items[?(@.name=="${name}")].id'))
    assert tried_extractor(path, answered(ITEMS, name="Milk")).taken == "2"
    unknown = tried_extractor(path, answered(ITEMS))
    assert unknown.problem == "not tried: ${name} is not known here"
    shown = TextValidator("${name}", row="")
    assert tried_validator(shown, answered(ITEMS, name="Milk")).holds is True
    assert tried_validator(shown, answered(ITEMS, name="Beer")).holds is False
    assert tried_validator(shown, answered(ITEMS)).holds is None


def test_validator_says_why_it_does_not_hold() -> None:
    """With what was there."""
    wrong = tried_validator(JsonValidator("$.items[0].id", 2), answered(ITEMS))
    assert (wrong.holds, wrong.message) == (False, "$.items[0].id is 1, expected 2")
    assert tried_validator(StatusCodes(((404, 404),)), answered(ITEMS)).holds is False
