"""The test case as a tree: numbers, marks, what is folded, what is left out, and how wide it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case, read_har
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.console.views.tree import tree
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.workflow.document import Document
from tests.console.samples import DOCUMENT

CASES = Path(__file__).parents[3] / "example_suite" / "cases"
ADMIN = Document(read_case(CASES / "admin.case.toml"), tuple(read_har(CASES / "admin.har")))


@pytest.mark.promise(15)
@pytest.mark.promise(20)
def test_tree_shows_pages_with_their_transactions() -> None:
    """Pages are the top level; transactions are numbered through, with what was recorded."""
    assert list(tree(DOCUMENT)) == [
        "shop  http://127.0.0.1:8000  (2 pages, 3 transactions)",
        "▾ P1 Log in  think 3.2s",
        "    1  GET   200  HTML   5.0 kB  w   /login",
        "▾ P2 Home",
        "    2  POST  302  other     0 B  ws  /login  (log in)",
        "    3  GET     -  -           -      /by-hand",
        "marks: w a person wrote a field of it; s changes the server's state",
    ]


def test_tree_shows_what_replay_may_do_with_a_transaction() -> None:
    """Hold it back, or send it when a token has expired."""
    case = DOCUMENT.case
    page = case.pages[0]
    marked = replace(page.transactions[0], dangerous=True, refreshes="token")
    pages = (replace(page, transactions=(marked,)), *case.pages[1:])
    lines = list(tree(replace(DOCUMENT, case=replace(case, pages=pages))))
    assert lines[2].endswith("/login  (dangerous)  (refreshes token)")


def test_collapsed_tree_shows_only_pages() -> None:
    """Collapsed, each page says how many transactions it holds, and how large their bodies are."""
    assert list(tree(DOCUMENT, folded={"Log in", "Home"}))[1:3] == [
        "▸ P1 Log in  (1 transaction, 0 B sent, 5.0 kB received)  think 3.2s  w",
        "▸ P2 Home  (2 transactions, 25 B sent, 0 B received)  ws",
    ]


def test_marks_stand_before_paths_and_are_explained() -> None:
    """Only those that there are."""
    lines = list(tree(ADMIN))
    (login,) = (line for line in lines if line.startswith("   15  POST"))
    assert "  gs  /admin/login/" in login
    assert lines[-1] == (
        "marks: x has extractors; v has validators besides Status Code; g has correlated fields; "
        "s changes the server's state"
    )
    failed = list(tree(ADMIN, failed={3}))
    assert "f failed when last replayed" in failed[-1]
    assert isinstance(row := failed[5], ViewLine)
    assert row.startswith("    4  ")
    assert row.spans[-1][1] == "bad"


def test_folded_page_has_the_marks_of_what_is_in_it() -> None:
    """So that a failure in it is not hidden."""
    name = ADMIN.case.pages[0].name
    line = list(tree(ADMIN, folded={name}, failed={0}))[1]
    assert line.startswith(f"▸ P1 {name}  (")
    assert line.endswith("  xf")


def test_only_what_was_asked_for_is_there() -> None:
    """Pages with none of it are not, and what is folded is shown."""
    lines = list(tree(DOCUMENT, only={2}, folded={"Home"}))
    assert lines == [
        "shop  http://127.0.0.1:8000  (1 of 3 transactions)",
        "▾ P2 Home",
        "    3  GET  -  -  -  /by-hand",
    ]


@pytest.mark.parametrize("width", [80, 120, 160])
def test_rows_fit(width: int) -> None:
    """Addresses lose their middle; nothing is wrapped, but for the marks' meanings."""
    long = Transaction(Request("DELETE", "/a" * 200 + "/end"), name="x" * 10)
    pages = (*ADMIN.case.pages, Page("long " * 100, (long,)))
    lines = list(tree(replace(ADMIN, case=replace(ADMIN.case, pages=pages)), width=width))
    assert all(len(line) <= width for line in lines[:-1])
    assert "…" in lines[-2]
    assert lines[-2].endswith("/end  (xxxxxxxxxx)")


def test_test_case_without_traffic_has_a_tree() -> None:
    """And so has an empty one."""
    assert len(list(tree(replace(ADMIN, exchanges=())))) == len(list(tree(ADMIN)))
    assert list(tree(Document(TestCase("x", ())))) == ["x  (0 pages, 0 transactions)"]
