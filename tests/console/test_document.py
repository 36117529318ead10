"""What is wrong with a test case."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.extractor import Extractor, FormField
from pytest_loadtool.model.validator import TextValidator
from pytest_loadtool.recording import without
from pytest_loadtool.workflow.document import unset


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


def test_variable_that_lost_its_source_is_found() -> None:
    """A variable is unset where it is used with nothing before that sets it."""
    assert unset(CASE) == set()
    assert unset(without(CASE, {0})) == {"token"}


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
