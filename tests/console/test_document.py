"""Edits of a test case."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from pytest_loadtool.console.document import removed, unset
from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.extractor import Extractor, FormField
from pytest_loadtool.model.validator import TextValidator


def get(target: str, **more: object) -> Transaction:
    return Transaction(Request("GET", target), **more)  # type: ignore[arg-type]


TOKEN = Extractor("token", FormField("token"))
CASE = TestCase(
    name="shop",
    pages=(
        Page("One", (get("/1", extractors=(TOKEN,)), get("/2?token=${token}")), think_time=1.0),
        Page("Two", (get("/3"),)),
    ),
)


@pytest.mark.promise(5)
def test_transaction_is_removed_and_the_rest_stays() -> None:
    """Deleting one transaction leaves every other, its page and its think time as they were."""
    edited = removed(CASE, 1)
    assert [one.request.target for one in edited.transactions()] == ["/1", "/3"]
    assert [(page.name, page.think_time) for page in edited.pages] == [("One", 1.0), ("Two", 0.0)]
    assert removed(CASE, 0).pages[1] is CASE.pages[1]


@pytest.mark.promise(5)
def test_page_without_transactions_goes() -> None:
    """A page is what its transactions are: with the last one it is gone."""
    assert [page.name for page in removed(CASE, 2).pages] == ["One"]


def test_variable_that_lost_its_source_is_found() -> None:
    """A variable is unset where it is used with nothing before that sets it."""
    assert unset(CASE) == set()
    assert unset(removed(CASE, 0)) == {"token"}


def test_what_needs_no_extractor_is_not_unset() -> None:
    """Built-in names, dataset columns, constants and environment variables come from elsewhere."""
    transaction = Transaction(
        Request(
            "POST",
            "/${constant}",
            headers=(Header("Origin", "${server}"), Header("Host")),
            body="${users.name}",
        ),
        validators=(TextValidator("${environment}"),),
    )
    variables = {
        "constant": Variable("constant", value="1"),
        "environment": Variable("environment", env="X"),
    }
    case = TestCase(
        name="x", pages=(Page("p", (transaction,)),), variables=MappingProxyType(variables)
    )
    assert unset(case) == set()
    assert unset(TestCase(name="x", pages=case.pages)) == {"constant", "environment"}


def test_shared_header_counts_where_it_is_sent() -> None:
    """The request that fetches the token follows another set; only the later ones need it."""
    shared = (Header("Host"), Header("Authorization", "Bearer ${token}"))
    first = Transaction(Request("POST", "/token", header_set="bare"), extractors=(TOKEN,))
    case = TestCase("x", (), headers=shared, header_sets={"bare": (Header("Host"),)})
    assert unset(replace(case, pages=(Page("p", (first, get("/items"))),))) == set()
    assert unset(replace(case, pages=(Page("p", (get("/items"), first)),))) == {"token"}


def test_own_response_sets_a_variable_only_for_later_requests() -> None:
    """A request cannot use what its own response brings."""
    case = TestCase(name="x", pages=(Page("p", (get("/?t=${token}", extractors=(TOKEN,)),)),))
    assert unset(case) == {"token"}
