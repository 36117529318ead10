"""What is ignored: one place and no other, also when the test case is configured again."""

from __future__ import annotations

import json

import pytest

from pytest_loadtool.correlation.outcomes.asserting import without_outcome
from pytest_loadtool.correlation.writing.revert import taken_back
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from tests.correlation.exchanges import answered, case_of, html, json_body
from tests.correlation.talk import call, configure, get, post, run


def taken(exchanges: tuple[Exchange, ...], name: str) -> tuple[TestCase, TestCase]:
    """The case without that decision, and what configuring it again makes of it."""
    configured = configure(case_of(*exchanges), exchanges).case
    case = taken_back(configured, exchanges, name)
    return case, configure(case, exchanges).case


def sent(case: TestCase) -> list[str]:
    return [f"{one.request.target} {one.request.body or ''!s}" for one in case.transactions()]


CALLS = (
    *(
        call("POST", "/tasks", {"name": name}, json_body({"id": 40 + at}))
        for at, name in enumerate(("Tea", "Cup", "Milk"))
    ),
    call("POST", "/tasks/bulk", {"ids": [40, 41, 42]}),
    call("POST", "/tasks/bulk", {"ids": [40]}),
)


def test_one_element_of_an_array() -> None:
    """Of three ids the first; neither the others nor those of the next call."""
    case, again = taken(CALLS, "ids[1]")
    assert case.asm.ignore == ("POST /tasks/bulk #1: ids #1", "POST /tasks/bulk #2: ids")
    assert sent(case)[3] == '/tasks/bulk {"ids": [40, ${ids[2]}, ${ids[3]}]}'
    assert sent(again)[3] == '/tasks/bulk {"ids": [40, ${ids[1]}, ${ids[2]}]}'
    assert sent(again)[4] == sent(case)[4] == '/tasks/bulk {"ids": [40]}'


def test_an_id_behind_one_that_stays() -> None:
    """The path is as recorded, whatever else in it is dynamic."""
    exchanges = (
        call("POST", "/shops", {"name": "Tea"}, json_body({"id": 7})),
        call("POST", "/shops/7/items", {"name": "Cup"}, json_body({"id": 9})),
        get("/shops/7/items/9"),
    )
    case, again = taken(exchanges, "item_id[1]")
    assert case.asm.ignore == ("GET /shops/7/items/9: items",)
    assert sent(again)[2] == sent(case)[2] == "/shops/${shop_id[1]}/items/9 "
    assert "item_id[1]" not in again.variables


def form(token: str) -> Exchange:
    return html(
        f'<form method="post"><input type="hidden" name="csrf" value="{token}"><input name="a">'
    )


def test_the_token_of_one_request_of_many() -> None:
    """Each page has its own; the third is left alone, the others are not."""
    tokens = [f"tok{at}Xy{at}Zk{at}Wq{at}" for at in range(4)]
    exchanges = tuple(
        one
        for token in tokens
        for one in (get("/form", form(token)), post("/form", f"csrf={token}&a=1", html("")))
    )
    case, again = taken(exchanges, "csrf_token[3]")
    assert case.asm.ignore == ("POST /form #3: csrf",)
    bodies = [one for one in sent(again) if "csrf=" in one]
    assert [("${" in one) for one in bodies] == [True, True, False, True]
    assert [one for one in sent(case) if "csrf=" in one][2] == f"/form csrf={tokens[2]}&a=1"


@pytest.mark.parametrize("entry", ["POST /tasks/bulk: ids", "POST /tasks/bulk: ids #2"])
def test_entries_without_a_number_are_for_all_like_it(entry: str) -> None:
    """So they were written before there were numbers."""
    body = json.dumps({"ids": [40, 41, 42]})
    case = case_of(*CALLS)
    case = TestCase(
        case.name, server=case.server, pages=case.pages, asm=type(case.asm)(ignore=(entry,))
    )
    configured = sent(configure(case, CALLS).case)
    if entry.endswith("#2"):
        assert configured[3] == '/tasks/bulk {"ids": [${ids[1]}, 41, ${ids[2]}]}'
    else:
        assert configured[3:] == [f"/tasks/bulk {body}", '/tasks/bulk {"ids": [40]}']


def test_a_segment_as_it_was_called_before() -> None:
    """Numbers were the names of those behind them."""
    exchanges = (
        call("POST", "/obj/1", {"name": "Tea"}, json_body({"id": 16386})),
        get("/obj/1/16386"),
    )
    case = run(*exchanges).case
    assert sent(case)[1] == "/obj/1/${obj_id[1]} "
    asm = type(case.asm)(ignore=("GET /obj/1/16386: 1",))
    plain = case_of(*exchanges)
    ignoring = TestCase(plain.name, server=plain.server, pages=plain.pages, asm=asm)
    assert sent(configure(ignoring, exchanges).case)[1] == "/obj/1/16386 "


def test_the_outcome_of_one_of_several_changes() -> None:
    """The other change to the same address is asserted yet."""
    names = ("Tea House", "Cups Ltd")
    exchanges: list[Exchange] = []
    for at in (1, 2):
        rows = "".join(f"<li>{one}</li>" for one in names[:at])
        exchanges += [
            post("/orders", f"name={names[at - 1].replace(' ', '+')}", html("")),
            answered("GET", "/orders", html(f"<ul>{rows}</ul>")),
        ]
    configured = configure(case_of(*exchanges), exchanges).case
    case = without_outcome(configured, exchanges, "1 POST /orders")
    assert case.asm.ignore == ("POST /orders #1: outcome",)
    again = configure(case, exchanges).case
    said = [
        one.outcome.name
        for each in again.transactions()
        for one in each.validators
        if one.outcome is not None
    ]
    assert said == ["Cups Ltd is not yet shown", "Cups Ltd is shown"]
