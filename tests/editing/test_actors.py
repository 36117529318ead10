"""Validators and extractors of a test case."""

from __future__ import annotations

import pytest

from pytest_loadtool.casefile import parse_case
from pytest_loadtool.editing.actors import (
    constants,
    placed_extractors,
    with_extractor,
    with_uses,
    without_extractor,
)
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.extractor import Extractor, JsonPath

CASE = """
format = 1
name = "shop"
server = "http://127.0.0.1:8000"

[[page]]
name = "Home"

[[page.transaction]]
request = "GET /4711"
extractors = [{ variable = "token", json = "$.token" }]

[[page.transaction]]
request = "POST /orders"
headers = ["X-Token: ${token}", "Content-Type: application/json"]
body = '{"id": "4711", "within": "{\\"id\\": \\"4711\\"}", "n": 4711}'
extractors = [{ variable = "token", json = "$.token" }, { variable = "id", json = "$.id" }]

[[page.transaction]]
request = "GET /orders/4711?back=%2Forders%2F4711&x=47110"
headers = ["X-Token: ${token}"]
validators = [{ text = "${id}" }]
"""


@pytest.fixture
def case() -> TestCase:
    return parse_case(CASE, "shop.case.toml")


def targets(case: TestCase) -> list[str]:
    return [one.request.target for one in case.transactions()]


def test_extractor_knows_who_uses_it(case: TestCase) -> None:
    """Up to the one that sets its variable anew; validators are users, too."""
    found = placed_extractors(case)
    assert [(one.number, one.transaction, one.users) for one in found] == [
        (1, 0, (1,)),
        (2, 1, (2,)),
        (3, 1, (2,)),
    ]


def test_constants_behind_it_are_found_and_replaced(case: TestCase) -> None:
    """In paths, queries and bodies, and within other values; not before it, and no part of a
    longer value."""
    uses = tuple(constants(case, 0, "4711"))
    assert [(at, field.name) for at, field in uses] == [
        (1, "id"), (1, "id[2]"), (1, "n"), (2, "path[2]"), (2, "path[4]"),
    ]  # fmt: skip
    order = Extractor("order", JsonPath("$.order"))
    changed = with_uses(with_extractor(case, 0, order, "4711"), uses, "order")
    assert targets(changed) == [
        "/4711",
        "/orders",
        "/orders/${order}?back=%2Forders%2F${order|url}&x=47110",
    ]
    body = list(changed.transactions())[1].request.body
    assert body == (
        '{"id": "${order}", "within": "{\\"id\\": \\"${order|json}\\"}", "n": ${order}}'
    )
    reverted = without_extractor(changed, 0, "order")
    assert [one.request for one in reverted.transactions()] == [
        one.request for one in case.transactions()
    ]
    assert "order" not in reverted.variables


def test_variable_that_another_extractor_sets_stays(case: TestCase) -> None:
    """Its placeholders keep standing."""
    changed = without_extractor(case, 1, "token")
    last = list(changed.transactions())[2].request
    assert last.headers[0].value == "${token}"
    with pytest.raises(ValueError, match="no extractor of token: it has id"):
        without_extractor(changed, 1, "token")


def test_extractor_of_the_same_variable_is_replaced(case: TestCase) -> None:
    """In its place; what was recorded stays known if the new one's value is not."""
    changed = with_extractor(case, 1, Extractor("token", JsonPath("$.new")), "abc")
    changed = with_extractor(changed, 1, Extractor("token", JsonPath("$.newer")))
    extractors = list(changed.transactions())[1].extractors
    assert [str(one.source) for one in extractors] == ["JSON path $.newer", "JSON path $.id"]
    assert changed.variables["token"].recorded == "abc"
