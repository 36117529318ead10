"""Patterns: what they find in short and long texts, and when they give up."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

import pytest

from pytest_loadtool.errors import SlowPatternError
from pytest_loadtool.extraction.extract import PlainText, compile_source
from pytest_loadtool.extraction.pattern import Allowance, Pattern
from pytest_loadtool.model.extractor import JsonPath, RegularExpression

#: No engine that backtracks ends before the sun does.
ENDLESS = "(a|aa)+$"
TEXT = "a" * 100 + "!"


def begun(allowance: Allowance) -> None:
    """Begin another response, most of whose time is over already."""
    allowance.begin()
    allowance.left = min(allowance.left, 0.05)


@pytest.mark.parametrize("padding", [0, 5_000])
def test_short_and_long_texts(padding: int) -> None:
    """Whichever engine has to find it, the same is found."""
    text = "-" * padding + 'a="1" b="22" ' + "-" * padding
    pattern, plain = Pattern(r'\b(\w)="([^"]*)"'), re.compile(r'\b(\w)="([^"]*)"')
    pattern.allowance.begin()
    first, again = pattern.search(text), pattern.search(text, padding + 3)
    assert first is not None
    assert again is not None
    assert (first[0], first.start(), again[2]) == ('a="1"', padding, "22")
    assert pattern.search(text, 0, padding + 3) is None
    at = pattern.match(text, padding)
    assert at is not None
    assert at[1] == "a"
    assert pattern.match(text, padding + 1) is None
    assert pattern.fullmatch(text) is None
    assert [one.groups() for one in pattern.finditer(text)] == plain.findall(text)
    assert pattern.groups == plain.groups


def test_what_re_never_ends_with() -> None:
    """The other engine knows at once that there is nothing."""
    assert Pattern("(a+)+$").search(TEXT) is None
    assert Pattern("[^x]*y").search("x" * 100_000) is None


@pytest.mark.parametrize(
    "how",
    [
        lambda one: one.search(TEXT),
        lambda one: one.match(TEXT, 0),
        lambda one: one.fullmatch(TEXT),
        lambda one: list(one.finditer(TEXT)),
    ],
)
def test_it_gives_up(how: Callable[[Pattern], object]) -> None:
    """The error says which pattern, how long it took, on what, and what to do."""
    pattern = Pattern(ENDLESS)
    begun(pattern.allowance)
    with pytest.raises(SlowPatternError) as caught:
        how(pattern)
    assert str(caught.value) == (
        "Regular expression took longer than 1 s on a text of less than 1 KB: '(a|aa)+$'. Say what "
        "it may not pass, as [^<]* in place of .*, and repeat nothing that repeats something, as "
        "(a+)+ does"
    )


def test_the_size_is_rounded() -> None:
    """So pages that are nearly as long are one error."""
    assert str(SlowPatternError("a", 1, 47_112)) == str(SlowPatternError("a", 1, 51_000))
    assert "about 50 KB" in str(SlowPatternError("a", 1, 51_000))


def test_one_that_is_slow_gets_less() -> None:
    """After three times; and still finds what takes no time."""
    allowance = Allowance("(a|${b})+$")
    pattern, other = Pattern(ENDLESS, allowance), Pattern("(aa|a)+$", allowance)
    limits = []
    for one in (pattern, other, pattern, other, pattern):
        begun(allowance)
        with pytest.raises(SlowPatternError, match=r"took longer than") as caught:
            one.search(TEXT)
        limits.append(" ".join(str(caught.value).split()[5:7]))
        assert "'(a|${b})+$'" in str(caught.value)
    assert limits == ["1 s", "1 s", "1 s", "20 ms", "20 ms"]
    allowance.begin()
    found = pattern.search("a" * 100)
    assert found is not None
    assert found.end() == 100


@pytest.mark.slow
def test_one_response_has_one_allowance() -> None:
    """However many texts of it are looked at."""
    path = JsonPath('$.items[?(@.name =~ "(a|aa)+$")].id')
    names = [{"name": TEXT, "id": 1}] * 1000
    with pytest.raises(SlowPatternError):
        compile_source(path)(PlainText(f'{{"items": {names}}}'.replace("'", '"')))


def test_comparisons_in_json_paths() -> None:
    """They find what they have found, and give up as all patterns do."""
    path = compile_source(JsonPath('$.items[?(@.name =~ "^b+" && @.id > 1)].id'))
    assert path(PlainText('{"items": [{"name": "ab", "id": 2}, {"name": "bb", "id": 3}]}')) == "3"
    assert path(PlainText('{"items": [{"name": 7, "id": 2}, {"id": 3}]}')) is None


@pytest.mark.slow
def test_later_matches() -> None:
    """Only as many are sought as are needed."""
    extract = compile_source(RegularExpression("b|(?:a|aa)+$"), 2)
    assert extract(PlainText("bb" + TEXT)) == "b"
    with pytest.raises(SlowPatternError):
        compile_source(RegularExpression("b|(?:a|aa)+$"), 3)(PlainText("bb" + TEXT))
    assert [one[0] for one in islice(Pattern("b|(?:a|aa)+$").finditer("b" + TEXT), 1)] == ["b"]


def test_what_is_no_pattern() -> None:
    """It is said so."""
    with pytest.raises(ValueError, match=r"'\(' is not a regular expression: missing \)"):
        Pattern("(")
