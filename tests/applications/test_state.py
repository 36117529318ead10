"""What a session does is told from what it should have done."""

from __future__ import annotations

from collections import Counter

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
