"""What stands by itself in a text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.correlation.responses.tokens import tokens


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": "c7Jq2Xv9Lm4P"}', {"c7Jq2Xv9Lm4P"}),
        ("short 1234567", set()),
        ("/a/b?token=c7Jq2Xv9Lm4P&x=1", {"c7Jq2Xv9Lm4P"}),
        ("key='YWJjZGVmZ2g=';", {"YWJjZGVmZ2g", "YWJjZGVmZ2g="}),
        ("12345678:abcdefgh", {"12345678:abcdefgh", "12345678", "abcdefgh"}),
        ("é12345678é", {"12345678"}),
    ],
)
def test_tokens(text: str, found: set[str]) -> None:
    """By themselves and within longer ones; what is not ASCII ends them."""
    assert tokens(text) == found


_STRICT = re.compile(r"[\w-]{8,}", re.ASCII)
_WIDE = re.compile(r"[\w\-.~+/:|%!]{8,}={0,2}", re.ASCII)


@given(st.text(st.sampled_from('ab1_-.~+/:|%!=é? \n"'), max_size=80))
def test_agrees_with_regular_expressions(text: str) -> None:
    """The tables of characters find what two regular expressions do."""
    wide = _WIDE.findall(text)
    assert tokens(text) == {*wide, *_STRICT.findall("\n".join(wide))}
