"""What follows from a test case alone: its flows, what its texts use, what it renews."""

from __future__ import annotations

import pytest

from pytest_loadtool.casefile import parse_case
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.structure.flow_tree import (
    FlowGroup,
    grouped,
    may_be_skipped,
    own_chains,
    rounds_of,
)
from pytest_loadtool.structure.renewal import asks_for_renewal, successors
from pytest_loadtool.structure.uses import case_files, lasting_datasets, needed_by, used_by

CASE = """format = 1
name = "Shop"
server = "http://127.0.0.1:8000"

[datasets.users]
file = "users.csv"

[datasets.words]
file = "words.csv"

[variables]
greeting = { template = "Hello ${users.name}, ${signed}" }
signed = { template = "${words.first}!" }

[flows.browse]
repeat = "2-4"

[flows.inner]
repeat = 3
within = "browse"

[flows.lucky]
choose = { win = 1, nothing = 3 }

[[page]]
name = "Login"
once = "start"

[[page.transaction]]
request = "POST /login"
body = "user=${users.name}"
extractors = [{ variable = "token", json = "$.access_token" }]

[[page]]
name = "Browse"
flow = "browse"

[[page.transaction]]
request = "GET /one"

[[page.transaction]]
request = "GET /two?text=${greeting}"
flow = "inner"

[[page]]
name = "Prize"

[[page.transaction]]
request = "POST /prize"
flow = "win"
body = "file=${file:prize.bin}"

[[page.transaction]]
request = "POST /token"
body = "grant_type=refresh_token&old=${token}"
refreshes = "token"
extractors = [{ variable = "token", json = "$.access_token" }]
"""


@pytest.fixture(scope="module")
def case() -> TestCase:
    return parse_case(CASE, "shop.case.toml")


def test_a_text_uses_what_its_variables_are_made_of(case: TestCase) -> None:
    """A variable made of a variable made of a dataset uses all three."""
    (_, _, greets, *_) = case.transactions()
    expected = {"greeting", "signed", "users.name", "words.first"}
    assert used_by(case, greets.request) == expected


def test_what_is_extracted_from_a_response_is_not_needed_before_it(case: TestCase) -> None:
    """A variable is needed by who uses it, from where it is set."""
    login, *_, refresh = case.transactions()
    assert needed_by(case, login) == {"users.name"}
    assert needed_by(case, refresh) == {"token"}


def test_who_logs_in_once_stays_who_they_are(case: TestCase) -> None:
    """The dataset that the start uses lasts as long as the user, the others an iteration."""
    lifespans = {use.name: use.lifespan for use in lasting_datasets(case)}
    assert lifespans == {"users": "virtual user", "words": "test case"}


def test_files_of_bodies_are_named_once(case: TestCase) -> None:
    """However many bodies they are in."""
    assert case_files(case) == ("prize.bin",)


def test_rounds_multiply_from_the_outermost_flow_inwards(case: TestCase) -> None:
    """Two to four times are three on average, three times of these nine; one of four chances."""
    names = ("", "browse", "inner", "win")
    assert [rounds_of(case, name) for name in names] == [1.0, 3.0, 9.0, 0.25]


def test_what_is_chosen_may_be_skipped(case: TestCase) -> None:
    """Nobody can rely on what an iteration may leave out."""
    assert list(may_be_skipped(case)) == [("Prize", "POST /prize")]


def test_transactions_of_one_flow_stand_in_one_group(case: TestCase) -> None:
    """The flow of the whole page is not told again of its transactions."""
    chains = own_chains(case.pages[1], {"inner": "browse"})
    assert chains == [(), ("inner",)]
    assert grouped([*chains, ("inner", "deep"), ()]) == (
        0,
        FlowGroup("inner", (1, FlowGroup("deep", (2,)))),
        3,
    )


@pytest.mark.parametrize(
    ("target", "body", "asks"),
    [
        ("/token", "grant_type=refresh_token&refresh_token=abc", True),
        ("/token", '{"grant_type": "refresh_token"}', True),
        ("/token", '{"refreshToken": "abc"}', True),
        ("/auth/refresh", "", True),
        ("/token", "grant_type=authorization_code", False),
        ("/fresh-fish", "", False),
    ],
)
def test_a_request_says_that_it_renews_a_token(target: str, body: str, asks: bool) -> None:
    """By its grant type, the name of a field, or its path."""
    assert asks_for_renewal(target, body) is asks


def test_the_renewed_token_succeeds_the_old_one(case: TestCase) -> None:
    """By its name."""
    *_, refresh = case.transactions()
    assert successors(case, refresh) == {"token": "token"}
