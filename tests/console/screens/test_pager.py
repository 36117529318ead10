"""Looking for text in lines."""

from __future__ import annotations

import pytest

from pytest_loadtool.console.screens.cells import wrapped
from pytest_loadtool.console.screens.pager import TOP, Pager
from pytest_loadtool.console.views.line import ViewLine

TEXT = ["<p>", "  Please enter the correct username and password of 世界", "</p>"]
LINES = [
    ViewLine(("~", "bad"), *piece.spans)
    for line in TEXT
    for piece in wrapped(ViewLine((line, "")), 24)
]


def found(line: ViewLine) -> str:
    return "|".join(text for text, kind in line.spans if kind == "found")


@pytest.mark.parametrize(
    "query", ["the correct username", "THE  correct", "username and", "word of 世"]
)
def test_text_that_is_broken_over_lines(query: str) -> None:
    """It is found on the line where it begins, and marked on each, without margins."""
    pager = TOP.found(LINES, query)
    assert pager is not None
    shown = pager.seen(LINES, 9)
    assert " ".join(map(found, shown)).lower().split() == query.lower().split()
    assert found(shown[0])
    assert [str(line) for line in shown] == [str(line) for line in LINES[pager.top :]]


def test_a_word_that_had_to_be_cut() -> None:
    """Where nothing else was left, a word is broken, too."""
    lines = [*wrapped(ViewLine(("0123456789abcdefghij", "")), 8)]
    pager = TOP.found(lines, "89ab")
    assert pager is not None
    assert [found(line) for line in pager.seen(lines, 9)][:2] != ["", ""]


def test_going_around() -> None:
    """From the last place the next is the first, and the other way round."""
    lines = [ViewLine((text, "")) for text in ("tea", "pot", "tea", "cup", "tea")]
    tops = []
    pager: Pager | None = TOP
    for step in (1, 1, 1, 1, -1, -1):
        assert pager is not None
        pager = pager.found(lines, "tea", step)
        tops.append(pager.top if pager else None)
    assert tops == [0, 2, 4, 0, 4, 2]
    assert TOP.found(lines, "can") is None
    assert Pager(2, "tea").found(lines, "") == Pager(2)
