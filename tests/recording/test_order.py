"""One order for many sequences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.recording.order import common_order


def test_sequences_that_agree_are_merged() -> None:
    """Each is found again in the whole."""
    assert common_order([["a", "c"], ["b", "c"], ["a", "b"]]) == ["a", "b", "c"]
    assert common_order([["a", "d"], ["a", "b", "d"], ["b", "c"]]) == ["a", "b", "d", "c"]
    assert common_order([]) == []


def test_the_earlier_sequence_wins() -> None:
    """Where two disagree."""
    assert common_order([["a", "b"], ["b", "a"]]) == ["a", "b"]
    assert common_order([["a", "b", "c"], ["c", "a", "d"]]) == ["a", "b", "c", "d"]


def test_only_the_first_of_equal_names_counts() -> None:
    """A repeated header has one place."""
    assert common_order([["a", "b", "a"]]) == ["a", "b"]


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
    for sequence in sequences:
        assert [name for name in result if name in sequence] == sequence


@given(st.lists(st.lists(st.sampled_from("abcdef"))))
def test_every_name_is_there_once(sequences: list[list[str]]) -> None:
    """Agreeing or not."""
    names = {name for sequence in sequences for name in sequence}
    result = common_order(sequences)
    assert len(result) == len(names)
    assert set(result) == names
