"""Aligned columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.report.columns import cells, fit, table, wrap


@given(st.text(max_size=80), st.integers(1, 60))
def test_fit(text: str, width: int) -> None:
    """A text takes at most the width it is given, and is left alone when it has room."""
    fitted = fit(text, width)
    assert cells(fitted) <= width
    if cells(text) <= width:
        assert fitted == text


def test_both_ends_stay() -> None:
    """What is left out is the middle: paths are told apart by both ends."""
    assert fit("GET /admin/auth/user/1/change/", 15) == "GET /ad…change/"


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("日本", 4), ("é", 1), ("e\u0301", 1)])
def test_cells(text: str, width: int) -> None:
    """Wide characters take two columns, combining ones none."""
    assert cells(text) == width


@given(st.text(alphabet="ab \u65e5\u0301", max_size=120), st.integers(8, 40))
def test_wrap(text: str, width: int) -> None:
    """Wrapped lines take at most the width, begin as they are told, and lose nothing but blanks."""
    lines = wrap(text, width, "> ", ". ")
    assert all(cells(line) <= width for line in lines)
    assert all(line.startswith(". ") for line in lines[1:])
    assert "".join("".join(line[2:].split()) for line in lines) == "".join(text.split())


def test_wrap_keeps_words() -> None:
    """Lines break between words, and blanks within a line stay as they were."""
    assert wrap("200: 5   404: 17   no more", 15, "s ", "  ") == [
        "s 200: 5   404:",
        "  17   no more",
    ]


def test_table() -> None:
    """Names on the left, numbers on the right, the name column as wide as it needs to be."""
    assert table(("what", "n"), [("one", "1"), ("日本", "1,000")], 40) == [
        "what" + "      n",
        "one " + "      1",
        "日本" + "  1,000",
    ]
