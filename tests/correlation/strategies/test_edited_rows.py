"""Rows that a script makes editable, and sends back whole."""

from __future__ import annotations

from html import escape

import pytest

from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.model.exchange import Exchange
from tests.correlation.exchanges import html
from tests.correlation.talk import made, post, requests, run

ASK = "sql=%40edit+SELECT+*+FROM+orders"


def result(*rows: tuple[int, str, int]) -> Exchange:
    """The result of a query, as H2's console shows it: cells that its script makes fields of."""
    cells = "".join(
        f"<tr><td class='action'><img onclick='editRow({at})'></td><td>{number}</td>"
        f"<td>{escape(title)}</td><td>{quantity}</td></tr>"
        for at, (number, title, quantity) in enumerate(rows, 1)
    )
    return html(
        '<form method="post" action="editResult.do"><input type="hidden" name="op" value="1">'
        f'<input type="hidden" name="row" value=""><table>{cells}</table></form>'
    )


def insert(title: str) -> Exchange:
    sql = f"INSERT INTO orders (title) VALUES ('{title}')".replace(" ", "+").replace("&", "%26")
    return post("/query.do", f"sql={sql}", html("<p>1</p>"))


ROWS = (3, "Cups Ltd", 8), (1, "Tea House", 9)


def test_the_id_is_that_of_the_row() -> None:
    """On a used server it is another one; what was typed stays."""
    configured = run(
        insert("Tea House"),
        post("/query.do", ASK, result(*ROWS)),
        post("/editResult.do", "op=1&row=2&r2c1=1&r2c2=Tea+House&r2c3=30", html("")),
    )
    (decision,) = made(configured)
    assert decision.rule == "edited-row"
    assert '"Tea House"' in decision.reason
    name = decision.variable
    assert requests(configured)[2].endswith(f"r2c1=${{{name}}}&r2c2=Tea+House&r2c3=30")
    (extractor,) = [*configured.case.transactions()][1].extractors
    assert not extractor.by_place
    again = result((7, "Tea House", 9), (3, "Cups Ltd", 8), (4, "Milk", 1))
    take = compile_source(extractor.source, extractor.match)
    assert take(RecordedResponse(again)) == "7"


@pytest.mark.parametrize(
    ("rows", "body"),
    [
        (ROWS, "op=1&row=2&a=1&b=Tea+House"),  # not all of the row
        (ROWS, "op=1&b=Tea+House&a=1&c=9"),  # another order
        (((1, "Tea House", 9), (5, "Tea House", 9)), "op=1&row=1&a=1&b=Tea+House&c=9"),
        (((1, "Tea Room", 9),), "op=1&row=1&a=1&b=Tea+House&c=9"),
        (ROWS, "a=1&b=Cups+Ltd&c=7"),  # of which only the text is that of the row
    ],
)
def test_other_forms(rows: tuple[tuple[int, str, int], ...], body: str) -> None:
    """Equal numbers are no row."""
    configured = run(
        insert("Tea House"),
        insert("Cups Ltd"),
        post("/query.do", ASK, result(*rows)),
        post("/editResult.do", body, html("")),
    )
    assert requests(configured)[3].endswith(body)


def test_a_text_with_markup_in_sql() -> None:
    """As the page and the query write it."""
    configured = run(
        insert("Spoon & Co"),
        post("/query.do", ASK, result((4, "Spoon & Co", 9), *ROWS)),
        post("/editResult.do", "op=1&row=1&r1c1=4&r1c2=Spoon+%26+Co&r1c3=9", html("")),
    )
    assert requests(configured)[2].startswith("/editResult.do op=1&row=1&r1c1=${r1c1[1]}&r1c2=")


def test_a_text_that_the_user_never_sent() -> None:
    """The rows of others are none of the user's."""
    configured = run(
        post("/query.do", ASK, result(*ROWS)),
        post("/editResult.do", "op=1&row=2&r2c1=1&r2c2=Tea+House&r2c3=30", html("")),
    )
    assert not made(configured)
