"""A test case with fewer transactions, or others in their place."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.editing import page_span, without


def get(target: str) -> Transaction:
    return Transaction(Request("GET", target))


CASE = TestCase(
    name="shop",
    pages=(
        Page("One", (get("/1"), get("/2")), think_time=1.0),
        Page("Two", (get("/3"),)),
        Page("Three", (get("/4"), get("/5"))),
    ),
)


def targets(case: TestCase) -> list[str]:
    return [one.request.target for one in case.transactions()]


@pytest.mark.promise(5)
def test_transaction_is_removed_and_the_rest_stays() -> None:
    """Deleting one transaction leaves every other, its page and its think time as they were."""
    edited = without(CASE, {1})
    assert targets(edited) == ["/1", "/3", "/4", "/5"]
    assert (edited.pages[0].name, edited.pages[0].think_time) == ("One", 1.0)
    assert edited.pages[1:] == CASE.pages[1:]


@pytest.mark.promise(5)
def test_page_without_transactions_goes() -> None:
    """A page is what its transactions are: with the last one it is gone."""
    assert [page.name for page in without(CASE, {2}).pages] == ["One", "Three"]


def test_page_is_found_by_its_transactions() -> None:
    """The transactions of a page are those after the pages before it."""
    assert [page_span(CASE, index) for index in range(3)] == [range(2), range(2, 3), range(3, 5)]
    assert targets(without(CASE, page_span(CASE, 2))) == ["/1", "/2", "/3"]
