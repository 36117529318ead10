"""Lines of a width in columns: cut, wrapped, side by side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.console.screens.cells import (
    beside,
    columns_of,
    cut_at,
    filled,
    fitted,
    shallow,
    shortened,
    wrapped,
)
from pytest_loadtool.console.views.line import ViewLine

TEXTS = st.text(
    st.one_of(st.characters(exclude_categories=("C", "Z", "M")), st.sampled_from(" ,/日Ä")),
    max_size=80,
)


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("/orders", 10, "/orders"),
        ("/static/admin/css/base.css", 16, "/static…base.css"),
        ("日本語のページ", 8, "日…ージ"),
        ("abcdef", 2, "ab"),
    ],
)
def test_a_long_text_keeps_its_beginning_and_its_end(
    text: str, columns: int, expected: str
) -> None:
    """Of a path, the end tells as much as the beginning; wide characters take two columns."""
    assert shortened(text, columns) == expected
    assert columns_of(expected) <= columns


@given(text=TEXTS, columns=st.integers(1, 90))
def test_lines_get_exactly_their_width(text: str, columns: int) -> None:
    """Whatever a line has, it is cut or filled to the columns that it gets."""
    assert columns_of(fitted(text, columns)) == columns


@given(parts=st.lists(TEXTS, min_size=1, max_size=4), columns=st.integers(6, 90))
def test_wrapping_loses_nothing_but_blanks(parts: list[str], columns: int) -> None:
    """Each piece fits, and together they have each character with its kind."""
    line = ViewLine(*((part, "name") for part in parts))
    pieces = list(wrapped(line, columns))
    assert all(columns_of(piece) <= columns for piece in pieces)
    assert "".join(pieces).replace(" ", "") == line.replace(" ", "")


def test_a_line_is_broken_at_a_space_and_goes_on_below_its_beginning() -> None:
    """Indented text stays indented; the last part of a line is continued below itself."""
    line = ViewLine(("   ", ""), ("the session has probably expired", ""))
    assert list(wrapped(line, 20, hanging=True)) == ["   the session has ", "   probably expired"]
    assert list(wrapped("Accept: text/html,application/xml", 20)) == [
        "Accept: text/html,",
        "  application/xml",
    ]


def test_a_line_is_cut_between_its_parts() -> None:
    """The kinds stay with their characters."""
    head, tail = cut_at(ViewLine(("ab", "name"), ("cd", "bad")), 3)
    assert head.spans == (("ab", "name"), ("c", "bad"))
    assert tail.spans == (("d", "bad"),)


def test_blocks_stand_beside_each_other() -> None:
    """The right one begins in the same column in each row."""
    left = filled([ViewLine(("日本", "")), ViewLine(("c", ""))], 6, 2)
    assert [str(line) for line in beside(left, left, 6)] == ["日本  │日本  ", "c     │c     "]


def test_deep_lines_stay_in_reach() -> None:
    """None is indented by more than a quarter of the columns, and what is deeper stays deeper or
    as deep; lines that are shallow anyway stay as they are."""
    lines = [ViewLine((" " * depth, ""), ("<p>", "tag")) for depth in range(0, 50, 2)]
    shown = list(shallow(lines, 40))
    depths = [len(line) - len("<p>") for line in shown]
    assert (depths[0], depths[-1]) == (0, 10)
    assert depths == sorted(depths)
    assert all(line.spans[-1] == ("<p>", "tag") for line in shown)
    assert list(shallow(lines[:6], 40)) == lines[:6]
