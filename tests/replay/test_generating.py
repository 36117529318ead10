"""Values that are made up: in turn, by chance, from the clock, by faker."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from pytest_loadtool.casefile.case.variables import parse_generator
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.load.cluster.share import FIRST_ROWS
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.replay import VirtualUser
from pytest_loadtool.replay.compile.case import compile_case
from pytest_loadtool.replay.compile.generating import generating
from tests.replay.playbook import Diary, Playbook

#: 2026-03-29T00:30:00Z, half an hour before clocks are set in Berlin.
NIGHT = 1_774_744_200.0


def values(turns: int = 50, name: str = "v", **table: Any) -> list[str]:
    """What the first turns get."""
    made = generating(name, parse_generator(table), lambda: NIGHT)
    assert made is not None
    return [made(turn) for turn in range(turns)]


def test_a_sequence_goes_on() -> None:
    """By one from 1, or as it is told."""
    assert values(3, generate="sequence") == ["1", "2", "3"]
    assert values(3, generate="sequence", start=10, step=-5) == ["10", "5", "0"]


def test_a_choice_goes_by_weights() -> None:
    """All come, in about the proportion that they have; what the draws are is known."""
    found = values(400, generate="choice", choices={"a": 3, "b": 1}, seed=1)
    assert 270 < found.count("a") < 330
    assert found.count("a") + found.count("b") == 400
    assert set(values(100, generate="choice", choices=["x", "y"], seed=1)) == {"x", "y"}


def test_numbers_have_both_ends_and_their_decimals() -> None:
    """The least and the greatest come, too."""
    assert set(values(200, generate="number", min=-1, max=1, seed=1)) == {"-1", "0", "1"}
    found = values(200, generate="number", min=0.25, max=0.5, decimals=2, seed=1)
    assert {len(one) for one in found} == {4}
    assert (min(found), max(found)) == ("0.25", "0.50")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({}, "2026-03-29"),
        ({"format": "%d.%m.%y %H:%M", "timezone": "Europe/Berlin"}, "29.03.26 01:30"),
        ({"format": "%H:%M %Z", "timezone": "Europe/Berlin", "offset": {"hours": 1}}, "03:30 CEST"),
        ({"offset": {"weeks": -1, "days": 1.5, "minutes": 720}}, "2026-03-24"),
    ],
)
def test_dates_are_relative_to_now(table: dict[str, Any], expected: str) -> None:
    """Hours are those that pass, whatever clocks are set to."""
    assert values(1, generate="date", **table) == [expected]


@pytest.mark.parametrize(
    "table",
    [
        {"generate": "uuid"},
        {"generate": "random", "length": 20},
        {"generate": "number", "min": 0, "max": 10**12},
        {"generate": "choice", "choices": [str(one) for one in range(1000)]},
        {"generate": "faker", "provider": "email", "locale": "de_DE"},
        {"generate": "faker", "provider": "random_number", "arguments": {"digits": 12}},
    ],
)
def test_a_seed_makes_the_same_for_the_same_turn(table: dict[str, Any]) -> None:
    """In any order, with the same name; others differ, and so it is without a seed."""
    again = generating("v", parse_generator({**table, "seed": 7}), lambda: 0.0)
    assert again is not None
    found = values(seed=7, **table)
    assert [again(turn) for turn in reversed(range(50))] == found[::-1]
    assert len(set(found)) > 40
    assert found != values(seed=8, **table)
    assert found != values(seed=7, name="w", **table)
    assert found != values(**table) != values(**table)


def test_known_values_stay() -> None:
    """A test that goes by them is not red with the next release."""
    assert values(2, generate="uuid", seed=7) == UUIDS
    assert values(4, generate="number", min=1, max=100, seed=7) == NUMBERS


UUIDS = ["f4cd9a49-0a8a-4092-b467-10306b83d197", "eec29bc7-a14f-411d-9d8f-378ee5b9f3d4"]
NUMBERS = ["54", "15", "76", "63"]


def test_no_two_iterations_of_a_run_share_a_number() -> None:
    """Each user knows its own, and an iteration keeps its own in all of its requests."""
    request = Transaction(Request("GET", "/?n=${n}&m=${n}"))
    variables = {"n": Variable("n", generate=parse_generator({"generate": "sequence"}))}
    case = TestCase("case", (Page("p", (request,)),), "http://h", variables=variables)
    plan, sent = compile_case(case), []
    for iteration in range(2):
        for number in range(3):
            user = VirtualUser(plan, FIRST_ROWS, Diary(), number=number, users=3)
            sent += Playbook(plan, user, iteration=iteration).new
    assert sent == [f"GET /?n={one}&m={one}" for one in range(1, 7)]


@pytest.mark.parametrize(
    ("table", "key", "message"),
    [
        ({"provider": "nam"}, "provider", "no provider 'nam' in en_US: did you mean 'name'"),
        ({"provider": "seed_instance"}, "provider", "no provider 'seed_instance'"),
        ({"provider": "name", "locale": "xx_YY"}, "locale", "faker knows no locale 'xx_YY'"),
        ({"provider": "name", "arguments": {"a": 1}}, "arguments", "faker's name does not take"),
    ],
)
def test_what_faker_cannot_do_is_said(table: dict[str, Any], key: str, message: str) -> None:
    """At the key that is wrong."""
    with pytest.raises(ReplayError, match=message) as refused:
        generating("who", parse_generator({"generate": "faker", **table}), lambda: 0.0)
    assert refused.value.at == ("variables", "who", key)


def test_without_faker_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to find out what to install."""
    monkeypatch.setitem(sys.modules, "faker", None)
    with pytest.raises(ReplayError, match=r"pip install 'pytest-loadtool\[faker\]'"):
        values(generate="faker", provider="name")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"generate": "sequnce"}, "'sequnce' is not known: did you mean 'sequence'"),
        ({"generate": "uuid", "length": 3}, "'length' belongs to generate = \"random\""),
        ({"generate": "uuid", "start": 3}, "'start' belongs to generate = \"sequence\""),
        ({"generate": "choice"}, "needs choices"),
        ({"generate": "choice", "choices": []}, "must not be empty"),
        ({"generate": "choice", "choices": {"a": 0}}, "must be at least 1"),
        ({"generate": "number", "min": 1}, "needs max = 100"),
        ({"generate": "number", "min": 3, "max": 2}, "must not be smaller than min"),
        ({"generate": "date", "offset": {"day": 1}}, "unknown key 'day'"),
        ({"generate": "date", "offset": {"weeks": 1e9}}, "too large"),
        ({"generate": "date", "timezone": "Berlin"}, "a time zone that this machine knows"),
        ({"generate": "faker"}, 'needs provider = "name"'),
    ],
)
def test_what_is_wrong_is_said(table: dict[str, Any], message: str) -> None:
    """With what belongs there."""
    with pytest.raises(ValueError, match=message):
        parse_generator(table)
