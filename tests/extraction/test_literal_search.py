"""Literal text is found where ``str.find`` and regular expressions find it."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_loadtool.extraction.pattern import Needle, literal_start

STARTS = {
    r'data-item="(\d+)"': 'data-item="',
    r"token=": "token=",
    r"ab*c": "a",
    r"ab?": "a",
    r"ab{2}": "a",
    r"a+": "",
    r"(a)b": "",
    r"(?i)token": "",
    r"^token": "",
    r"\d+ items": "",
    r"token|sid": "",
    r"\btoken": "token",
    r"\b(token)": "",
    r"a[|]b": "",
    r"": "",
}


@pytest.mark.parametrize(("pattern", "start"), STARTS.items())
def test_literal_start(pattern: str, start: str) -> None:
    """Only what is plain text at the beginning of every match."""
    assert literal_start(pattern) == start


texts = st.text("abcx=<", max_size=50)


@given(texts, st.text("ab=x", min_size=1, max_size=4), st.integers(0, 200))
@example("=", "a=", 1)
def test_found_where_it_is(middle: str, literal: str, repeats: int) -> None:
    """In short texts and long ones, also when another text has more of the rare character."""
    needle = Needle(literal)
    for text in ("z" * 3000 + middle, "z" * 3000 + (middle + "<") * repeats + literal, middle):
        assert needle.find(text) == text.find(literal)


def test_rare_characters_before_the_first_place_where_the_literal_fits() -> None:
    """The rare one is far into the literal, and a later text begins with many of it."""
    literal = "a" * 200 + "x"
    needle = Needle(literal)
    for text in ("z" * 3000 + literal, "x" * 100 + literal + "z" * 3000):
        assert needle.find(text) == text.find(literal)


@given(texts, st.sampled_from(["ab(.)", "x=([^<]*)<", "a=+(b)", "c(x?)", r"\bab(.)"]))
def test_a_search_from_there_finds_the_same(middle: str, pattern: str) -> None:
    """The first match of an expression begins where its literal start does, or later."""
    text = "z" * 3000 + middle * 3
    start = Needle(literal_start(pattern)).find(text)
    found = None if start < 0 else re.compile(pattern).search(text, start)
    expected = re.search(pattern, text)
    assert (found and found.span()) == (expected and expected.span())
