"""What is said of an answer, by what was recorded in its place."""

from __future__ import annotations

import pytest

from pytest_loadtool.answers.judge import ExpectedAnswer, Finding, judge
from pytest_loadtool.model.case import Recorded
from tests.answers.samples import ALIKE, DIFFERS, FAILED, HTML, JSON, LOGIN, ORDERS, Raw, page


def found(was: Raw, now: Raw, *, of_a_thing: bool = False) -> Finding | None:
    return judge(was.expectation(of_a_thing=of_a_thing), now.seen)


@pytest.mark.parametrize(("content_type", "before", "after", "how"), FAILED)
def test_an_answer_that_says_that_it_failed(
    content_type: str, before: str, after: str, how: str
) -> None:
    """It is held against it where the recorded one went well, and not where that said it, too."""
    was, now = Raw(200, content_type, before), Raw(200, content_type, after)
    assert found(was, now) == Finding(f"The answer says that it failed: {how}", failed=True)
    assert found(now, now) is None
    assert found(was, was) is None


@pytest.mark.parametrize("content_type", [HTML, JSON])
def test_a_login_page(content_type: str) -> None:
    """In the place of a page, or of what a script asked for."""
    before = ORDERS if content_type == HTML else "{}"
    asks = Finding("The answer asks to log in, which the recorded one did not", failed=True)
    assert found(Raw(200, content_type, before), Raw(200, HTML, LOGIN)) == asks
    assert found(Raw(200, HTML, LOGIN), Raw(200, HTML, LOGIN)) is None


def test_a_page_with_a_password_among_others_is_no_login() -> None:
    """A form of a person's own data has one, too."""
    fields = "".join(f'<input name="f{number}">' for number in range(8))
    form = page("Orders · Shop", f'<form>{fields}<input type="password"></form>')
    said = found(Raw(200, HTML, ORDERS), Raw(200, HTML, form))
    assert said == Finding("a field for a password where none was recorded")


@pytest.mark.parametrize(("was", "now", "text"), DIFFERS)
def test_an_answer_of_another_shape(was: Raw, now: Raw, text: str) -> None:
    """It is told, and no failure."""
    assert found(was, now) == Finding(text)
    assert found(was, was) is None
    assert found(now, now) is None


@pytest.mark.parametrize(("was", "now"), ALIKE)
def test_an_answer_that_is_as_recorded(was: Raw, now: Raw) -> None:
    """What rightly differs is not told: conditional requests, data, days, counts."""
    assert found(was, now) is None


def test_the_title_of_a_thing_is_its_own() -> None:
    """Where a response has named what is asked for, the site's own words are enough."""
    was, now = Raw(200, HTML, page("Teapot · Shop")), Raw(200, HTML, page("Cup · Shop"))
    assert found(was, now, of_a_thing=True) is None
    assert found(was, now) is not None
    assert found(was, Raw(200, HTML, page("Welcome")), of_a_thing=True) is not None


def test_without_an_answer_only_the_status_counts() -> None:
    """Test cases that were made before it was noted say no more."""
    was = ExpectedAnswer(Recorded(200))
    assert judge(was, Raw(200, HTML, LOGIN).seen) is None
    assert judge(was, Raw(302, HTML, "", "/login").seen) is not None
