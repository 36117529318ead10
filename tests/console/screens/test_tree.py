"""The tree: rows, cursor, folding, marking, filtering."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.console.screens.tree import CaseTree, TreeRow, tree_of
from pytest_loadtool.console.screens.tree_drawing import drawn, letters, mark_help
from pytest_loadtool.console.selection import select
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.same import Same
from pytest_loadtool.recording import without
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.replaying import breakpoint_of
from tests.console.screens.shop import SHOP

ROWS = 10


def shown(tree: CaseTree, columns: int = 36) -> list[str]:
    return [str(line).rstrip() for line in drawn(tree, columns, 24, focused=True)]


def test_pages_have_their_transactions_below_them() -> None:
    """With numbers, statuses and marks; the end of a long path is seen."""
    assert shown(tree_of(SHOP)) == [
        "▾ P1 Log in                    1.5s",
        " 1 GET  200 /login               xw",
        " 2 POST 302 /login              gws",
        "▾ P2 Orders · 注文",
        " 3 GET  200 /orders               v",
        " 4 GET  404 /static/a/…ng/logo.png",
        "▾ P3 Pay",
        " 5 POST 500 pay                   s",
    ]


def test_cursor_stays_inside() -> None:
    """It goes from the first row to the last, and what is seen goes with it."""
    tree = tree_of(SHOP).moved(-3, ROWS)
    assert tree.cursor == 0
    tree = tree.moved(99, 3)
    assert (tree.row, tree.top) == (TreeRow(2, 5), 5)
    assert tree.moved(-1, 3).top == 5
    assert tree.next_page(-1, 3).row == TreeRow(2)
    assert tree.goto(3, 3).row == TreeRow(1, 3)


def test_a_page_is_folded_and_all_are() -> None:
    """What was folded stays so; the cursor goes to the page of a row that is hidden."""
    tree = tree_of(SHOP).goto(2, ROWS).toggled_fold()
    assert tree.row == TreeRow(0)
    assert shown(tree)[:2] == ["▸ P1 Log in (2, 236 B)         1.5s", "▾ P2 Orders · 注文"]
    everything = tree.toggled_fold(every=True)
    assert [row.number for row in everything.rows] == [0, 0, 0]
    assert everything.toggled_fold(every=True).rows == tree_of(SHOP).rows
    assert everything.goto(4, ROWS).number == 4


def test_marks_are_what_a_command_selects() -> None:
    """Without marks it is what the cursor is on; a page is marked as a whole."""
    tree = tree_of(SHOP)
    assert tree.selected == "P1"
    assert tree.goto(3, ROWS).selected == "3"
    tree = tree.toggled_mark().goto(5, ROWS).toggled_mark()
    assert (tree.selected, tree.pages) == ("P1,P3", "P1,P3")
    assert shown(tree)[1] == "*1 GET  200 /login               xw"
    tree = tree.goto(1, ROWS).toggled_mark()
    assert (tree.selected, tree.pages) == ("P3,2", "P1,P3")
    assert select(SHOP, [tree.selected]).transactions == (1, 4)
    tree = tree.goto(3, ROWS).toggled_mark().goto(4, ROWS).toggled_mark()
    assert (tree.selected, tree.pages) == ("P2-P3,2", "P1-P3")


def test_what_a_filter_hides_is_not_selected() -> None:
    """A page stands for what is shown of it: nobody deletes what they do not see."""
    tree = tree_of(SHOP).filtered("~m POST")
    assert (tree.row, tree.selected) == (TreeRow(0), "2")
    tree = tree.toggled_mark().moved(1, ROWS).toggled_mark()
    assert (tree.marked, tree.selected) == (frozenset(), "2")


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("login", [1, 2]),
        ("注文", [3, 4]),
        ("post 500", [5]),
        ("~m POST", [2, 5]),
        ("~c 4xx | ~p Pay", [4, 5]),
        ("nothing like that", []),
    ],
)
def test_a_filter_leaves_what_it_means(query: str, numbers: list[int]) -> None:
    """Words are looked for everywhere; an expression is the one that commands take."""
    tree = tree_of(SHOP).filtered(query)
    assert [row.number for row in tree.rows if row.number] == numbers


def test_a_wrong_expression_says_so() -> None:
    """The nearest operator is named."""
    with pytest.raises(ValueError, match="there is no operator '~zz'"):
        tree_of(SHOP).filtered("~zz x")


def test_another_state_keeps_cursor_and_marks() -> None:
    """They stay with their transactions when others go, and are gone when these do."""
    tree = tree_of(SHOP).goto(5, ROWS)
    tree = replace(tree, marked=frozenset({2, 4}))
    less = tree.of(replace(SHOP, case=without(SHOP.case, {0, 1})))
    assert (less.number, less.selected) == (3, "2")
    assert less.of(SHOP).number == 5


def test_breakpoints_are_seen() -> None:
    """They stand last among the marks, which the help explains."""
    tree, one = tree_of(SHOP), SHOP.case.pages[0].transactions[0]
    with_one = drawn(tree, 36, ROWS, focused=True, breakpoints={breakpoint_of(one)})
    assert [line.split()[-1] for line in map(str, with_one[1:3])] == ["xwb", "gws"]
    assert any("b  has a breakpoint" in line for line in mark_help())


def test_what_marks_mean() -> None:
    """As in `tree`, and danger; what a person wrote is another header than was recorded."""
    one = replace(SHOP.case.pages[0].transactions[0], dangerous=True)
    assert letters(Same(SHOP), Same(one)) == "xw!"


def test_ten_thousand_transactions_take_no_time_to_move_in() -> None:
    """A move and what is drawn then depend on the rows that are seen, not on all there are."""
    pages = tuple(
        Page(f"Page {n}", tuple(Transaction(Request("GET", f"/{n}/{m}")) for m in range(10)))
        for n in range(1000)
    )
    tree = tree_of(Document(TestCase("large", pages))).moved(5000, 20)
    drawn(tree, 36, 20, focused=True)
    asked: list[int] = []

    class Rows(tuple[TreeRow, ...]):
        def __getitem__(self, index: object) -> object:  # type: ignore[override]
            asked.append(1)
            return tuple.__getitem__(self, index)  # type: ignore[call-overload]

        def __iter__(self) -> object:  # type: ignore[override]
            raise AssertionError("all rows were looked at")

    watched = replace(tree, rows=Rows(tree.rows))
    lines = drawn(watched.moved(1, 20), 36, 20, focused=True)
    assert len(lines) == 20
    assert len(asked) < 100


def test_an_empty_case_has_no_row() -> None:
    """Nothing is done there, and nothing breaks."""
    tree = tree_of(Document(TestCase("none", ())))
    assert (tree.row, tree.transaction, tree.number, tree.selected) == (None, None, 0, "")
    assert tree.moved(1, 5).toggled_mark().toggled_fold().rows == ()
    assert shown(tree) == [" no test case"]
