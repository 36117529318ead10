"""One order for many sequences."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.recording.request.header_sets import common_order


def test_sequences_that_agree_are_merged() -> None:
    """Each is found again in the whole."""
    assert common_order([["a", "c"], ["b", "c"], ["a", "b"]]) == ["a", "b", "c"]
    assert common_order([["a", "d"], ["a", "b", "d"], ["b", "c"]]) == ["a", "b", "d", "c"]
    assert common_order([]) == []


def test_open_order_is_that_of_coming() -> None:
    """Of names that may stand anywhere, the one that came first is first."""
    assert common_order([["c", "a"], ["b"], ["d", "b"]]) == ["c", "a", "d", "b"]


def test_sequences_that_disagree() -> None:
    """Have no order; it takes more than two to see that."""
    assert common_order([["a", "b"], ["b", "a"]]) is None
    assert common_order([["a", "b"], ["b", "c"], ["c", "a"]]) is None


@given(
    st.permutations(range(8)).flatmap(
        lambda order: st.tuples(st.just(order), st.lists(st.sets(st.sampled_from(range(8)))))
    )
)
def test_an_order_that_all_agree_with_is_found(
    drawn: tuple[list[int], list[set[int]]],
) -> None:
    """Whatever the sequences: parts of one order come back in that order."""
    order, chosen = drawn
    sequences = [[str(one) for one in order if one in part] for part in chosen]
    result = common_order(sequences)
    assert result is not None
    for sequence in sequences:
        assert [name for name in result if name in sequence] == sequence


@given(st.lists(st.lists(st.sampled_from("abcde"), unique=True)))
def test_every_name_is_there_once(sequences: list[list[str]]) -> None:
    """And each sequence in its order, or there is none that all agree with."""
    names = {name for sequence in sequences for name in sequence}
    result = common_order(sequences)
    every = [
        list(order)
        for order in permutations(names)
        if all([one for one in order if one in sequence] == sequence for sequence in sequences)
    ]
    assert result in every if every else result is None
