"""As New Web Page."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.case import Kind, TestCase, wire_headers
from pytest_loadtool.model.validator import DEFAULT_STATUS
from pytest_loadtool.recording import build_case, with_page
from tests.recording.samples import SHOP, call, visit

FIRST = (visit(f"{SHOP}/", 0, "<title>Shop</title>"), visit(f"{SHOP}/a", 9, "<title>A</title>"))
CASE = build_case(FIRST, name="shop").case
CALL = call(
    "POST", f"{SHOP}/api/token", 20, ("Content-Type", "application/json"), body=b'{"user": "ann"}'
)


@pytest.mark.promise(43)
@pytest.mark.promise(67)
def test_page_is_added_with_a_status_validator() -> None:
    """One page with one transaction, like a recorded one; the others stay as they were."""
    case = with_page(CASE, CALL, 2)
    assert case.pages[:-1] == CASE.pages
    (one,) = case.pages[-1].transactions
    assert (one.request.method, one.request.target) == ("POST", "/api/token")
    assert one.status == DEFAULT_STATUS
    assert one.recorded is not None
    assert (one.recorded.entry, one.recorded.status, one.recorded.kind) == (2, 200, Kind.JSON)


def test_exactly_its_own_headers_are_sent() -> None:
    """Not those that the recorded transactions share."""
    case = with_page(CASE, CALL, 2)
    (one,) = case.pages[-1].transactions
    sent = [(header.name, header.value) for header in case.wire_headers(one.request)]
    assert [name for name, _ in sent] == [name for name, _ in CALL.request_headers]
    assert dict(sent)["Content-Type"] == "application/json"
    again = with_page(case, CALL, 3)
    assert again.header_sets == case.header_sets, "the same headers are the same set"
    assert wire_headers(case.headers, ()) == wire_headers(CASE.headers, ())


def test_page_has_a_name_of_its_own() -> None:
    """The one that is asked for, or that of a recorded page; a taken one gets a number."""
    case = with_page(with_page(with_page(CASE, CALL, 2), CALL, 3), CALL, 4, name="Sign in")
    assert [page.name for page in case.pages] == ["Shop", "A", "token", "token (2)", "Sign in"]


def test_other_server_is_kept() -> None:
    """A call to another server goes there; the first page says what the test case's own is."""
    other = call("GET", "https://api.example/items", 20)
    case = with_page(CASE, other, None)
    assert case.pages[-1].transactions[0].request.target == "https://api.example/items"
    first = with_page(TestCase("new", ()), other, 0)
    assert (first.server, first.pages[0].transactions[0].request.target) == (
        "https://api.example",
        "/items",
    )
