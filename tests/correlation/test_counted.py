"""Numbers that a change moves, of what was there before the session: how much they are differs from
run to run, and that they have moved does not. Judged by the state of the server."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode
from uuid import uuid4

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded, three


@dataclass
class Posts:
    """Posts whose likes are counted, or whose last one is, each shown in one of some ways."""

    shape: str
    numbered: bool = True
    works: bool = True
    posts: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        ids = (1, 2) if self.numbered else (uuid4().hex, uuid4().hex)
        self.posts = self.posts or [
            {"id": ids[0], "title": "Tea", "likes": 3},
            {"id": ids[1], "title": "Milk", "likes": 9},
        ]

    def answer(self, method: str, target: str, _body: str) -> Answer:
        """What is answered to a request."""
        last = self.posts[-1]
        if method == "POST":
            last["likes"] += self.works
            return (
                json_answer({}) if self.shape in ("list", "post") else (303, {"Location": "/"}, "")
            )
        if self.shape in ("list", "post"):
            return json_answer(self.posts if target == "/posts" else last)
        shown = {
            "words": f"<p>{last['likes']} like{'' if last['likes'] == 1 else 's'}</p>",
            "brackets": f"<a href=/liked>Liked ({last['likes']})</a>",
            "badge": f'<span class="badge">{last["likes"]}</span>',
        }[self.shape]
        return 200, HTML, f"<html><title>Posts</title><p>12 pages, 3 minutes</p>{shown}</html>"


@pytest.mark.parametrize("numbered", [True, False], ids=["numbers", "random ids"])
@pytest.mark.parametrize("shape", ["list", "post", "words", "brackets", "badge"])
def test_a_number_that_grows(shape: str, numbered: bool) -> None:
    """By how much it has grown is known, and not from where: it is green each time, and told where
    nothing was counted, since a server may know that user already."""
    office = Posts(shape, numbered)

    def session(client: Client) -> None:
        last = f"/posts/{office.posts[-1]['id']}" if shape == "post" else "/posts"
        client.send("GET", "/posts")
        client.send("GET", last)
        client.send("POST", f"/posts/{office.posts[-1]['id']}/like", b"", FORM)
        client.send("GET", last)

    case = recorded(office, session)
    used = Posts(shape, numbered)
    assert [colour(replayed(case, used)) for _ in range(3)] == ["GREEN"] * 3
    assert used.posts[-1]["likes"] == 12
    new = [{"id": 5, "title": "Tea", "likes": 0}] if shape not in ("list", "post") else []
    assert colour(replayed(case, Posts(shape, numbered, posts=new))) == "GREEN"
    assert colour(replayed(case, Posts(shape, numbered, works=False))) == "told"


@dataclass
class Views:
    """Counts how often it was looked at, and nothing else."""

    views: int = 0

    def answer(self, method: str, _target: str, _body: str) -> Answer:
        """What is answered to a request."""
        self.views += method == "GET"
        return json_answer({} if method == "POST" else {"views": self.views, "took_ms": self.views})


def test_a_number_that_grows_by_itself() -> None:
    """It shows nothing of the change."""
    case = recorded(Views(), three("/like", {}))
    assert not any(one.outcome for each in case.transactions() for one in each.validators)


@dataclass
class Cart:
    """A cart that adds up what is put into it, as a document or as a page."""

    page: bool = False
    works: bool = True
    held: dict[str, int] = field(default_factory=dict)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            sent = dict(parse_qsl(body)) if self.page else json.loads(body)
            name, count = str(sent["product_id"]), int(sent["quantity"])
            if self.works:
                self.held[name] = self.held.get(name, 0) + count
            return (303, {"Location": "/cart"}, "") if self.page else json_answer({})
        if target == "/products":
            return json_answer([{"id": 3, "name": "Tea"}])
        if self.page:
            rows = "".join(f"<tr><td>Tea<td>{count}</tr>" for count in self.held.values())
            total = 4 * sum(self.held.values())
            said = f"<title>Cart</title><table>{rows}</table><p>Total: ${total}.00</p>"
            return 200, HTML, f"<html>{said}<form method=post><input name=quantity></form></html>"
        items = [{"product_id": int(one), "quantity": n} for one, n in self.held.items()]
        return json_answer({"items": items})

    def session(self, client: Client) -> None:
        """Put two of it into the cart."""
        client.send("GET", "/products")
        client.send("GET", "/cart")
        if self.page:
            client.send("POST", "/cart", b"product_id=3&quantity=2", FORM)
        else:
            client.json("POST", "/cart", {"product_id": 3, "quantity": 2})
        client.send("GET", "/cart")


def test_what_adds_up() -> None:
    """At least what was sent is there, and another number than before."""
    case, used = recorded(Cart(), Cart().session), Cart()
    assert [colour(replayed(case, used)) for _ in range(3)] == ["GREEN"] * 3
    assert used.held == {"3": 6}
    used.works = False
    assert colour(replayed(case, used)) == "told"
    assert colour(replayed(case, Cart(works=False))) == "red"


def test_a_sum_on_a_page() -> None:
    """Whatever it was: it is another one now."""
    case, used = recorded(Cart(page=True), Cart(page=True).session), Cart(page=True)
    assert [colour(replayed(case, used)) for _ in range(3)] == ["GREEN"] * 3
    assert used.held == {"3": 6}
    assert colour(replayed(case, Cart(page=True, works=False))) == "told"


@dataclass
class Bank:
    """Accounts between which money is sent."""

    works: bool = True
    balances: dict[str, int] = field(default_factory=lambda: {"1": 100, "2": 50})

    def answer(self, method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST" and self.works:
            sent = json.loads(body)
            self.balances[str(sent["from"])] -= sent["amount"]
            self.balances[str(sent["to"])] += sent["amount"]
        if method == "POST":
            return json_answer({"status": "accepted"})
        return json_answer([{"id": int(one), "balance": n} for one, n in self.balances.items()])


def test_what_is_sent_from_one_to_the_other() -> None:
    """Both are known by the ids that were sent, whatever the fields are called."""
    case = recorded(Bank(), three("/transfers", {"from": 1, "to": 2, "amount": 10}))
    used = Bank()
    assert [colour(replayed(case, used)) for _ in range(3)] == ["GREEN"] * 3
    assert used.balances == {"1": 70, "2": 80}
    assert colour(replayed(case, Bank(works=False))) == "told"


@dataclass
class Mail:
    """A message that is marked as read, or the other way round."""

    page: bool = False
    works: bool = True
    unread: set[int] = field(default_factory=lambda: {1, 2, 3})

    def answer(self, method: str, target: str, _body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST" and self.works:
            self.unread ^= {int(target.split("/")[2])}
        if method == "POST":
            return (303, {"Location": "/mail"}, "") if self.page else (204, {}, "")
        if self.page:
            return 200, HTML, f"<html><title>Mail</title><p>{len(self.unread)} unread mails</p>"
        return json_answer({"unread": len(self.unread), "mail": [{"id": n} for n in (1, 2, 3)]})


@pytest.mark.parametrize("page", [False, True])
def test_what_is_counted_the_other_way(page: bool) -> None:
    """A second run marks it as unread again, which is told."""

    def session(client: Client) -> None:
        client.send("GET", "/mail")
        client.send("POST", f"/mail/2/{'toggle' if page else 'read'}", b"", FORM)
        client.send("GET", "/mail")

    case, used = recorded(Mail(page), session), Mail(page)
    assert [colour(replayed(case, used)) for _ in range(3)] == ["GREEN", "told", "GREEN"]
    assert colour(replayed(case, Mail(page, works=False))) == "told"


def test_what_is_counted_both_ways() -> None:
    """Other users do so at the same time: that it is another number is all that can be said."""

    def session(client: Client) -> None:
        for _ in range(2):
            client.send("GET", "/mail")
            client.send("POST", "/mail/2/toggle", b"", FORM)
        client.send("GET", "/mail")

    case = recorded(Mail(), session)
    every = (one.outcome for each in case.transactions() for one in each.validators)
    names = [one.name for one in every if one is not None]
    assert names == ["unread is other than before"] * 2


@dataclass
class Calls:
    """Calls of JSON-RPC that are counted."""

    works: bool = True
    count: int = 0

    def answer(self, _method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        call = json.loads(body)
        is_read = call["method"] == "counter.get"
        self.count += self.works and not is_read
        result = {"value": self.count} if is_read else None
        return json_answer({"jsonrpc": "2.0", "id": call["id"], "result": result})


def test_calls_that_differ_by_their_numbers() -> None:
    """They ask for the same."""

    def session(client: Client) -> None:
        for number, method in enumerate(("counter.get", "counter.increment", "counter.get"), 1):
            client.json("POST", "/", {"jsonrpc": "2.0", "id": number, "method": method})

    case, used = recorded(Calls(), session), Calls()
    assert [colour(replayed(case, used)) for _ in range(2)] == ["GREEN", "GREEN"]
    assert colour(replayed(case, Calls(works=False))) == "told"


@dataclass
class Console:
    """Statements of SQL, all to one address."""

    rows: list[str] = field(default_factory=list)

    def answer(self, _method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        sql = dict(parse_qsl(body))["sql"]
        if sql.startswith("UPDATE"):
            self.rows = [f"{one}!" for one in self.rows]
        cells = "".join(f"<tr><td>{one}</td></tr>" for one in self.rows) + f"<p>{sql}</p>"
        return 200, HTML, f"<html><title>Result</title>{cells}</html>"


def test_what_was_asked_otherwise_before() -> None:
    """Nothing is compared with the answer to another statement."""

    def session(client: Client) -> None:
        for sql in ("SELECT name FROM tea", "UPDATE tea SET name = name || '!'", "SELECT * FROM t"):
            client.send("POST", "/query", urlencode({"sql": sql}).encode(), FORM)

    case = recorded(Console(rows=["Ceylon"]), session)
    assert colour(replayed(case, Console(rows=["Ceylon"]))) == "GREEN"


@dataclass
class Tags:
    """An item with tags, each once."""

    works: bool = True
    tags: list[str] = field(default_factory=lambda: ["hot"])

    def answer(self, method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST" and self.works:
            self.tags = [*dict.fromkeys([*self.tags, json.loads(body)["tag"]])]
        return json_answer({} if method == "POST" else [{"id": 1, "tags": self.tags}])


def test_one_of_a_list_of_texts() -> None:
    """A ``tag`` is one of the ``tags``."""

    def session(client: Client) -> None:
        client.send("GET", "/items")
        client.json("POST", "/items/1/tags", {"tag": "green"})
        client.send("GET", "/items")

    case = recorded(Tags(), session)
    assert [colour(replayed(case, Tags())) for _ in range(2)] == ["GREEN", "GREEN"]
    assert colour(replayed(case, Tags(works=False))) == "red"
