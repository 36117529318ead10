"""Things that were picked, not made: by a suggestion, from a catalogue, from a table that was
imported; and what a job has led to. Judged by the state of the server."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode

import pytest

from pytest_loadtool.model.case import TestCase
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded

GOODS = {3: "Green Tea", 4: "Black Tea", 8: "Teapot"}
FILE = (
    b'--XX\r\nContent-Disposition: form-data; name="file"; filename="goods.csv"\r\n'
    b"Content-Type: text/csv\r\n\r\nname,size\r\nTea House,3\r\nCups Ltd,4\r\n\r\n--XX--\r\n"
)


def page(inner: str) -> Answer:
    """A page with that in it."""
    return 200, HTML, f"<html><title>Shop</title>{inner}"


def said(body: str) -> dict[str, str]:
    """The fields of a form."""
    return {name: one[0] for name, one in parse_qs(body).items()}


def rules_of(case: TestCase) -> set[str]:
    """By which rules values of the case are extracted."""
    return {one.rule for one in case.variables.values() if one.set_by == "asm"}


@dataclass
class Cart:
    """Goods from a catalogue, each in a row of the cart that has a number of its own."""

    first: int = 1
    works: bool = True
    rows: dict[int, list[int]] = field(default_factory=dict)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        _, kind, *rest = target.split("/")
        if kind == "goods":
            return page(
                "<ul>{}</ul>".format(
                    "".join(
                        f'<li><a href="/goods/{id_}">{name}</a><form method="post" action="/cart">'
                        f'<input type="hidden" name="goods" value="{id_}"><input name="count">'
                        "</form></li>"
                        for id_, name in GOODS.items()
                    )
                )
            )
        if method == "GET":
            return page(
                "<table>{}</table>".format(
                    "".join(
                        f'<tr><td><a href="/goods/{goods}">{GOODS[goods]}</a></td><td>{count}</td>'
                        f'<td><form method="post" action="/cart/{id_}/remove"></form></td></tr>'
                        for id_, (goods, count) in self.rows.items()
                    )
                )
            )
        if not rest:
            number = self.first + len(self.rows)
            self.rows[number] = [int(said(body)[one]) for one in ("goods", "count")]
        elif int(rest[0]) not in self.rows:
            return 404, HTML, "<html><title>Not found</title>"
        elif self.works:
            del self.rows[int(rest[0])]
        return 303, {"Location": "/cart"}, ""

    def session(self, client: Client) -> None:
        """Three things are put into the cart, and the first but one out of it."""
        client.send("GET", "/goods")
        for goods, count in ((3, 1), (8, 2), (4, 1)):
            fields = urlencode({"goods": goods, "count": count})
            client.send("POST", "/cart", fields.encode(), FORM)
            client.send("GET", "/cart")
        number = next(id_ for id_, (goods, _) in self.rows.items() if goods == 8)
        client.send("POST", f"/cart/{number}/remove", b"", FORM)
        client.send("GET", "/cart")


def test_a_row_is_that_of_what_was_picked() -> None:
    """Nobody has typed what it is called: the catalogue says it."""
    cart = Cart()
    case = recorded(cart, cart.session)
    used = Cart(first=71)
    assert colour(replayed(case, used)) == "GREEN"
    assert [goods for goods, _ in used.rows.values()] == [3, 4]
    assert colour(replayed(case, Cart(works=False))) == "red"


@dataclass
class Office:
    """Things that are imported or made, bought by their number, or by what a job leads to."""

    redirects: bool = False
    page: bool = False
    works: bool = True
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    names: dict[int, str] = field(default_factory=dict)
    jobs: dict[int, str] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        path, _, query = target.partition("?")
        _, kind, *rest = path.split("/")
        if method == "POST":
            return self.changed(kind, rest, body)
        if kind == "suggest":
            found = [(i, n) for i, n in self.names.items() if said(query)["q"] in n.lower()]
            return json_answer([{"value": id_, "label": name} for id_, name in found])
        if kind == "jobs":
            number = next((i for i, n in self.names.items() if n == self.jobs[int(rest[0])]), 0)
            if not number:
                self.names[number := next(self.numbers)] = self.jobs[int(rest[0])]
                return page("<p>It is being made.</p>")
            if self.redirects:
                return 303, {"Location": f"/things/{number}"}, ""
            return page(f'<p>It is ready: <a href="/things/{number}">open</a></p>')
        shown = {i: n for i, n in self.names.items() if not rest or str(i) == rest[0]}
        states = {id_: "sold" if id_ in self.done else "new" for id_ in shown}
        if not self.page:
            return json_answer(
                [{"id": i, "name": name, "state": states[i]} for i, name in shown.items()]
            )
        return page(
            "<table>{}</table>".format(
                "".join(
                    f'<tr><td>{name}</td><td>{states[id_]}</td><td><form method="post"'
                    f' action="/things/{id_}/sell"></form></td></tr>'
                    for id_, name in shown.items()
                )
            )
        )

    def changed(self, kind: str, rest: list[str], body: str) -> Answer:
        """What is answered to a change."""
        if kind == "import":
            for line in body.partition("name,size")[2].splitlines()[1:3]:
                self.names[next(self.numbers)] = line.partition(",")[0]
        elif kind == "jobs":
            self.jobs[number := next(self.numbers)] = said(body)["name"]
            return 303, {"Location": f"/jobs/{number}"}, ""
        elif kind == "things" and not rest:
            self.names[next(self.numbers)] = said(body)["name"]
        else:
            number = int(rest[0] if rest else said(body)["thing"])
            if number not in self.names:
                return json_answer({"message": "there is none"}, 404)
            self.done |= {number} if self.works else set()
        return (303, {"Location": "/things"}, "") if self.page else json_answer({"ok": True})

    def used(self) -> Office:
        """Another one like it, in which somebody else has things already."""
        old = {id_: f"Old tea house {id_}" for id_ in range(1, 4)}
        return Office(self.redirects, self.page, numbers=itertools.count(71), names=old)

    def broken(self) -> Office:
        """Another one like it, which sells nothing."""
        return Office(self.redirects, self.page, works=False)

    def sold(self) -> list[str]:
        """The names of what is sold."""
        return [self.names[one] for one in self.done]


def check(office: Office, case: TestCase) -> None:
    """On a used server the right thing is sold, and where nothing is, that is seen."""
    used = office.used()
    assert colour(replayed(case, used)) == "GREEN"
    assert used.sold() == office.sold()
    assert colour(replayed(case, office.broken())) in ("red", "told")


@pytest.mark.parametrize("in_page", [True, False], ids=["page", "json"])
@pytest.mark.parametrize("as_file", [True, False], ids=["file", "body"])
def test_what_was_imported(in_page: bool, as_file: bool) -> None:
    """A row of the table is known by what it is called there."""

    def session(client: Client) -> None:
        client.send("GET", "/things")
        if as_file:
            media = "multipart/form-data; boundary=XX"
            client.send("POST", "/import", FILE, {"Content-Type": media})
        else:
            table = b"name,size\nTea House,3\nCups Ltd,4\n"
            client.send("POST", "/import", table, {"Content-Type": "text/csv"})
        client.send("GET", "/things")
        number = next(id_ for id_, name in office.names.items() if name == "Cups Ltd")
        client.send("POST", f"/things/{number}/sell", b"", FORM)
        client.send("GET", "/things")

    office = Office(page=in_page)
    check(office, recorded(office, session))


def test_what_was_suggested() -> None:
    """The value is that of the label which was picked, or typed to the end."""

    def session(client: Client) -> None:
        for name in ("Tea House", "Tea House Two"):
            client.send("POST", "/things", urlencode({"name": name}).encode(), FORM)
        client.send("GET", "/things")
        client.send("GET", "/suggest?q=tea")
        number = next(id_ for id_, name in office.names.items() if name == "Tea House")
        client.send("POST", "/buy", f"q=Tea+House&thing={number}".encode(), FORM)
        client.send("GET", "/things")

    office = Office(page=True)
    case = recorded(office, session)
    assert "picked-option" in rules_of(case)
    check(office, case)


@pytest.mark.parametrize("redirects", [True, False], ids=["redirect", "link"])
def test_what_a_job_leads_to(redirects: bool) -> None:
    """By the only link of its page, or by a redirect."""

    def session(client: Client) -> None:
        client.send("GET", "/things")
        client.send("POST", "/jobs", b"name=Tea+in+March", FORM)
        for _ in range(2):
            client.send("GET", f"/jobs/{next(iter(office.jobs))}")
        number = next(iter(office.names))
        client.send("GET", f"/things/{number}")
        client.send("POST", f"/things/{number}/sell", b"", FORM)
        client.send("GET", f"/things/{number}")

    office = Office(redirects, page=True)
    case = recorded(office, session)
    assert ("led-to" if redirects else "created-link") in rules_of(case)
    check(office, case)


def test_a_label_is_no_amount() -> None:
    """A number beside the one that was picked is not taken from there."""

    def session(client: Client) -> None:
        client.send("POST", "/things", b"name=Tea+House", FORM)
        client.send("GET", "/suggest?q=tea")
        client.send("POST", "/buy", b"q=Tea+House&thing=1&quantity=1", FORM)
        client.send("GET", "/things")

    *_, buy, _ = recorded(Office(page=True), session).transactions()
    assert str(buy.request.body).endswith("&quantity=1")
    assert json.dumps(str(buy.request.body)).count("${") == 1
