"""What a session does is told from what it should have done."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.applications.state import Effect, State


def _missed(effect: Effect, before: State, after: State, sessions: int) -> list[str]:
    return list(effect.missed(before, after, sessions))


def test_each_session_leaves_the_same_rows() -> None:
    """So many times as there were sessions, whatever was there before; one less is missed."""
    effect = Effect.between(State(Counter(["old"])), State(Counter(["tea"])))
    before = State(Counter(["old", "old", "old", "coffee"]))
    assert not _missed(effect, before, State(Counter(["old", "tea", "tea", "coffee"])), 2)
    assert _missed(effect, before, State(Counter(["old", "tea", "coffee"])), 2) == [
        "+1 instead of +2: tea"
    ]


def test_no_other_row_is_changed() -> None:
    """A row of somebody else's that is another after a replay is missed twice: gone, and new."""
    effect = Effect.between(State(), State(Counter(["tea"])))
    after = State(Counter(["tea", "coffee, changed"]))
    assert _missed(effect, State(Counter(["coffee"])), after, 1) == [
        "-1 instead of +0: coffee",
        "+1 instead of +0: coffee, changed",
    ]


def test_values_are_there_once() -> None:
    """A setting is what the session has made of it, after any number of sessions."""
    effect = Effect.between(State(values={"a": "1", "b": "2"}), State(values={"a": "3", "b": "2"}))
    before = State(values={"a": "1", "b": "4"})
    assert not _missed(effect, before, State(values={"a": "3", "b": "4"}), 10)
    assert _missed(effect, before, before, 10) == ["a is '1' instead of '3'"]


def test_names_that_are_unique() -> None:
    """They count as the recorded one, also within the name of a file and in addresses."""
    made = ["Green tea-Ab12Cd", "green_tea-x7y8z9", "notes-Qq11Ww-Copy1.txt", "notes-Qq11Ww-Copy1x"]
    state = State(Counter(made), {"title": "Green tea-000000"})
    assert state.named(("Green tea", "notes.txt")) == State(
        Counter(["Green tea", "green_tea", "notes-Copy1.txt", "notes-Copy1x"]),
        {"title": "Green tea"},
    )
    assert state.named(()) == state


def test_members_of_a_set() -> None:
    """One that an earlier session has put there is not put there again, but under another name."""
    effect = Effect.between(State(), State(members=Counter(["tea", "talk of tea"])))
    one, other = (State(members=Counter(names * ["tea", "talk of tea"])) for names in (1, 4))
    assert not _missed(effect, State(), one, 1)
    assert not _missed(effect, one, one, 5)
    assert not list(effect.missed(one, other, 3, own_names=True))
    assert _missed(effect, State(), State(members=Counter(["tea"])), 1) == [
        "+0 instead of +1: talk of tea"
    ]
    assert _missed(effect, one, other, 1) == [
        "+3 instead of +0: talk of tea",
        "+3 instead of +0: tea",
    ]
    assert list(effect.missed(one, one, 1, own_names=True)) == [
        "+0 instead of +1: talk of tea",
        "+0 instead of +1: tea",
    ]
    taken = Effect.between(one, State())
    assert not _missed(taken, one, State(), 2)
    assert not _missed(taken, State(), State(), 1)
    assert _missed(taken, one, one, 1)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("leaf.png", "leaf-x6t77e4.png"),
        ("http://127.0.0.1:9/tea", "http://127.0.0.1:9/tea-x6t77e4"),
    ],
)
def test_names_of_ones_own(text: str, own: str) -> None:
    """They are called as in the recording: files, and addresses with dots in them."""
    assert State(Counter([f"{own}: new"])).named([text]) == State(Counter([f"{text}: new"]))
