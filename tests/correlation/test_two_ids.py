"""Two ids in one address, which says of the first alone what it is the id of: judged by the state
of the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from urllib.parse import parse_qs, urlencode

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, recorded


@dataclass
class Library:
    """Shelves, and books that are put onto them, as Calibre-Web has them."""

    address: str
    works: bool = True
    shelf: int = 1
    book: int = 1
    shelves: dict[int, tuple[str, list[int]]] = field(default_factory=dict)
    books: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.shelves |= {at: (f"Old shelf {at}", []) for at in range(1, self.shelf)}
        self.books |= {at: f"Old book {at}" for at in range(1, self.book)}

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        kind, *ids = [one for one in target.split("/") if one]
        if method == "GET":
            return self.page(kind, int(ids[0]), order=ids[-1] == "order")
        if ids[-1] == "order":
            sent = {int(key): int(at) for key, (at,) in parse_qs(body).items() if key.isdigit()}
            on = self.shelves[int(ids[0])][1]
            if self.works and sorted(sent) == sorted(on):
                on.sort(key=sent.__getitem__)
            return (200 if sorted(sent) == sorted(on) else 500), HTML, "<title>Order</title>"
        if ids == ["new"]:
            title = parse_qs(body)["title"][0]
            made = max(self.shelves if kind == "shelf" else self.books, default=0) + 1
            if kind == "shelf":
                self.shelves[made] = (title, [])
            else:
                self.books[made] = title
            return 303, {"Location": f"/{kind}/{made}"}, ""
        shelf, book = (int(one) for one in ids if one.isdigit())
        if shelf not in self.shelves or book not in self.books:
            return 404, HTML, "<title>Not found</title>"
        if self.works:
            self.shelves[shelf][1].append(book)
        return 204, {}, ""

    def page(self, kind: str, id_: int, *, order: bool) -> Answer:
        """A shelf with its books, with their ids alone where they are put into an order; or a
        book with the shelves that it may be put onto."""
        if order:
            title, books = self.shelves[id_]
            rows = [f'<div id="{one}">{escape(self.books[one])}</div>' for one in books]
        elif kind == "shelf":
            title, books = self.shelves[id_]
            rows = [f'<a href="/book/{one}">{escape(self.books[one])}</a>' for one in books]
        else:
            title = self.books[id_]
            address = "/shelf/" + self.address
            rows = [
                f'<a data-href="{address % (one, id_)}">{escape(name)}</a>'
                for one, (name, _) in self.shelves.items()
            ]
        listed = "".join(f"<li>{one}</li>" for one in rows)
        shelves = (
            f'<li><a href="/shelf/{one}">{escape(name)}</a></li>'
            for one, (name, _) in self.shelves.items()
        )
        page = (
            f"<title>{escape(title)}</title><nav><ul>{''.join(shelves)}</ul></nav>"
            f"<h1>{escape(title)}</h1><ul>{listed}</ul>"
        )
        return 200, HTML, page

    def session(self, client: Client) -> None:
        """Two shelves and three books are made; the books are put onto the shelves."""

        def make(kind: str, title: str) -> int:
            client.send("POST", f"/{kind}/new", urlencode({"title": title}).encode(), FORM)
            made = max(self.shelves if kind == "shelf" else self.books)
            client.send("GET", f"/{kind}/{made}")
            return made

        shelves = [make("shelf", one) for one in ("Tea shelf", "Later on")]
        books = [make("book", one) for one in ("Leaves", "Cups and pots", "Water")]
        for shelf, book in ((0, 0), (0, 1), (1, 2), (1, 0)):
            client.send("GET", f"/book/{books[book]}")
            page = {**FORM, "Referer": f"{client.url}/book/{books[book]}"}
            target = f"/shelf/{self.address % (shelves[shelf], books[book])}"
            client.send("POST", target, b"go=1", page)
            client.send("GET", f"/shelf/{shelves[shelf]}")

    def arranging(self, client: Client) -> None:
        """The same, and then the last of the first shelf is put before the others."""
        self.session(client)
        shelf, on = next((one, on) for one, (_, on) in self.shelves.items() if on)
        client.send("GET", f"/shelf/{shelf}/order")
        order = {str(one): at + 1 for at, one in enumerate([on[-1], *on[:-1]])}
        page = {**FORM, "Referer": f"{client.url}/shelf/{shelf}/order"}
        client.send("POST", f"/shelf/{shelf}/order", urlencode(order).encode(), page)
        client.send("GET", f"/shelf/{shelf}")

    def left(self) -> dict[str, list[str]]:
        """The books that are on each shelf."""
        return {name: [self.books[one] for one in on] for name, on in self.shelves.values() if on}


@pytest.mark.parametrize("address", ["add/%d/%d", "%d/%d", "%d/%d/add"])
def test_two_ids_in_a_row(address: str) -> None:
    """The second is of another kind than the first, and has its number by chance: that of the thing
    whose page it is sent from."""
    office = Library(address)
    case = recorded(office, office.session)
    for shelf, book in ((1, 1), (4, 1), (1, 9), (3, 12)):
        used = Library(address, shelf=shelf, book=book)
        assert colour(replayed(case, used)) == "GREEN", (shelf, book)
        assert used.left() == {
            "Tea shelf": ["Leaves", "Cups and pots"],
            "Later on": ["Water", "Leaves"],
        }
    assert colour(replayed(case, Library(address, works=False))) == "red"


def test_ids_that_fields_are_called() -> None:
    """They are the ids of the only things that have all these numbers, be there another thing with
    one of them that is called what was sent."""
    office = Library("add/%d/%d")
    case = recorded(office, office.arranging)
    for shelf, book in ((1, 1), (4, 1), (1, 9), (3, 12)):
        used = Library("add/%d/%d", shelf=shelf, book=book)
        assert colour(replayed(case, used)) == "GREEN", (shelf, book)
        assert used.left() == {
            "Tea shelf": ["Cups and pots", "Leaves"],
            "Later on": ["Water", "Leaves"],
        }
