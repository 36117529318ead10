"""An interface whose paths say of what kind a thing is, and then what is done to any (`obj`,
`nodes`, `connect`); its numbers are long, as those of PostgreSQL's objects. Judged by the state
of the server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


@dataclass
class Catalogue:
    """Databases with tables, by their numbers. ``deaf``: nothing is dropped."""

    first: int = 16384
    deaf: bool = False
    names: dict[int, tuple[int, str]] = field(default_factory=dict)
    connected: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        for number in range(16384, self.first):
            self.names[number] = (0, f"old {number}")

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        _, _, kind, done, *numbers = target.split("/")
        of = [int(one) for one in numbers if one]
        if done == "connect":
            self.connected.add(of[-1])
            return json_answer({"success": 1})
        if kind == "table" and not self.connected & {*of}:
            return json_answer({"success": 0, "error": "It is not connected."}, 503)
        if done == "nodes":
            return json_answer({"data": [*self._nodes(kind, of[-1] if kind == "table" else 0)]})
        if method == "DELETE":
            if not self.deaf:
                del self.names[of[-1]]
            return json_answer({"success": 1})
        number = max(self.names, default=self.first - 1) + 1
        self.names[number] = (of[-1] if kind == "table" else 0, json.loads(body)["name"])
        return json_answer({"node": self._node(kind, number)})

    def _nodes(self, kind: str, parent: int) -> Iterator[dict[str, object]]:
        return (self._node(kind, at) for at, (of, _) in self.names.items() if of == parent)

    def _node(self, kind: str, number: int) -> dict[str, object]:
        parent, name = self.names[number]
        return {"id": f"{kind}_{number}", "label": name, "_id": number, "_pid": parent or 1}


def session(client: Client) -> None:
    """A database with three tables, of which one is dropped."""
    client.json("GET", "/browser/database/nodes/1/1/")
    made = client.json("POST", "/browser/database/obj/1/1/", {"name": "tea_house"})
    number = made["node"]["_id"]
    client.json("GET", "/browser/database/nodes/1/1/")
    client.json("POST", f"/browser/database/connect/1/1/{number}", {})
    last = 0
    for name in ("cups", "plates", "spoons"):
        made = client.json("POST", f"/browser/table/obj/1/1/{number}/", {"name": name})
        client.json("GET", f"/browser/table/nodes/1/1/{number}/")
        last = made["node"]["_id"] if name != "spoons" else last
    client.json("DELETE", f"/browser/table/obj/1/1/{number}/{last}")
    client.json("GET", f"/browser/table/nodes/1/1/{number}/")


def _own(office: Catalogue) -> list[str]:
    return [name for at, (_, name) in office.names.items() if at >= office.first]


def test_long_numbers_are_those_of_the_session() -> None:
    """Whatever the paths say that is done; also where others have had the recorded ones."""
    office = Catalogue()
    case = recorded(office, session)
    wanted = _own(office)
    assert wanted == ["tea_house", "cups", "spoons"]
    for first in (16384, 16400):
        again = Catalogue(first)
        seen = replayed(case, again)
        assert (failures(seen), colour(seen)) == ([], "GREEN")
        assert _own(again) == wanted
        assert len(again.names) == first - 16384 + 3


def test_what_is_not_dropped_is_red() -> None:
    """The list has its number still."""
    case = recorded(Catalogue(), session)
    said = failures(replayed(case, Catalogue(deaf=True)))
    assert any("DELETE" in one and "did not take effect" in one for one in said), said
