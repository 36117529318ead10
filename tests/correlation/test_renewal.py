"""Tokens that expire: which transactions refresh one is seen in the recording, and marked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.casefile import format_case, package_rules, parse_case
from pytest_loadtool.correlation import Configuration
from pytest_loadtool.correlation import configure as configure_by
from pytest_loadtool.correlation.index.traffic import steps_of
from pytest_loadtool.correlation.writing.revert import revert
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Extractor
from pytest_loadtool.model.rule import NamePatterns, Role, Rule
from tests.correlation.exchanges import case_of, json_body
from tests.correlation.talk import call, configure, get, post, run

ACCESS = [f"access-{n}-9f8e7d6c5b4a{n}" for n in range(4)]
REFRESH = [f"refresh-{n}-1a2b3c4d5e6f{n}" for n in range(4)]


def tokens(number: int, **more: object) -> Exchange:
    """A token endpoint's answer."""
    issued = {"access_token": ACCESS[number], "token_type": "Bearer", "expires_in": 60, **more}
    return json_body(issued)


def pair(number: int) -> Exchange:
    """Likewise, with a refresh token that is good for one use."""
    return tokens(number, refresh_token=REFRESH[number])


def bearing(number: int) -> Exchange:
    """A call with the token."""
    return get("/me", sent=(("Authorization", f"Bearer {ACCESS[number]}"),))


def refreshes(configuration: Configuration | TestCase) -> list[str]:
    """What each transaction refreshes."""
    case = configuration if isinstance(configuration, TestCase) else configuration.case
    return [one.refreshes for one in case.transactions()]


LOGIN = "grant_type=password&username=kim&password=x"


@pytest.mark.parametrize(
    "refresh",
    [
        post("/token", f"grant_type=refresh_token&refresh_token={REFRESH[0]}", pair(1), status=200),
        call("POST", "/t", {"refresh_token": REFRESH[0]}, pair(1)),
        call("POST", "/t", {"grant_type": "refresh_token", "key": "k"}, tokens(1)),
        call("POST", "/auth/refresh", {}, tokens(1)),  # by a cookie
        call("POST", "/api/refreshToken", {}, tokens(1)),
    ],
    ids=["grant type", "refresh token", "JSON", "cookie", "path"],
)
def test_a_transaction_that_refreshes_a_token(refresh: Exchange) -> None:
    """It says so: by its grant type, by sending a refresh token, or by its path."""
    login = post("/token", LOGIN, pair(0), status=200)
    configuration = run(login, bearing(0), refresh, bearing(1))
    assert refreshes(configuration) == ["", "", "bearer_token[1]", ""]


@pytest.mark.parametrize(
    "other",
    [
        post("/token", LOGIN, pair(1), status=200),  # another login
        call("POST", "/t", {"refresh_token": REFRESH[0]}, json_body({"ok": True})),  # a logout
        call("POST", "/refresh-cart", {}, json_body({"id": "9f8e7d6c5b4a3f2e1d"})),
    ],
)
def test_a_transaction_that_refreshes_nothing(other: Exchange) -> None:
    """A token of its own, or none."""
    configuration = run(post("/token", LOGIN, pair(0), status=200), bearing(0), other, bearing(0))
    assert refreshes(configuration) == ["", "", "", ""]


def test_the_first_token_of_a_recording_is_no_other_ones_successor() -> None:
    """A recording that begins with a refresh has nothing before it to refresh."""
    refresh = call("POST", "/refresh", {"refresh_token": "r"}, pair(0))
    assert refreshes(run(refresh, bearing(0))) == ["", ""]


def test_each_of_several() -> None:
    """Each refreshes the token that came with the refresh token it sends, or else the last one."""

    def refresh(number: int) -> Exchange:
        return call("POST", "/t", {"refresh_token": REFRESH[number - 1]}, pair(number))

    login = post("/token", LOGIN, pair(0), status=200)
    other = post("/token", LOGIN, pair(3), status=200)  # somebody else's
    configuration = run(login, other, refresh(1), bearing(1), refresh(2), bearing(2), bearing(3))
    anchors = refreshes(configuration)
    assert anchors == ["", "", "bearer_token[1]", "", "bearer_token[3]", "", ""]


def test_configuring_again_changes_nothing_and_keeps_a_persons_mark() -> None:
    """The mark is found anew each time; one that a person has set elsewhere stays."""
    exchanges = [
        post("/token", LOGIN, pair(0), status=200),
        bearing(0),
        call("POST", "/t", {"refresh_token": REFRESH[0]}, pair(1)),
        bearing(1),
    ]
    configuration = configure(case_of(*exchanges), exchanges)
    assert configure(configuration.case, exchanges) == configuration
    text = format_case(configuration.case)
    assert 'refreshes = "bearer_token[1]"' in text
    assert parse_case(text, "c.case.toml") == configuration.case
    (page,) = configuration.case.pages
    login, *others = page.transactions
    own = replace(login, refreshes="own", extractors=_renamed(login.extractors, "own"))
    edited = replace(configuration.case, pages=(replace(page, transactions=(own, *others)),))
    assert refreshes(configure(edited, exchanges))[0] == "own"


@pytest.mark.parametrize("taken_back", ["bearer_token[1]", "bearer_token[2]"])
def test_a_decision_that_is_taken_back(taken_back: str) -> None:
    """Without the old token or the new one there is nothing to mark."""
    exchanges = [
        post("/token", LOGIN, pair(0), status=200),
        call("POST", "/t", {"refresh_token": REFRESH[0]}, pair(1)),
    ]
    case = configure(case_of(*exchanges), exchanges).case
    assert refreshes(case) == ["", "bearer_token[1]"]
    reverted = revert(case, steps_of(case, exchanges), only={taken_back})
    assert refreshes(reverted) == ["", ""]


def _renamed(extractors: tuple[Extractor, ...], name: str) -> tuple[Extractor, ...]:
    return (*extractors, replace(extractors[0], variable=name))


def test_a_rule_of_ones_own_says_what_a_token_is_for() -> None:
    """A token of a name that no rule of the package knows, found by one that has its role."""
    login = call("POST", "/login", {}, json_body({"pass": ACCESS[0], "again": REFRESH[0]}))
    refresh = call("POST", "/t", {"again": REFRESH[0]}, json_body({"pass": ACCESS[1]}))
    session = (login, bearing(0), refresh, bearing(1))
    own = (
        Rule("pass", produced_as=NamePatterns(("pass",)), role=Role.ACCESS, variable="pass"),
        Rule("again", produced_as=NamePatterns(("again",)), role=Role.REFRESH),
    )
    rules = (*own, *package_rules())
    assert refreshes(configure_by(case_of(*session), session, rules=rules))[2] == "pass[1]"
    rules = (*(replace(one, role=None) for one in own), *package_rules())
    assert not any(refreshes(configure_by(case_of(*session), session, rules=rules)))
