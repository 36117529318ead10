"""What people do to the things in a list, in JSON and on pages: right on a used server, and red
where nothing was done. Judged by the state of the server."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded

_PEOPLE = {1: "ann", 2: "bob", 3: "eve"}
_SENT = tuple[str, dict[str, Any]]


@dataclass
class Items:
    """Items with a number, tags and somebody who cares for them."""

    action: str
    is_page: bool
    works: bool = True
    others: int = 0
    items: dict[int, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at in range(1, self.others + 1):
            self.make(f"Old {at}")

    def make(self, title: str) -> None:
        """Make one."""
        made = max(self.items, default=0) + 1
        self.items[made] = {"title": title, "tags": [], "to": 1, "left": 10}

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        sent: dict[str, Any] = json.loads(body) if body[:1] == "{" else dict(parse_qsl(body))
        if method == "POST" and target == "/items":
            self.make(sent["title"])
        elif method == "POST" and self.works:
            _ACTIONS[self.action][1](self, target, sent)
        if method == "POST":
            return (303, {"Location": "/items"}, "") if self.is_page else json_answer({"ok": True})
        if not self.is_page:
            return json_answer([{"id": id_, **one} for id_, one in self.items.items()])
        rows = "".join(map(_row, self.items, self.items.values()))
        words = "<p>Some words about items.</p>" * 40
        return 200, HTML, f"<html><title>Items</title>{words}<table>{rows}</table></html>"

    def session(self, client: Client) -> None:
        """Three are made, and something is done to some of them."""

        def send(target: str, sent: dict[str, Any]) -> None:
            if self.is_page:
                client.send("POST", target, urlencode(sent).encode(), FORM)
            else:
                client.json("POST", target, sent)
            client.send("GET", "/items")

        client.send("GET", "/items")
        for title in ("Tea House", "Cups Ltd", "Spoon Co"):
            send("/items", {"title": title})
        for target, sent in _ACTIONS[self.action][0]([*self.items][-3:]):
            send(target, sent)

    def left(self) -> list[dict[str, Any]]:
        """What the session has left, of its own."""
        return [one for one in self.items.values() if not one["title"].startswith("Old")]


def _row(id_: int, one: dict[str, Any]) -> str:
    tags = " ".join(f'<span class="tag">{tag}</span>' for tag in one["tags"])
    people = "".join(
        f'<option value="{at}"{" selected" if at == one["to"] else ""}>{name}</option>'
        for at, name in _PEOPLE.items()
    )
    form = f'<form action="/items/{id_}/assign"><select name="to">{people}</select></form>'
    cells = (escape(one["title"]), one["left"], tags, _PEOPLE[one["to"]], form)
    edit = f'<a href="/items/{id_}/edit">Edit</a>'
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}<td>{edit}</td></tr>"


def _of(server: Items, target: str) -> dict[str, Any]:
    return server.items[int(target.split("/")[2])]


def _copy(server: Items, target: str, _: dict[str, Any]) -> None:
    one = deepcopy(_of(server, target))
    server.items[max(server.items) + 1] = {**one, "title": f"{one['title']} (copy)"}


def _import(server: Items, _: str, sent: dict[str, Any]) -> None:
    for line in sent["text"].splitlines():
        server.make(line)


def _merge(server: Items, target: str, sent: dict[str, Any]) -> None:
    gone = server.items.pop(int(target.split("/")[2]))
    server.items[int(sent["into"])]["left"] += gone["left"]


def _move(server: Items, _: str, sent: dict[str, Any]) -> None:
    server.items[int(sent["src"])]["left"] -= int(sent["amount"])
    server.items[int(sent["dst"])]["left"] += int(sent["amount"])


def _assign(server: Items, target: str, sent: dict[str, Any]) -> None:
    _of(server, target)["to"] = int(sent["to"])


def _assign_many(server: Items, _: str, sent: dict[str, Any]) -> None:
    for one in str(sent["ids"]).split(","):
        server.items[int(one)]["to"] = int(sent["to"])


def _tag(server: Items, target: str, sent: dict[str, Any]) -> None:
    tags = _of(server, target)["tags"]
    if target.endswith("untag"):
        tags.remove(sent["tag"])
    else:
        tags.append(sent["tag"])


def _add(server: Items, target: str, sent: dict[str, Any]) -> None:
    _of(server, target)["left"] += int(sent.get("by", 1))


def _shout(server: Items, target: str, _: dict[str, Any]) -> None:
    one = _of(server, target)
    one["title"] = one["title"].upper()


#: What is sent, of the ids of three items, and what it does.
_ACTIONS: dict[
    str, tuple[Callable[[Sequence[int]], list[_SENT]], Callable[[Items, str, dict[str, Any]], None]]
] = {
    "copy": (lambda ids: [(f"/items/{ids[1]}/duplicate", {"go": "1"})], _copy),
    "import": (lambda _: [("/import", {"text": "Kettle Inc\nLemon Bros\n"})], _import),
    "merge": (lambda ids: [(f"/items/{ids[2]}/merge", {"into": ids[0]})], _merge),
    "move": (lambda ids: [("/move", {"src": ids[0], "dst": ids[1], "amount": "3"})], _move),
    "assign": (lambda ids: [(f"/items/{ids[1]}/assign", {"to": 2})], _assign),
    "assign many": (lambda ids: [("/many", {"ids": f"{ids[0]},{ids[2]}", "to": 3})], _assign_many),
    "tag": (lambda ids: [(f"/items/{ids[1]}/tag", {"tag": "urgent"})], _tag),
    "untag": (
        lambda ids: [(f"/items/{ids[1]}/{how}", {"tag": "urgent"}) for how in ("tag", "untag")],
        _tag,
    ),
    "add": (lambda ids: [(f"/items/{ids[1]}/add", {"go": "1"})], _add),
    "shout": (lambda ids: [(f"/items/{ids[1]}/shout", {"go": "1"})], _shout),
}
#: Where it is told, and not red, that nothing was done: numbers that others may count, too.
_TOLD = {("move", False), ("add", False)}


@pytest.mark.parametrize("is_page", [False, True], ids=["json", "page"])
@pytest.mark.parametrize("action", _ACTIONS)
def test_actions(action: str, is_page: bool) -> None:
    """Each is done to what the session has made, and was done."""
    case = recorded(office := Items(action, is_page), office.session)
    for others in (0, 6):
        used = Items(action, is_page, others=others)
        assert colour(replayed(case, used)) == "GREEN"
        assert used.left() == office.left()
    nothing = colour(replayed(case, Items(action, is_page, works=False)))
    assert nothing == ("told" if (action, is_page) in _TOLD else "red")
