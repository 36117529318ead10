"""Things that are moved within a list: which others are meant, and whether it was done. Judged by
the state of the server."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest

from pytest_loadtool.model.exchange import Exchange
from tests.correlation.client import Client
from tests.correlation.exchanges import exchange, json_body
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded
from tests.correlation.talk import call, get, requests, run


@dataclass
class Items:
    """Items in an order of their own, in JSON or on a page; others' come first."""

    way: str
    is_page: bool
    works: bool = True
    others: int = 0
    items: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.items += [(at, f"Old {at}") for at in range(1, self.others + 1)]

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        sent: dict[str, Any] = json.loads(body) if body[:1] == "{" else dict(parse_qsl(body))
        done = (303, {"Location": "/items"}, "") if self.is_page else json_answer({"ok": True})
        if method == "POST" and target == "/items":
            self.items.append((len(self.items) + 1, sent["title"]))
            return done
        if method != "GET":
            if self.works:
                self._move(target, sent)
            return done
        if not self.is_page:
            return json_answer([{"id": id_, "title": title} for id_, title in self.items])
        rows = "".join(
            f"<li><b>{title}</b><a href='/items/{id_}/up'>Up</a></li>" for id_, title in self.items
        )
        return 200, HTML, f"<html><title>Items</title><ul>{rows}</ul></html>"

    def _move(self, target: str, sent: dict[str, Any]) -> None:
        if "ids" in sent:
            places = {id_: at for at, id_ in enumerate(sent["ids"])}
            self.items.sort(key=lambda one: places.get(one[0], -1))
            return
        ids = [id_ for id_, _ in self.items]
        at = ids.index(int(target.split("/")[2]))
        one = self.items.pop(at)
        if "after" in sent:
            new = [id_ for id_, _ in self.items].index(sent["after"]) + 1
        else:
            new = sent["position"] if "position" in sent else at - 1
        self.items.insert(new, one)

    def session(self, client: Client) -> None:
        """Three are made, and one of them is moved, or all."""
        client.send("GET", "/items")
        for title in ("Tea House", "Cups & Co", "Spoons Ltd"):
            client.send("POST", "/items", urlencode({"title": title}).encode(), FORM)
            client.send("GET", "/items")
        first, second, third = (id_ for id_, _ in self.items[-3:])
        match self.way:
            case "up":
                client.send("POST", f"/items/{third}/up", b"go=1", FORM)
            case "position":
                client.json("PATCH", f"/items/{third}", {"position": 0})
            case "after":
                client.json("POST", f"/items/{first}/move", {"after": third})
            case _:
                client.json("PUT", "/order", {"ids": [third, first, second]})
        client.send("GET", "/items")

    def left(self) -> list[str]:
        """What the session has left."""
        return [title for _, title in self.items if not title.startswith("Old")]


@pytest.mark.parametrize("is_page", [False, True], ids=["json", "page"])
@pytest.mark.parametrize("way", ["up", "position", "after", "order"])
def test_moved(way: str, is_page: bool) -> None:
    """It is red where nothing was moved, and right where others' items are there."""
    office = Items(way, is_page)
    case = recorded(office, office.session)
    for others in (0, 7):
        used = Items(way, is_page, others=others)
        assert colour(replayed(case, used)) == "GREEN"
        assert used.left() == office.left()
    assert colour(replayed(case, Items(way, is_page, works=False))) == "red"


def _listed(*ids: int) -> Exchange:
    return json_body([{"id": one, "title": f"Tea {one}"} for one in ids])


def test_those_that_were_moved() -> None:
    """What a call moves are the items that alone have another place afterwards, be they sent in
    another order; the same number in the same place of such a call is the same item. An answer
    without content in between says nothing."""
    configured = run(
        get("/queue", _listed(2, 1, 4, 5, 6)),
        call("POST", "/rpc", {"method": "edit", "params": ["Top", "0", [6, 2]]}),
        get("/queue", exchange(status=304)),
        get("/queue", _listed(2, 6, 1, 4, 5)),
        call("POST", "/rpc", {"method": "edit", "params": ["Pause", "", [2, 6]]}),
        call("POST", "/rpc", {"method": "edit", "params": ["Pause", "", [4]]}),
    )
    sent = [one.rpartition('", ')[2] for one in requests(configured) if "rpc" in one]
    assert sent == [
        "[${params[1]}, ${params[2]}]]}",
        "[${params[2]}, ${params[1]}]]}",
        "[4]]}",
    ]
