"""What the real application refuses, and what the failure says of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.correlation.writing.revert import taken_back
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from tests.correlation.conftest import Serve
from tests.correlation.talk import configure
from tests.observed import explained


@pytest.fixture(scope="module")
def exchanges(recorded: dict[str, tuple[Exchange, ...]]) -> tuple[Exchange, ...]:
    return recorded["admin"]


@pytest.fixture(scope="module")
def case(exchanges: tuple[Exchange, ...]) -> TestCase:
    """The session in the admin, configured."""
    return configure(build_case(exchanges, name="admin").case, exchanges).case


def test_what_exists_already(case: TestCase, exchanges: tuple[Exchange, ...], serve: Serve) -> None:
    """Django answers 200 with the form and its message: the second replay fails, and says why."""
    with serve(61) as url:
        assert not explained(case, exchanges, url)
        text = explained(case, exchanges, url)
    block = text.partition("\n\n")[0]
    first, *_ = block.splitlines()
    assert "POST /admin/auth/user/add/  200, expected 300-399" in first
    assert "cause    The server takes 'bob' only once, and has it." in block
    assert "'username: A user with that username already exists.'" in block
    assert "loadtool> unique bob" in block
    assert "csrfmiddlewaretoken was taken anew from" in " ".join(block.split())


def test_a_token_as_recorded(case: TestCase, exchanges: tuple[Exchange, ...], serve: Serve) -> None:
    """Django answers 403: the field is named, and the line that keeps it as it is."""
    with serve(81) as url:
        text = explained(taken_back(case, exchanges, "csrf_token[1]"), exchanges, url)
    assert "Status Code is 403" in text
    said = " ".join(text.partition("\n\n")[0].split())
    assert "cause csrfmiddlewaretoken = " in said
    assert "was sent as recorded, and 2 GET /admin/login/ gives out another now" in said
    assert 'take "POST /admin/login/: csrfmiddlewaretoken" out of `ignore`' in said


def test_a_token_that_nothing_gives_out(
    case: TestCase, exchanges: tuple[Exchange, ...], serve: Serve
) -> None:
    """Here from none: Django answers 403, and the variable is named with the value it has."""
    pages = tuple(
        replace(
            page,
            transactions=tuple(
                replace(
                    one,
                    extractors=tuple(
                        each for each in one.extractors if "csrf" not in each.variable
                    ),
                )
                for one in page.transactions
            ),
        )
        for page in case.pages
    )
    with serve(101) as url:
        text = explained(replace(case, pages=pages), exchanges, url)
    block, said = (" ".join(one.split()) for one in (text.partition("\n\n")[0], text))
    assert "was sent with the recorded value: nothing new was taken from nowhere" in block
    assert "(${csrf_token[1]}, which no transaction before gives out)" in said


def test_a_cookie_that_nobody_sets(
    case: TestCase, exchanges: tuple[Exchange, ...], serve: Serve
) -> None:
    """Without the page that sets it, Django answers 403 for want of its cookie: that is named."""
    with serve(121) as url:
        text = explained(replace(case, pages=case.pages[1:]), exchanges, url)
    block = text.partition("\n\n")[0]
    assert "POST /admin/login/" in block.splitlines()[0]
    assert "The cookie csrftoken was not sent" in block
