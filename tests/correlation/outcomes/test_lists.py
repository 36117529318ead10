"""What a list alone shows of a change: a replay sees what was not done."""

from __future__ import annotations

import pytest

from tests.correlation.outcomes.lists import VIEWS, WITHOUT_NOTES, become, opened, recorded

#: Where notes are not looked for by their thing: lines of text, attributes of XML, HTML in JSON.
_BY_THEMSELVES = frozenset(
    {*("lines with ids", "lines with marks", "CSV", "lines of JSON", "YAML"),
     *("XML of attributes", "HTML in JSON")}
)  # fmt: skip
#: Where ids of the recording are found by a list that tells them, on a page.
_FOUND = (
    *("rows", "list", "articles", "cards", "cards in columns", "cards of utility classes"),
    *("cards without classes", "cards in capitals", "cards with a state", "sections", "paragraphs"),
    *("definitions", "definitions of several", "definitions in groups", "details"),
)


@pytest.mark.parametrize("name", VIEWS)
def test_lists(name: str) -> None:
    """Who makes a thing is told its id, and the list shows none: honest servers are green, a new
    one, a used one, and a second time; where nothing is done, or to another, it is red."""
    case = recorded(name, tells=False)
    used = opened(name, used=True, tells=False)
    stalls = (opened(name, tells=False), used, used)
    assert [become(case, one)[0] for one in stalls] == ["green"] * 3
    notes = name not in WITHOUT_NOTES | _BY_THEMSELVES
    for act in ("note", "drop") if notes else ("drop",):
        for trick in ("nothing", "another"):
            stall = opened(name, used=True, tells=False, trick=f"{act}: {trick}")
            shade, said = become(case, stall)
            assert (shade, "did not take effect" in said) == ("red, wrong", True)


@pytest.mark.parametrize("name", _FOUND)
def test_ids_of_lists(name: str) -> None:
    """Likewise, where the list alone tells the ids."""
    case = recorded(name, gives=False)
    used = opened(name, used=True, gives=False)
    assert [become(case, used)[0] for _ in range(2)] == ["green"] * 2
    for act in ("note", "drop"):
        stall = opened(name, used=True, gives=False, trick=f"{act}: nothing")
        assert become(case, stall)[0] == "red, wrong"


def test_names_that_others_give_too() -> None:
    """That such a name is still there is told, and no failure."""
    case = recorded("rows", tells=False, unique=False)
    shade, said = become(case, opened("rows", used=True, tells=False, trick="drop: nothing"))
    assert shade == "told, wrong"
    assert "not so after DELETE" in said
