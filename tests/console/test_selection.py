"""The language for transactions and pages that all commands have in common."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.console.arguments import HostName, KindName, PageName, StatusName
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.selection import (
    Filters,
    page_index,
    page_indexes,
    select,
    stable_names,
    transaction_index,
)
from pytest_loadtool.model.case import Kind, Page, Recorded, Request, TestCase, Transaction
from pytest_loadtool.model.editing import without
from pytest_loadtool.workflow.document import Document
from tests.console.traffic import exchange


def asks(method: str, target: str, status: int = 200, kind: Kind = Kind.HTML) -> Transaction:
    return Transaction(Request(method, target), recorded=Recorded(status, kind))


DOCUMENT = Document(
    TestCase(
        "shop",
        server="http://shop.example",
        pages=(
            Page("Log in", (asks("GET", "/login?next=/"), asks("POST", "/login", 302))),
            Page(
                "Products",
                (
                    asks("GET", "/"),
                    asks("GET", "/static/a.css", kind=Kind.CSS),
                    asks("GET", "http://cdn.shop.example/static/b.png", 404, Kind.IMAGE),
                ),
            ),
            Page("Log out", (asks("POST", "/login"), asks("GET", "/by,comma(2)"))),
        ),
    )
)


@pytest.mark.parametrize(
    ("words", "transactions"),
    [
        (["4"], [4]),
        (["2-4"], [2, 3, 4]),
        (["5-"], [5, 6, 7]),
        (["5", "6", "1"], [1, 5, 6]),
        (["5,6", "1-2"], [1, 2, 5, 6]),
        (["P2"], [3, 4, 5]),
        (["p1,p3"], [1, 2, 6, 7]),
        (["P1-P2"], [1, 2, 3, 4, 5]),
        (["P2", "1"], [1, 3, 4, 5]),
        (["all"], [1, 2, 3, 4, 5, 6, 7]),
        (["Products"], [3, 4, 5]),
        (["prod"], [3, 4, 5]),
        (["Log in"], [1, 2]),
        (["/login"], [1, 2, 6]),
        (["/login?next=/"], [1]),
        (["POST", "/login"], [2, 6]),
        (["POST /login"], [2, 6]),
        (["POST", "/login#2"], [6]),
        (["POST /login (2)"], [6]),
        (["/login#3"], [6]),
        (["/static/*"], [4, 5]),
        (["GET", "/static/*", "2"], [2, 4, 5]),
        (["/static/b.png"], [5]),
        (["http://cdn.shop.example/static/b.png"], [5]),
        (["/by,comma(2)"], [7]),
        (["~m", "POST"], [2, 6]),
        (["P3", "~m", "POST"], [6]),
        (["P1-P2", "~k", "css", "|", "~c", "4xx"], [4, 5]),
        ([], [1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_words_select(words: list[str], transactions: list[int]) -> None:
    """Numbers, ranges, pages, names and expressions, together and in any order."""
    chosen = select(DOCUMENT, words).transactions
    assert [index + 1 for index in chosen] == transactions


@pytest.mark.parametrize(
    ("filters", "transactions"),
    [
        (Filters(kind=KindName("image")), [5]),
        (Filters(kind=KindName("HTML"), page=PageName("P1")), [1, 2]),
        (Filters(page=PageName("Products")), [3, 4, 5]),
        (Filters(host=HostName("cdn.shop.example")), [5]),
        (Filters(host=HostName("shop.example")), [1, 2, 3, 4, 5, 6, 7]),
        (Filters(status=StatusName("302,400-499")), [2, 5]),
        (Filters(failed=True), [2]),
    ],
)
def test_filters_narrow(filters: Filters, transactions: list[int]) -> None:
    """The whole test case, if nothing else was selected."""
    chosen = select(DOCUMENT, [], filters, failed={1}).transactions
    assert [index + 1 for index in chosen] == transactions


def test_whole_pages_are_told_apart() -> None:
    """Of a page that was named and narrowed, only transactions are left."""
    assert select(DOCUMENT, ["P1", "P2", "7"]).pages == (0, 1)
    assert select(DOCUMENT, ["P1", "P2", "~m", "GET"]).pages == (1,)
    assert select(DOCUMENT, ["1-2"]).pages == ()


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("8", "there is no transaction 8: `tree` numbers them 1 to 7"),
        ("0", "there is no transaction 0"),
        ("3-1", "3-1 ends before it begins"),
        ("P4", "there is no page P4: `tree` numbers them P1 to P3"),
        ("/logn", "there is no transaction or page '/logn': did you mean '/login'"),
        ("Prodcts", "did you mean 'Products'"),
        ("POST /login#3", "POST /login is 2 times in the test case: there is no #3"),
        ("log", "2 pages begin with 'log': P1 Log in, P3 Log out"),
        ("~z", "there is no operator '~z'"),
        ("stat", "there is no transaction or page 'stat': did you mean 4 GET /static/a.css, 5 GET"),
        ("quux", "there is no transaction or page 'quux': `tree` shows what there is"),
    ],
)
def test_slip_is_named(word: str, message: str) -> None:
    """With what is nearest, where anything is."""
    with pytest.raises(UsageError) as refused:
        select(DOCUMENT, [word])
    assert message in str(refused.value)


def test_one_transaction_is_meant() -> None:
    """What means several is refused with the names that mean one."""
    assert transaction_index(DOCUMENT, "POST /login#2") == 5
    with pytest.raises(UsageError) as refused:
        transaction_index(DOCUMENT, "POST /login")
    assert str(refused.value) == (
        "'POST /login' is 2 transactions: 2 POST /login#1, 6 POST /login#2"
    )


def test_pages_are_meant() -> None:
    """By name before number: a page may be called like one."""
    assert page_index(DOCUMENT, "P2") == page_index(DOCUMENT, "2") == 1
    assert page_index(DOCUMENT, "prod") == 1
    assert page_indexes(DOCUMENT, "P1-P2") == page_indexes(DOCUMENT, "1,2") == (0, 1)
    assert page_indexes(DOCUMENT, "all") == (0, 1, 2)
    assert page_indexes(DOCUMENT, "Log out") == (2,)
    called = replace(DOCUMENT.case, pages=(DOCUMENT.case.pages[0], Page("1", ())))
    assert page_index(Document(called), "1") == 1
    with pytest.raises(UsageError, match="2 pages begin with 'log'"):
        page_index(DOCUMENT, "log")


def test_names_survive_deletion() -> None:
    """Numbers shift when something before them goes; names mean the same transaction."""
    names = stable_names(DOCUMENT.case)
    assert names[1] == "POST /login#1"
    assert names[3] == "GET /static/a.css"
    after = Document(without(DOCUMENT.case, {0, 2}))
    (index,) = select(after, ["GET", "/static/a.css"]).transactions
    assert index == 1
    assert transaction_index(after, names[5]) == 3


def test_every_stable_name_means_its_transaction() -> None:
    """Whatever it has that means something else in a shell or in this language."""
    for index, name in enumerate(stable_names(DOCUMENT.case)):
        assert transaction_index(DOCUMENT, name) == index


def test_a_path_with_placeholders_is_still_known_as_it_was_recorded() -> None:
    """A name that somebody has noted holds when an id in it becomes a variable; what asks for that
    path now comes first."""
    recorded = (
        exchange("GET", "http://shop.example/orders/17", 0),
        exchange("GET", "http://shop.example/orders/17?all=1", 1),
    )
    asked = (
        Transaction(Request("GET", "/orders/${order[1]}"), recorded=Recorded(200, entry=0)),
        Transaction(Request("GET", "/orders/${order[1]}?all=1"), recorded=Recorded(200, entry=1)),
        Transaction(Request("GET", "/orders/18")),
    )
    case = TestCase("shop", (Page("Orders", asked),), server="http://shop.example")
    document = Document(case, recorded)
    assert select(document, ["/orders/17"]).transactions == (0, 1)
    assert select(document, ["GET", "/orders/17#2"]).transactions == (1,)
    now = replace(asked[2], request=Request("GET", "/orders/17"))
    case = replace(case, pages=(Page("Orders", (*asked[:2], now)),))
    assert select(Document(case, recorded), ["/orders/17"]).transactions == (2,)
    with pytest.raises(UsageError, match="there is no transaction or page '/orders/19'"):
        select(document, ["/orders/19"])
