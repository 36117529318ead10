"""Changes of a list whose address says at which place, as Caddy's configuration has them: a client
has counted, and on a server that others use the places are theirs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


@dataclass
class Configuration:
    """A document of JSON whose values are read and changed by the way to them."""

    routes: list[dict[str, Any]] = field(default_factory=lambda: [_route("/base", "base")])

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        where: Any = {"config": {"routes": self.routes}}
        *way, last = target.strip("/").split("/")
        try:
            for one in way:
                where = where[int(one)] if isinstance(where, list) else where[one]
            key = int(last) if isinstance(where, list) else last
            if method == "GET":
                return json_answer(where[key])
            sent = json.loads(body) if body else None
            if method == "POST":
                where[key].append(sent)
            elif method == "DELETE":
                del where[key]
            elif method == "PUT":
                where.insert(key, sent)
            else:
                where[key] = sent
        except (KeyError, IndexError, ValueError):
            return json_answer({"error": "no such place"}, 404)
        return json_answer({})


def _route(path: str, body: str) -> dict[str, Any]:
    return {"match": [{"path": [path]}], "handle": [{"body": body}]}


def _session(client: Client) -> None:
    """Three routes, of which one is edited, one goes, and one comes in between."""
    where = "/config/routes"
    client.send("GET", where)
    for name in ("tea", "cups", "water"):
        client.json("POST", where, _route(f"/{name}", f"all about {name}"))
    client.send("GET", where)
    client.json("PATCH", f"{where}/1/handle/0/body", "white tea")
    client.send("GET", where)
    client.send("DELETE", f"{where}/3")
    client.send("GET", where)
    client.json("PUT", f"{where}/2", _route("/spoons", "big spoons"))
    client.send("GET", where)


@pytest.mark.promise(26)
def test_counted_places() -> None:
    """On a new server all is as recorded; where others have routes, the run is red: it changes
    theirs."""
    case = recorded(Configuration(), _session)
    new = Configuration()
    assert failures(replayed(case, new)) == []
    assert [one["handle"][0]["body"] for one in new.routes] == [
        *("base", "white tea", "big spoons", "all about cups")
    ]
    used = Configuration([_route("/old", "old"), _route("/base", "base"), _route("/new", "new")])
    observed = replayed(case, used)
    assert colour(observed) == "red"
    assert any("is at place 1" in one for one in failures(observed))


@dataclass
class Numbered:
    """Things with ids that are numbers, which look like places."""

    names: dict[int, str] = field(default_factory=lambda: {1: "Cups", 2: "Pots"})

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        rest = target.split("/")[2:]
        if method != "GET":
            self.names[int(rest[0])] = json.loads(body)["name"]
        return json_answer([{"id": id_, "name": name} for id_, name in self.names.items()])


@pytest.mark.promise(26)
def test_ids_are_no_places() -> None:
    """A number that an item of the list has is its id, wherever it stands."""

    def session(client: Client) -> None:
        client.send("GET", "/things")
        client.json("PUT", "/things/1", {"name": "Small cups"})
        client.send("GET", "/things")

    case = recorded(Numbered(), session)
    assert not any(
        "at place" in one.outcome.name
        for transaction in case.transactions()
        for one in transaction.validators
        if one.outcome is not None
    )
