"""Filter expressions: operators, signs, brackets, and what is no expression."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_har
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import build_case
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.filtering import OPERATORS, matching, parsed
from tests.console.samples import DOCUMENT

ADMIN = Path(__file__).parents[2] / "example_suite" / "cases" / "admin.har"


def meant(
    expression: str, document: Document = DOCUMENT, failed: tuple[int, ...] = ()
) -> list[int]:
    test = parsed(expression.split())
    return [index + 1 for index in matching(document, test, failed=failed)]


@pytest.mark.parametrize(
    ("expression", "numbers"),
    [
        ("", [1, 2, 3]),
        ("~m POST", [2]),
        ("~m post|get", [1, 2, 3]),
        ("!~m POST", [1, 3]),
        ("! ~m POST", [1, 3]),
        ("~u /login", [1, 2]),
        ("/login", [1, 2]),
        ("/login ~m GET", [1]),
        ("~m GET & ~u hand", [3]),
        ("~m POST | ~u hand", [2, 3]),
        ("~m GET & ~u hand | ~m POST", [2, 3]),
        ("~m GET & (~u hand | ~m POST)", [3]),
        ("!(~u hand | ~m POST)", [1]),
        ("((~u hand))", [3]),
        ("~u (hand|quux)", [3]),
        ("(~u (hand|quux))", [3]),
        ("~c 200", [1]),
        ("~c 2xx,302", [1, 2]),
        ("~c 300-399", [2]),
        ("~k html", [1]),
        ("~k OTHER", [2]),
        ("~d 127.0.0.1", [1, 2, 3]),
        ("~d example.org", []),
        ("~p home", [2, 3]),
        ("~t html", [1]),
        ("~h accept:.text", [1]),
        ("~hq form-urlencoded", [2]),
        ("~hs form-urlencoded", []),
        ("~hs utf-8", [1]),
        ("~b Grüße", [1]),
        ("~b user=admin", [2]),
        ("~bq Grüße", []),
        ("~bs Grüße", [1]),
        ("~e", []),
        ("~x", []),
        ("~v", []),
        ("~all", [1, 2, 3]),
    ],
)
def test_expression_tells_who_is_meant(expression: str, numbers: list[int]) -> None:
    """Each operator by itself, and what the signs between them do."""
    assert meant(expression) == numbers


def test_what_failed_is_meant() -> None:
    """By a replay, which is none of the test case's; `~e` is that, too."""
    assert meant("~f", failed=(2,)) == [3]
    assert meant("~e", failed=(2,)) == [3]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("~mm POST", "there is no operator '~mm': did you mean '~m'"),
        ("~m", "~m (method) needs a regular expression"),
        ("(~m)", "~m (method) needs a regular expression"),
        ("~u [", "'[' is no regular expression"),
        ("~c 4x", "'4x' is no status code"),
        ("~k picture", "'picture' is no kind"),
        ("~d http://x/", "expected a domain such as shop.example"),
        ("~m POST &", "the expression ends where a test should stand"),
        ("| ~m POST", "'|' has nothing before it"),
        ("(~m POST", "a bracket is not closed"),
        ("~m POST) ~c 2xx", "')' has nothing before it"),
        ("!", "the expression ends where a test should stand"),
        ("(" * 5000 + "~e", "more brackets than can be followed"),
    ],
)
def test_what_is_no_expression_is_refused(expression: str, message: str) -> None:
    """With what is wrong, and what is near."""
    with pytest.raises(ValueError, match=re.escape(message)):
        meant(expression)


@pytest.mark.parametrize("name", list(OPERATORS))
def test_every_operator_tells_apart(name: str) -> None:
    """In a real recording, each has some that it means and, but for all, some that it does not;
    those that no recording alone can show are not asked."""
    exchanges = tuple(read_har(ADMIN))
    document = Document(build_case(exchanges, name="admin").case, exchanges)
    total = len(list(document.case.transactions()))
    asked = {"~m": "POST", "~c": "3xx", "~k": "css", "~d": "127.0.0.1", "~p": "log", "~t": "css"}
    found = (
        meant(f"{name} {asked.get(name, 'csrf')}", document)
        if OPERATORS[name].argument
        else (meant(name, document))
    )
    if name in ("~e", "~f", "~x", "~g", "~w", "~q"):
        assert found == []
    elif name in ("~d", "~all"):
        assert len(found) == total
    else:
        assert 0 < len(found) < total or name in ("~v", "~u")


def test_empty_test_case_is_no_trouble() -> None:
    """There is nothing to be meant."""
    assert meant("~m POST", Document(TestCase("x", ()))) == []
