"""Numbers as a row of characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.report.columns import cells
from pytest_loadtool.report.load.chart import ASCII, BLOCKS, glyphs_for, groups, sparkline

values = st.lists(st.floats(0, 1e9))


@given(values, st.sampled_from([BLOCKS, ASCII]))
def test_one_character_for_each_value(numbers: list[float], glyphs: str) -> None:
    """As wide as there are values; a greater one never looks smaller, and only none is blank."""
    line = sparkline(numbers, glyphs)
    assert cells(line) == len(numbers)
    heights = [glyphs.index(glyph) for glyph in line]
    pairs = sorted(zip(numbers, heights, strict=True))
    assert [height for _, height in pairs] == sorted(heights)
    assert all((height == 0) == (number == 0) for number, height in pairs)


def test_the_greatest_is_full() -> None:
    """The scale goes from nothing to the greatest value."""
    assert sparkline([0, 0.001, 50, 100]) == " ▁▄█"
    assert sparkline([0, 0.001, 50, 100], ASCII) == " .=@"
    assert sparkline([]) == ""
    assert sparkline([0, 0]) == "  "


@pytest.mark.parametrize(
    ("encoding", "glyphs"),
    [("utf-8", BLOCKS), ("ascii", ASCII), ("latin-1", ASCII), ("nonsense", ASCII), (None, ASCII)],
)
def test_what_a_stream_can_carry(encoding: str | None, glyphs: str) -> None:
    """Blocks where they can be encoded, else plain ASCII."""
    assert glyphs_for(encoding) == glyphs
    assert ASCII.isascii()


@given(st.integers(0, 10_000), st.integers(1, 200))
def test_groups(count: int, columns: int) -> None:
    """As few values share a column as can be, and all find a place."""
    shared = groups(count, columns)
    assert -(-count // shared) <= columns
    assert shared == 1 or -(-count // (shared - 1)) > columns
