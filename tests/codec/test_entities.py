"""Character references of any length."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.codec.entities import unescape

_ZEROS, _NINES = "0" * 5000, "9" * 5000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a&amp;b&#65;&#x42;", "a&bAB"),
        (f"&lt;&#{_ZEROS}65;&#abc", "<A&#abc"),
        (f"&#{_NINES};", "\N{REPLACEMENT CHARACTER}"),
        (f"&#{_ZEROS};&#{_ZEROS}{_NINES}", "\N{REPLACEMENT CHARACTER}" * 2),
    ],
)
def test_numbers_of_any_length(text: str, expected: str) -> None:
    """Thousands of digits are read as a browser reads them."""
    assert unescape(text) == expected


@given(st.text("&#x0159;a"))
def test_others_are_as_ever(text: str) -> None:
    """What Python reads is read likewise, also beside what it does not read."""
    assert unescape(text) == html.unescape(text)
    assert unescape(f"{text} &#{_ZEROS}65;") == html.unescape(text) + " A"
