"""Ids in the names of fields that a page has for each row: judged by the state of the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from urllib.parse import parse_qs, urlencode

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, recorded


@dataclass
class Lines:
    """Things, and an order with a line for each, of which a form changes the quantities: the name
    of each field has the number of the line, beside a link with that of the thing."""

    thing: int = 1
    line: int = 1
    things: dict[int, str] = field(default_factory=dict)
    lines: dict[int, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.things |= {at: f"Old {at}" for at in range(1, self.thing)}
        self.lines |= dict.fromkeys(range(1, self.line), (0, 1))

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        sent = {key: one for key, (one,) in parse_qs(body).items()}
        if method == "GET":
            return self.page()
        if target == "/things":
            made = max(self.things, default=0) + 1
            self.things[made] = sent["name"]
            self.lines[max(self.lines, default=0) + 1] = made, 1
            return 303, {"Location": "/order"}, ""
        for id_, (thing, _) in self.own():
            if f"line_qty_{id_}" not in sent:
                return 400, HTML, "<title>A quantity is missing</title>"
            self.lines[id_] = thing, int(sent[f"line_qty_{id_}"])
        return 303, {"Location": "/order"}, ""

    def own(self) -> list[tuple[int, tuple[int, int]]]:
        """The lines of one's own, with their numbers."""
        return [one for one in self.lines.items() if one[0] >= self.line]

    def page(self) -> Answer:
        """The order, with a row for each line."""
        rows = "".join(
            f'<tr><td><a href="/things/{thing}/edit">{escape(self.things[thing])}</a></td>'
            f'<td><input name="line_qty_{id_}" value="{count}"></td></tr>'
            for id_, (thing, count) in self.own()
        )
        page = f'<form method="post" action="/order"><table>{rows}</table></form>'
        return 200, HTML, f"<title>Order</title>{page}"

    def session(self, client: Client) -> None:
        """Three things are ordered, and then more of two of them."""
        for name in ("Green tea", "Cups and pots", "Spoons"):
            client.send("GET", "/order")
            client.send("POST", "/things", urlencode({"name": name}).encode(), FORM)
            client.send("GET", "/order")
        sent = {
            f"line_qty_{id_}": count for (id_, _), count in zip(self.own(), (4, 1, 6), strict=True)
        }
        client.send("POST", "/order", urlencode(sent).encode(), FORM)
        client.send("GET", "/order")


def test_the_name_tells_more_than_a_link_beside_it() -> None:
    """The number of the field of that name is taken, and not that of the thing."""
    office = Lines()
    case = recorded(office, office.session)
    for thing, line in ((1, 1), (5, 1), (1, 7), (4, 9)):
        used = Lines(thing, line)
        assert colour(replayed(case, used)) == "GREEN", (thing, line)
        assert [(used.things[one], count) for _, (one, count) in used.own()] == [
            *(("Green tea", 4), ("Cups and pots", 1), ("Spoons", 6))
        ]


@dataclass
class Ranked(Lines):
    """The same, of which each thing has a page with the names of all things, and of which a call
    ranks a line by its number alone."""

    ranks: dict[int, int] = field(default_factory=dict)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        kind, *rest = [one for one in target.split("/") if one]
        if target == "/rank":
            sent = {key: one for key, (one,) in parse_qs(body).items()}
            self.ranks[int(sent["id"])] = int(sent["rank"])
            return 303, {"Location": "/order"}, ""
        if kind == "things" and rest:
            name = self.things[int(rest[0])]
            title = f"<title>{escape(name)}</title><h1>{escape(name)}</h1>"
            others = "".join(
                f'<li><a href="/things/{one}/edit">{escape(each)}</a> <b>{len(each)}</b></li>'
                for one, each in self.things.items()
            )
            return 200, HTML, f"{title}<ul>{others}</ul>"
        return super().answer(method, target, body)

    def page(self) -> Answer:
        """The order, with a form for each line."""
        rows = "".join(
            f'<tr><td><a href="/things/{thing}/edit">{escape(self.things[thing])}</a></td>'
            f'<td><form method="post" action="/rank"><input type="hidden" name="id" value="{id_}">'
            f'<input name="rank" value="{self.ranks.get(id_, 0)}"></form></td></tr>'
            for id_, (thing, _) in self.own()
        )
        return 200, HTML, f"<title>Order</title><table>{rows}</table>"

    def ranking(self, client: Client) -> None:
        """Three things are ordered, and one is ranked; a page lists the things, and says 9, too."""
        for name in ("Green tea", "Cups and pots", "Spoons"):
            client.send("GET", "/order")
            client.send("POST", "/things", urlencode({"name": name}).encode(), FORM)
            client.send("GET", "/order")
        first = self.own()[0][0]
        client.send("POST", "/rank", f"id={first}&rank=9".encode(), FORM)
        client.send("GET", f"/things/{self.lines[first][0]}/edit")
        client.send("GET", "/order")


def test_the_row_of_something_else() -> None:
    """A number of a line proves nothing in the row of the thing that has the same number."""
    office = Ranked()
    case = recorded(office, office.ranking)
    for thing, line in ((1, 1), (5, 1), (1, 7), (4, 9)):
        used = Ranked(thing, line)
        assert colour(replayed(case, used)) == "GREEN", (thing, line)
        assert used.ranks == {line: 9}
