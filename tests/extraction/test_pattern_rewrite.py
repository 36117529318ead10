"""What a pattern means to `re` it means to the package regex as well, once it is respelled."""

from __future__ import annotations

import re
import sys
import warnings

import pytest
import regex
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pytest_loadtool.extraction.pattern_rewrite import respelled

CHARACTERS = 'aabbcciIıİkKséÉſ 12²_-"\n\t\x1c\u0301{eE}\u212aßAC&:'  # noqa: RUF001

#: Characters, classes and places, and what one of the two would take for something else.
ATOMS = (
    *("a", "b", "i", "ı", "é", "É", "ß", "\u212a", "k", "ſ", " ", ".", "²", "\\n", '"', "(?:)"),  # noqa: RUF001
    *("\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "\\b", "\\B", "^", "$", "\\A", "\\Z", "\\x1c"),
    *("[a-c]", "[^a]", "[^\\s]", "[\\w-]", "[i-k]", "[^i]", "[A-Z]", "[^\\W_]", "[\\D1]"),
    *("{", "{e}", "a{e<=1}", "[[:alpha:]]", "[a&&b]", "[a--b]", "[a||b]"),
)
REPEATED = ("*", "+", "?", "{1,2}", "{2}", "{,2}", "*?", "+?", "??", "*+", "++", "?+")
GROUPS = ("(?={})", "(?!{})", "(?>{})", "(?i:{})", "(?s:{})", "(?m:{})", "(?-i:{})", "(?:{})")


def larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Patterns made of others. Only captures that each round of a repetition sets are in one."""
    return st.one_of(
        st.builds("{}{}".format, smaller, smaller),
        st.builds("(?:{}|{})".format, smaller, smaller),
        st.builds("(?:{}){}".format, smaller, st.sampled_from(REPEATED)),
        st.builds(lambda group, one: group.format(one), st.sampled_from(GROUPS), smaller),
    )


INNER = st.recursive(st.sampled_from(ATOMS), larger, max_leaves=8)
PATTERNS = st.one_of(
    st.builds("{}{}".format, st.sampled_from(("", "(?i)", "(?a)", "(?ai)", "(?s)", "(?m)")), INNER),
    st.builds("{}({}){}".format, INNER, INNER, INNER),
    st.builds("({})\\1{}".format, INNER, INNER),
    st.builds("(?P<quote>[\"'])?(?(quote){}|{})({})".format, INNER, INNER, INNER),
    st.builds("(?<=a){}|(?<!{}){}".format, INNER, st.sampled_from(("\\w", "[^b]", "é")), INNER),
)


@given(PATTERNS, st.lists(st.text(CHARACTERS, max_size=12), min_size=5, max_size=5))
@example("[^i]|[^a]", ["i", "a", "b", "", "ia"])
@example("(?i)i|ı", ["iIıİ", "", "", "", ""])  # noqa: RUF001
@example(r"\w+\s", ["²½\u0301a\x1c", "", "", "", ""])
def test_the_same_is_found(pattern: str, texts: list[str]) -> None:
    """Every match and what its groups hold; from a later place on, too, and up to an earlier."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            plain = re.compile(pattern)
        except re.error:
            assume(False)
    other = regex.compile(respelled(pattern))
    for text in texts:
        for start, end in ((0, 99), (1, 8)):
            try:
                expected = [(one.span(), one.groups()) for one in plain.finditer(text, start, end)]
            except SystemError:  # bpo-35859 and its like: re's own
                continue
            found = [(one.span(), one.groups()) for one in other.finditer(text, start, end)]
            assert found == expected, (text, start, end)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", ".", r"[^\w\s]"])
@pytest.mark.parametrize("flags", ["", "(?a)"])
def test_every_character_is_in_the_same_classes(pattern: str, flags: str) -> None:
    """But for those that Python's Unicode does not have yet."""
    pattern = f"{flags}(?:{pattern})+"
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    plain, other = bytearray(len(every)), bytearray(len(every))
    for one in re.finditer(pattern, every):
        plain[slice(*one.span())] = b"x" * len(one[0])
    for one in regex.finditer(respelled(pattern), every):
        other[slice(*one.span())] = b"x" * len(one[0])
    odd = [one for one, this, that in zip(every, plain, other, strict=True) if this != that]
    assert [one for one in odd if regex.match(r"\P{Cn}", one) is None or known(one)] == []


def known(one: str) -> bool:
    """Whether Python's Unicode has the character."""
    from unicodedata import category

    return category(one) != "Cn"


@pytest.mark.slow
def test_every_letter_is_the_same_in_either_case() -> None:
    """Where case does not count."""
    for one in map(chr, range(sys.maxunicode + 1)):
        others = {one.lower(), one.upper(), one.title(), one.casefold(), one.swapcase()}
        others |= {two.lower() for two in others} | {two.upper() for two in others}
        others = {two for two in others if len(two) == 1}
        if len(others) > 1:
            pattern = f"(?i){re.escape(one)}"
            plain, other = re.compile(pattern), regex.compile(respelled(pattern))
            for two in others:
                assert bool(plain.match(two)) == bool(other.match(two)), (one, two)
