"""Things that are linked by their ids: ``PUT /books/7/topics/2``, ``PUT /books/7/topics`` with a
list, and verbs that are sent by GET. Judged by the state of the server."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded

_Thing = dict[str, Any]


@dataclass
class Shelf:
    """Books with topics and a writer, each numbered from 1 on; what ``broken`` begins is not
    done."""

    broken: str = ""
    others: int = 0
    things: dict[str, dict[int, _Thing]] = field(
        default_factory=lambda: {"book": {}, "topic": {}, "writer": {}}
    )

    def __post_init__(self) -> None:
        for kind, each in (("writer", 3), ("topic", 2), ("book", 5)):
            for at in range(self.others * each):
                self._make(kind, {"name": f"Old {kind} {at}"})

    def _make(self, kind: str, sent: _Thing) -> _Thing:
        own: _Thing = {"topics": [], "writer": None} if kind == "book" else {}
        id_ = max(self.things[kind], default=0) + 1
        self.things[kind][id_] = {"id": id_, **own, **sent}
        return self.things[kind][id_]

    def _shown(self, kind: str, one: _Thing) -> _Thing:
        """A book with the objects that it has; another thing with its books, as they are kept."""
        if kind == "book":
            writer = self.things["writer"].get(one["writer"])
            topics = [
                self.things["topic"][at] for at in one["topics"] if at in self.things["topic"]
            ]
            return one | {"topics": topics, "writer": writer}
        books = self.things["book"].values()
        own = [two for two in books if one["id"] in (two["writer"], *two["topics"])]
        return one | (
            {"books": [two | {"topics": None} for two in own]} if kind == "writer" else {}
        )

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        path, _, query = target.partition("?")
        kind, *rest = path.strip("/").split("/")
        things = self.things[kind]
        does = not (self.broken and f"{method} {path}".startswith(self.broken))
        sent: Any = json.loads(body) if body else dict(parse_qsl(query))
        if (method == "POST" and not rest) or rest == ["create"]:
            return json_answer(self._shown(kind, self._make(kind, sent)), 201)
        if not rest:
            return json_answer([self._shown(kind, one) for one in things.values()])
        if not rest[0].isdigit():  # a verb, by GET
            verb, id_ = rest[0], int(rest[1])
            one = things[id_]
            if does:
                things.pop(id_) if verb == "destroy" else one.update(sent)
            return json_answer(self._shown(kind, one))
        one = things[int(rest[0])]
        if method != "GET" and does:
            self._change(method, kind, one, rest[1:], sent)
        return json_answer(self._shown(kind, one))

    def _change(self, method: str, kind: str, one: _Thing, rest: list[str], sent: Any) -> None:
        if not rest:
            one.update(sent) if method == "PATCH" else self.things[kind].pop(one["id"])
        elif kind == "writer":
            self.things["book"][int(rest[1])]["writer"] = one["id"]
        elif len(rest) == 1:
            one["topics"] = list(sent)
        elif method == "DELETE":
            one["topics"].remove(int(rest[1]))
        else:
            one["topics"].append(int(rest[1]))

    def session(self, client: Client) -> None:
        """Books get topics and another writer; a topic is renamed and another one destroyed."""

        def ask(method: str, target: str, sent: Any = None) -> Any:
            if sent is None:
                return client.send(method, target).document()
            return client.json(method, target, sent)

        ann, bo = (ask("POST", "/writer", {"name": one})["id"] for one in ("Ann Brook", "Bo Crane"))
        tea, sea, sky = (
            ask("POST", "/topic", {"name": one})["id"] for one in ("Of tea", "Of seas", "Of skies")
        )
        ask("GET", "/topic")
        cups, waves = (
            ask("POST", "/book", {"name": name, "writer": one})["id"]
            for name, one in (("Cups", ann), ("Waves", bo))
        )
        ask("GET", "/book")
        ask("PUT", f"/book/{cups}/topics/{tea}")
        ask("GET", f"/book/{cups}")
        ask("PUT", f"/book/{waves}/topics", [sea, sky])
        ask("GET", f"/book/{waves}")
        ask("PUT", f"/writer/{ann}/books/{waves}")
        ask("GET", "/book")
        ask("GET", f"/writer/{ann}")
        ask("DELETE", f"/book/{waves}/topics/{sea}")
        ask("GET", f"/book/{waves}")
        new = ask("GET", "/topic/create?name=Of+rain")["id"]
        ask("GET", "/topic")
        ask("PUT", f"/book/{cups}/topics/{new}")
        ask("GET", f"/book/{cups}")
        ask("GET", f"/topic/update/{new}?name=Of+snow")
        ask("GET", "/topic")
        ask("GET", f"/topic/destroy/{sea}")
        ask("GET", "/topic")

    def left(self) -> list[Any]:
        """What sessions have left."""
        books = [self._shown("book", one) for one in self.things["book"].values()]
        return [
            *((one["name"], one["writer"]["name"], [two["name"] for two in one["topics"]])
              for one in books if not one["name"].startswith("Old")),
            *(one["name"] for one in self.things["topic"].values() if "Old" not in one["name"]),
        ]  # fmt: skip


def test_linked_by_ids() -> None:
    """Ids in a list without names are those of what the path ends in; of an answer to ``PUT
    /writer/1/books/2`` its id says whose it is; nothing that was an object is now its number; and a
    verb sent by GET makes, changes and destroys. On a new server, a second time and on a used
    one."""
    office = Shelf()
    case = recorded(office, office.session)
    for others in (0, 1):
        used = Shelf(others=others)
        for runs in (1, 2):
            assert colour(replayed(case, used)) == "GREEN"
            assert sorted(map(str, used.left())) == sorted(map(str, office.left() * runs))


@pytest.mark.parametrize(
    "broken",
    [
        *("PUT /book/1/topics/1", "PUT /book/2/topics", "PUT /writer", "DELETE /book/2/topics"),
        *("PUT /book/1/topics/4", "GET /topic/update", "GET /topic/destroy"),
    ],
)
def test_what_is_not_linked(broken: str) -> None:
    """It is red, whichever of them the server does not do."""
    office = Shelf()
    case = recorded(office, office.session)
    assert colour(replayed(case, Shelf(broken))) == "red"
