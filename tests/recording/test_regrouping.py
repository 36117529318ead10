"""Test cases that were recorded before, with the pauses and the pages that they could have."""

from __future__ import annotations

from dataclasses import replace

from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import Grouping, build_case, paused, regrouped, with_pauses, without
from tests.recording.samples import SHOP, load, visit

ACTIVITY = Grouping("activity", 2.0)


def click(at: float, number: int, took: float = 0.1) -> Exchange:
    url = f"{SHOP}/api/orders/{number}"
    return load(url, at, "application/json", b"{}", referer=f"{SHOP}/app", took=took)


#: An application of one document, four clicks 3 s apart, and the way out.
SPA = (
    visit(f"{SHOP}/app", 0, "<title>App</title>", took=0.2),
    load(f"{SHOP}/app.js", 0.3, "text/javascript", referer=f"{SHOP}/app", took=0.2),
    *(click(0.5 + 3.0 * number + 0.1 * (number - 1), number) for number in range(1, 5)),
    visit(f"{SHOP}/bye", 20.0, "<title>Bye</title>"),
)


def length(case: TestCase) -> float:
    """All that a user thinks and pauses."""
    return sum(page.think_time + paused(page) for page in case.pages)


def as_before(case: TestCase) -> TestCase:
    """As earlier versions have recorded it: without pauses within pages."""
    pages = [
        replace(
            page,
            transactions=tuple(
                replace(one, recorded=one.recorded and replace(one.recorded, pause=0.0))
                for one in page.transactions
            ),
        )
        for page in case.pages
    ]
    return replace(case, pages=tuple(pages))


def test_pauses_come_from_the_traffic() -> None:
    """And nothing else changes."""
    case = build_case(SPA, name="case").case
    old = as_before(case)
    assert length(old) < 8.0 < 19.0 < length(case)
    assert with_pauses(old, SPA) == case


def test_each_thing_done_becomes_a_page() -> None:
    """The same as if it had been recorded so, with all the time that its user took."""
    case = build_case(SPA, name="case").case
    assert [page.name for page in case.pages] == ["App", "Bye"]
    again = regrouped(as_before(case), SPA, ACTIVITY)
    assert again == build_case(SPA, name="case", grouping=ACTIVITY).case
    assert [page.name for page in again.pages] == [
        *("App", "orders", "orders (2)", "orders (3)", "orders (4)", "Bye")
    ]
    assert [page.think_time for page in again.pages[:4]] == [3.0] * 4
    assert abs(length(again) - length(case)) < 0.01
    assert regrouped(again, SPA, Grouping()).pages[0].transactions == case.pages[0].transactions


def test_edits_stay() -> None:
    """What was deleted stays away, what was changed stays so; names and think times, too; what was
    written by hand stays where it is."""
    case = without(build_case(SPA, name="case").case, {1, 3})
    app, bye = case.pages
    order = replace(app.transactions[1], dangerous=True, name="First order")
    own = Transaction(Request("GET", "/own"))
    app = Page("My app", (app.transactions[0], order, own, *app.transactions[2:]), 1.5)
    case = replace(case, pages=(app, replace(bye, name="orders")))
    again = regrouped(case, SPA, ACTIVITY)
    assert [(page.name, [one.title for one in page.transactions]) for page in again.pages] == [
        ("My app", ["GET /app"]),
        ("orders", ["First order", "GET /own"]),
        ("orders (2)", ["GET /api/orders/3"]),
        ("orders (3)", ["GET /api/orders/4"]),
        ("orders (4)", ["GET /bye"]),
    ]
    assert again.pages[1].transactions[0].dangerous
    assert again.pages[1].transactions[1] is own
    assert again.pages[3].think_time == 1.5
