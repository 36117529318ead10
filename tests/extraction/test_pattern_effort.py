"""How long a text may be for a pattern."""

from __future__ import annotations

import pytest

from pytest_loadtool.extraction.pattern_effort import longest_texts

#: With 10,000 steps.
LONGEST = {
    'name="csrf"': 10_000,
    "[Ww]elcome|Hello": 5_000,
    'value="([^"]+)"': 100,
    "(?:ab)*c": 100,
    "a{3}": 10_000,
    "a{0,99}": 100,
    ".*a.*": 21,
    "(a)?b\\1": 70,
    "(?=.*b)a": 100,
    "a{0,5000}": 100,
    "(a+)+$": 0,
    "(?:a|b)*": 100,
    "(?:a|bc)*": 0,
    "(?:a?){40}": 0,
    "(?:a?){1000}": 0,
    "(?>(?:a|bc)*)": 0,
    "(a)?(?(1)b*|c)": 50,
}


@pytest.mark.parametrize("pattern", LONGEST)
def test_longest_text(pattern: str) -> None:
    """The more a pattern can try, the shorter."""
    assert longest_texts(pattern, 10_000)[0] == LONGEST[pattern]


def test_at_one_place() -> None:
    """A match that begins at one place may have longer texts."""
    assert longest_texts('value="([^"]+)"', 10_000) == (100, 10_000)
    assert longest_texts(".*a.*", 10_000) == (21, 100)
    assert longest_texts("(a+)+$", 10_000) == (0, 0)
