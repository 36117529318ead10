"""Choices of what the session created: an option, a check box, a radio button, by its label."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_loadtool.correlation.configuration import asserted_anew
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.extraction.extract import PlainText, taken
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Choice, with_texts
from tests.correlation.exchanges import html
from tests.correlation.talk import configure, get, made, post, requests, run

Writer = Callable[[dict[str, str]], str]

OTHERS = {"4": "Chloe", "9": "Dan &amp; Co"}
ADD = '<form action="/members" method="post"><input name="name"></form>'


def select(members: dict[str, str]) -> str:
    """As WTForms writes it, and ihatemoney has it."""
    options = "".join(f'<option value="{id_}">{name}</option>' for id_, name in members.items())
    return (
        '<form method="post"><label for="payer">Who paid?</label> <select class="custom-select" '
        f'id="payer" name="payer" required><option value=""></option>{options}</select>'
        '<input name="what"></form>'
    )


def boxes(members: dict[str, str]) -> str:
    """As ihatemoney has them."""
    rows = "".join(
        f'<p><label for="payer-{id_}" class="l">\n <input name="payer" type="checkbox" checked '
        f'value="{id_}" id="payer-{id_}"/>\n <span>{name}</span>\n </label></p>'
        for id_, name in members.items()
    )
    return f'<form method="post">{rows}<input name="what"></form>'


def radios(members: dict[str, str]) -> str:
    """As Rails has them: the value first, the label behind."""
    rows = "".join(
        f'<input type="radio" value="{id_}" name="payer" id="payer_{id_}" />\n'
        f'<label for="payer_{id_}">{name}</label>'
        for id_, name in members.items()
    )
    return f'<form method="post">{rows}<input name="what"></form>'


def labels_first(members: dict[str, str]) -> str:
    """The label before what it is for."""
    rows = "".join(
        f'<td><label for="p{id_}">{name}</label></td><td><i class="on"></i>'
        f'<input type="radio" name="payer" value="{id_}" id="p{id_}"></td>'
        for id_, name in members.items()
    )
    return f'<form method="post"><table><tr>{rows}</tr></table><input name="what"></form>'


def cells(members: dict[str, str]) -> str:
    """As the Django admin lists things: no label, but a link in the next cell."""
    rows = "".join(
        f'<tr><td><input type="checkbox" name="payer" value="{id_}" class="action-select"></td>'
        f'<th><a href="/members/{id_}/change/">{name}</a></th></tr>'
        for id_, name in members.items()
    )
    return f'<form method="post"><table>{rows}</table><input name="what"></form>'


def buttons(members: dict[str, str]) -> str:
    """A button for each."""
    rows = "".join(
        f'<button name="payer" value="{id_}">\n{name}\n</button>' for id_, name in members.items()
    )
    return f'<form method="post">{rows}<input name="what"></form>'


def session(page: str, *before: Exchange, choice: str = "7") -> tuple[Exchange, ...]:
    """A member is added, then picked in a form, twice."""
    body = f"payer={choice}&what=Tent"
    return (
        *before,
        get("/members", html(ADD)),
        post("/members", "name=Anna+%26+Bo"),
        get("/bills/add", html(page)),
        post("/bills/add", body),
        get("/bills/add", html(page)),
        post("/bills/add", body),
    )


def labels(case: TestCase) -> list[str]:
    """Of all extractors, each with its first match."""
    found = [one for each in case.transactions() for one in each.extractors]
    assert all(one.match == 1 for one in found)
    return [one.source.label for one in found if isinstance(one.source, Choice)]


WRITERS = [select, boxes, radios, labels_first, buttons, cells]
ORDERS = [
    {"7": "Anna &amp; Bo", **OTHERS},
    {"4": "Chloe", "7": "Anna &amp; Bo", "9": "Dan &amp; Co"},
    {**OTHERS, "7": "Anna &amp; Bo"},
]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("members", ORDERS)
def test_by_its_label(write: Writer, members: dict[str, str]) -> None:
    """Wherever it is among the others, and once for both uses; `unique` takes the label along."""
    exchanges = session(write(members))
    configuration = run(*exchanges)
    assert [one.rule for one in made(configuration)] == ["named-choice"]
    assert requests(configuration)[3::2] == ["/bills/add payer=${payer[1]}&what=Tent"] * 2
    assert labels(configuration.case) == ["Anna & Bo"]
    unique = make_unique(configuration.case, "Anna & Bo")
    assert unique is not None
    assert labels(unique.case) == ["${name[1]}"]
    assert configure(unique.case, exchanges).case == asserted_anew(unique.case, exchanges).case


def left(*exchanges: Exchange) -> None:
    """Nothing is made of it."""
    assert not run(*exchanges).case.variables


@pytest.mark.parametrize("write", WRITERS)
def test_what_was_there_before_is_left(write: Writer) -> None:
    """A page offered it before anybody wrote such a text; or nobody has."""
    page = write({"7": "Anna &amp; Bo", **OTHERS})
    left(*session(page, get("/bills/add", html(page))))
    left(*session(page, choice="4"))


def test_who_signed_in_is_left() -> None:
    """A list of users has the name that was typed for that; a new user's is another matter."""
    login = '<form><input name="username"><input name="password" type="password"></form>'
    page = html(select({"1": "admin", "3": "dora"}))
    signed_in = (get("/login", html(login)), post("/login", "username=admin&password=x"))
    left(*signed_in, get("/bills/add", page), post("/bills/add", "payer=1&what=Tent"))
    more = '<input name="again" type="password"><input name="phone"></form>'
    found = run(
        *signed_in,
        get("/users/add", html(login.replace("</form>", more))),
        post("/users/add", "username=dora&password=x&again=x&phone="),
        get("/bills/add", page),
        post("/bills/add", "payer=3&what=Tent"),
    )
    assert [one.rule for one in made(found)] == ["named-choice"]


def test_a_label_that_two_have() -> None:
    """The first of them is another one: nothing tells which is meant."""
    left(*session(select({"4": "Anna &amp; Bo", "7": "Anna &amp; Bo"})))


def test_words_that_are_no_ids() -> None:
    """What a program calls its choices is a constant."""
    left(*session(select({"anna": "Anna &amp; Bo", "dan": "Dan"}), choice="anna"))


def test_a_number_in_a_label() -> None:
    """The own number of an option is another one on another server, whatever else has it; `unique`
    takes the name along."""
    others = {"4": "#4 Chloe", "17": "#17 Dan"}
    there = {"7": "#7 Anna Berg", **others}
    exchanges = (
        get("/members", html(ADD)),
        post("/members", "name=Anna+Berg"),
        get("/bills/add", html(select(there))),
        post("/bills/add", "payer=7&what=Tent"),
    )
    unique = make_unique(run(*exchanges).case, "Anna Berg")
    assert unique is not None
    (found,) = (one for each in unique.case.transactions() for one in each.extractors)
    source = with_texts(found.source, lambda one: one.replace("${name[1]}", "Anna Berg-x1Y2z3"))
    another = select({"7": "#7 Anna Berg-x1Y2z3"}).replace("payer", "payee")
    page = another + select({**there, "23": "#23 Anna Berg-x1Y2z3"})
    assert taken(source, PlainText(page)) == "23"
