"""Pages renamed, moved, merged, split, duplicated and paced: what stays as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.casefile import format_case, parse_case, read_case
from pytest_loadtool.editing.pages import (
    Pace,
    duplicated,
    duplicated_page,
    merged,
    moved,
    moved_pages,
    paced,
    renamed_page,
    renamed_transaction,
    split,
)
from pytest_loadtool.model.case import Page, Recorded, Request, TestCase, Transaction
from pytest_loadtool.model.editing import numbered_titles, without
from pytest_loadtool.model.validator import Outcome, TextValidator
from pytest_loadtool.replay.compile.order import order_of
from pytest_loadtool.workflow.document import lost


def asks(target: str, at: float, took: float = 0.1, pause: float = 0.0) -> Transaction:
    return Transaction(
        Request("GET", target), recorded=Recorded(200, at=at, took=took, pause=pause)
    )


CASE = TestCase(
    "shop",
    (
        Page("Home", (asks("/", 0.0), asks("/a", 0.2), asks("/b", 0.25)), 2.0),
        Page("List", (asks("/list", 0.0, 0.3), asks("/more", 3.0, pause=2.7)), 4.0),
        Page("Bye", (asks("/bye", 0.0),)),
    ),
)


def shape(case: TestCase) -> list[tuple[str, list[str]]]:
    return [(page.name, [one.request.target for one in page.transactions]) for page in case.pages]


def times(case: TestCase, page: int) -> list[float]:
    return [one.recorded.at for one in case.pages[page].transactions if one.recorded is not None]


def overlapping(case: TestCase, page: int) -> tuple[int, ...]:
    """For each transaction, how many have to have ended before it."""
    transactions = case.pages[page].transactions
    return order_of(transactions, [()] * len(transactions)).after


def test_moved_transaction_waits_and_is_waited_for() -> None:
    """It goes out after what is before it and before what is behind it; the others still overlap
    as they did."""
    assert overlapping(CASE, 0) == (0, 1, 1)
    case = moved(CASE, [3], 1, behind=False)
    assert shape(case)[:2] == [("Home", ["/", "/list", "/a", "/b"]), ("List", ["/more"])]
    assert times(case, 0) == [0.0, 0.1, 0.4, 0.45]
    assert overlapping(case, 0) == (0, 1, 2, 2)


def test_several_move_in_their_order() -> None:
    """Also onto the page that they are on; a page that has none left is gone."""
    case = moved(CASE, [5, 0], 2, behind=True)
    assert shape(case) == [("Home", ["/a", "/b", "/", "/bye"]), ("List", ["/list", "/more"])]
    with pytest.raises(ValueError, match="cannot stay where it goes"):
        moved(CASE, [1, 2], 2, behind=True)


def test_pages_move_with_their_think_times() -> None:
    """In their order, before or behind another."""
    case = moved_pages(CASE, [0], 1, behind=True)
    assert [page.name for page in case.pages] == ["List", "Home", "Bye"]
    assert [page.think_time for page in case.pages] == [4.0, 2.0, 0.0]
    again = moved_pages(case, [1], 0, behind=False)
    assert again == CASE
    with pytest.raises(ValueError, match="cannot stay"):
        moved_pages(CASE, [1], 1, behind=True)


def test_merging_keeps_the_time_between() -> None:
    """As a pause within the page, and splitting there gives it back."""
    case = merged(CASE, [0, 1])
    assert shape(case)[0] == ("Home", ["/", "/a", "/b", "/list", "/more"])
    assert times(case, 0) == [0.0, 0.2, 0.25, 2.35, 5.35]
    pauses = [one.recorded.pause for one in case.pages[0].transactions if one.recorded]
    assert pauses == [0.0, 0.0, 0.0, 2.0, 2.7]
    assert case.pages[0].think_time == 4.0
    assert split(case, 3, "List") == CASE


def test_pages_that_cannot_be_merged() -> None:
    """With the reason."""
    with pytest.raises(ValueError, match="two pages or more"):
        merged(CASE, [1, 1])
    with pytest.raises(ValueError, match="other pages between them"):
        merged(CASE, [0, 2])
    with pytest.raises(ValueError, match="another page is called 'Bye'"):
        merged(CASE, [0, 1], "Bye")
    assert merged(CASE, [0, 1, 2], "All").pages[0].name == "All"


def test_splitting_makes_the_pause_a_think_time() -> None:
    """The second page counts its times from its own start."""
    case = split(CASE, 4, "More")
    assert shape(case)[1:3] == [("List", ["/list"]), ("More", ["/more"])]
    assert [page.think_time for page in case.pages] == [2.0, 2.7, 4.0, 0.0]
    assert times(case, 2) == [0.0]
    with pytest.raises(ValueError, match="first of its page already"):
        split(CASE, 3, "More")
    with pytest.raises(ValueError, match="another page is called 'Home'"):
        split(CASE, 4, "Home")


def test_copies_stand_behind() -> None:
    """Of transactions behind the last of them, of a page behind it."""
    case = duplicated(CASE, [0, 2])
    assert shape(case)[0] == ("Home", ["/", "/a", "/b", "/", "/b"])
    assert times(case, 0) == [0.0, 0.2, 0.25, 0.35, 0.6]
    case = duplicated_page(CASE, 1, "List (2)")
    assert [page.name for page in case.pages] == ["Home", "List", "List (2)", "Bye"]
    assert case.pages[1].transactions == case.pages[2].transactions


def test_pages_are_paced() -> None:
    """In seconds the time after them, by a factor the pauses within them, too."""
    assert [page.think_time for page in paced(CASE, [0, 2], Pace(1.5)).pages] == [1.5, 4.0, 1.5]
    half = paced(CASE, [0, 1, 2], Pace(factor=0.5))
    assert [page.think_time for page in half.pages] == [1.0, 2.0, 0.0]
    more = half.pages[1].transactions[1].recorded
    assert more is not None
    assert more.pause == 1.35


def test_names_of_pages_differ() -> None:
    """Reports tell pages by their names."""
    assert renamed_page(CASE, 0, "Start").pages[0].name == "Start"
    assert renamed_page(CASE, 0, "Home") == CASE
    for name, message in (("Bye", "another page"), (" ", "needs a name")):
        with pytest.raises(ValueError, match=message):
            renamed_page(CASE, 0, name)


def test_outcomes_stay_with_their_changes() -> None:
    """A validator names the change that it shows, whatever that is called or where it stands."""
    post = Transaction(Request("POST", "/orders"))
    shown = TextValidator("Tea", outcome=Outcome("Tea is shown", "POST /orders (2)"))
    seen = replace(asks("/orders", 0.0), validators=(shown,))
    case = TestCase("x", (Page("A", (post,)), Page("B", (post, asks("/x", 0))), Page("C", (seen,))))

    def change(of: TestCase) -> str:
        (validator,) = (one for each in of.transactions() for one in each.validators)
        assert validator.outcome is not None
        return validator.outcome.change

    assert change(moved_pages(case, [1], 0, behind=False)) == "POST /orders"
    assert change(renamed_transaction(case, 1, "order")) == "order"
    assert change(duplicated(case, [0])) == "POST /orders (3)"
    assert change(without(case, {0})) == "POST /orders"
    assert change(merged(case, [0, 1])) == "POST /orders (2)"


ADMIN = read_case(Path(__file__).parents[2] / "example_suite" / "cases" / "admin.case.toml")

#: Each takes a test case and three numbers, which mean a transaction or a page.
EDITS = (
    lambda case, a, b, c: moved(case, [a % total(case)], b % total(case), behind=c % 2 == 0),
    lambda case, a, b, c: moved(
        case, range(a % total(case), total(case))[: c + 1], b % total(case), behind=c % 2 == 0
    ),
    lambda case, a, b, c: moved_pages(
        case, [a % len(case.pages)], b % len(case.pages), behind=c % 2 == 0
    ),
    lambda case, a, _, c: merged(case, range(a % len(case.pages), len(case.pages))[: c + 1]),
    lambda case, a, b, c: split(case, a % total(case), f"part {b} {c}"),
    lambda case, a, _, c: duplicated(case, range(a % total(case), total(case))[: c + 1]),
    lambda case, a, b, c: duplicated_page(case, a % len(case.pages), f"copy {b} {c}"),
    lambda case, a, b, _: renamed_transaction(case, a % total(case), f"step {b}"),
    lambda case, a, b, _: paced(case, [a % len(case.pages)], Pace(factor=b / 10)),
)


def total(case: TestCase) -> int:
    return len(list(case.transactions()))


def outcomes(case: TestCase) -> dict[str, str]:
    """What each outcome shows, and which request brought that about."""
    titles = dict(zip(numbered_titles(case), case.transactions(), strict=True))
    return {
        one.outcome.name: titles[one.outcome.change].request.target
        for each in case.transactions()
        for one in each.validators
        if one.outcome is not None and one.outcome.change
    }


@given(
    st.lists(
        st.tuples(
            st.sampled_from(EDITS), st.integers(0, 99), st.integers(0, 99), st.integers(0, 4)
        ),
        max_size=8,
    )
)
def test_any_edits_leave_a_test_case(edits: list[tuple[Any, int, int, int]]) -> None:
    """Nothing is lost but by refusal, what is written can be read, names of pages differ, times do
    not go back, and each outcome is of the change that it was of."""
    case = ADMIN
    before = outcomes(case)
    for edit, a, b, c in edits:
        count = total(case)
        try:
            made = edit(case, a, b, c)
        except ValueError:
            continue
        if any(lost(case, made)):
            continue  # who edits is refused it
        case = made
        assert total(case) >= count
        assert len({page.name for page in case.pages}) == len(case.pages)
        assert all(page.transactions for page in case.pages)
        assert outcomes(case) == before
        assert min(at for page in range(len(case.pages)) for at in times(case, page)) >= 0
    assert parse_case(format_case(case), "x.case.toml") == case
