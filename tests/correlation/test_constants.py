"""What is said of values that look like ids and are sent as recorded."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.exchange import Exchange
from tests.correlation.exchanges import html, json_body
from tests.correlation.talk import TOKEN, UUID, call, get, made, post, run


def said(*exchanges: Exchange) -> list[tuple[str, str]]:
    """Value and reason of each such decision."""
    return [(one.value, one.reason) for one in run(*exchanges).decisions if one.rule == "left"]


@pytest.mark.parametrize(
    ("request_", "value", "start"),
    [
        (get("/parcels/118/label"), "118", '/parcels/… is sent as recorded by "1 GET /parcels/118'),
        (get(f"/open/{UUID}"), UUID, '/open/… is sent as recorded by "1 GET /open'),
        (get("/open?ref=0f3a9c4477aa"), "0f3a9c4477aa", "ref is sent"),
        (post("/open", "ref=V1StGX"), "V1StGX", "ref is sent"),
        (call("POST", "/open", {"shelf_id": 4}), "4", "shelf_id is sent"),
        (call("POST", "/open", {"groupId": "north"}), "north", "groupId is sent"),
        (get("/open", sent=(("X-Trace", TOKEN),)), TOKEN, "X-Trace is sent"),
        (post("/open", f'data={{"key":"{TOKEN}"}}'), TOKEN, "key is sent"),
    ],
)
def test_what_looks_like_an_id(request_: Exchange, value: str, start: str) -> None:
    """It is said, with its field and the request, and that no response has it."""
    ((shown, reason),) = said(request_)
    assert shown == value
    assert reason.startswith(start)
    assert "No response before has the value" in reason


def test_where_the_value_was() -> None:
    """Four reasons: a response gave it out, a request had it first, a person typed it, or nobody
    knows. A token is cut when it is shown."""
    page = html('<form action="/"><input name="coupon_id" value=""></form>')
    assert ['"1 GET /" gave the value out' in one for _, one in said(
        get("/", json_body({"number": 118})), get("/parcels/118")
    )] == [True]  # fmt: skip
    assert ["A request had the value before" in one for _, one in said(
        get("/list?parcels=118"), get("/list", json_body({"no": 118})), get("/parcels/118"),
    )] == [True]  # fmt: skip
    assert ["A person wrote it into a form" in one for _, one in said(
        get("/", page), get("/list", json_body({"no": "118"})), post("/", "coupon_id=118")
    )] == [True]  # fmt: skip
    (decision,) = run(get("/", sent=(("X-Trace", TOKEN),))).decisions
    assert decision.secret


def test_one_decision_for_each_field() -> None:
    """Whatever values it has, in however many requests."""
    ((value, reason),) = said(*(get(f"/parcels/{number}/label") for number in (118, 119, 118, 7)))
    assert value == "118"
    assert 'sent as recorded by "1 GET /parcels/118/label" and 3 more, with 3 values' in reason


def test_what_a_program_chooses_is_one_line() -> None:
    """Page numbers, sizes, versions and languages; and none for what says nothing."""
    ((_, reason),) = said(
        get("/list?page=3&per_page=20&locale=de_DE&v=4"), get("/2026/list?size=50&first=1")
    )
    assert reason.endswith("as recorded: page 3, per_page 20, v 4, the path 2026, size 50.")


@pytest.mark.parametrize(
    "request_",
    [
        get("/list?sort=name&dir=asc&q=tea+house"),
        get("/v2/api/items.json?from=2026-11-22"),
        post("/open", "quantity=12&price=1299&user_id=&agree=1"),
        call("POST", "/open", {"parent_id": 0, "owner_id": "null", "note": "ring at 12"}),
        post("/login", "user=kim42&password=se3cr3et1x"),
    ],
)
def test_what_does_not_is_not_mentioned(request_: Exchange) -> None:
    """Words, quantities, dates, flags; a user's name and password have a decision of their own."""
    assert said(request_) == []


def test_what_is_correlated_is_no_constant() -> None:
    """Neither a value that a variable has taken, nor one about which something else is said."""
    configuration = run(
        call("POST", "/items", {"name": "Tea"}, json_body({"id": 4711})),
        get("/items/4711"),
        post("/", f"csrf_token={TOKEN}"),
    )
    assert len(made(configuration)) == 1
    told = [one.rule for one in configuration.decisions if "outcome" not in one.rule]
    assert told == ["created-id", "csrf-form-field"]
