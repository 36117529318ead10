"""Ids in requests that do not say what they are the ids of, on a server that has others' things:
judged by the state of the server."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


@dataclass
class Notes:
    """Notes that are toggled and removed by requests which have their id alone."""

    how: str
    works: bool = True
    first: int = 1
    notes: dict[int, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at in range(1, self.first):
            self.notes[at] = {"id": at, "title": f"Old {at}", "done": False}

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "GET":
            return json_answer(list(self.notes.values()))
        sent = json.loads(body)
        if target == "/notes":
            made = max(self.notes, default=0) + 1
            self.notes[made] = {"id": made, "title": sent["title"], "done": False}
            return json_answer({"ok": True})
        id_ = sent[0] if isinstance(sent, list) else sent["id"]
        if id_ not in self.notes:
            return json_answer({"error": "there is no such note"}, 404)
        if self.works and target.endswith("remove"):
            del self.notes[id_]
        elif self.works:
            self.notes[id_]["done"] = not self.notes[id_]["done"]
        return json_answer({"ok": True})

    def session(self, client: Client) -> None:
        """Three are made; the second is toggled, the third removed."""
        client.send("GET", "/notes")
        for title in ("Tea House", "Cups Ltd", "Spoon & Co"):
            client.json("POST", "/notes", {"title": title})
            client.send("GET", "/notes")
        made = [*self.notes][-3:]
        client.json("POST", f"/{self.how}toggle", {"id": made[1]})
        client.send("GET", "/notes")
        client.json("POST", f"/{self.how}remove", {"id": made[2]})
        client.send("GET", "/notes")

    def left(self) -> list[tuple[str, bool]]:
        """What the session has left."""
        return [(one["title"], one["done"]) for one in self.notes.values()][self.first - 1 :]


_LEFT = [("Tea House", False), ("Cups Ltd", True)]


@pytest.mark.parametrize("how", ["", "?/", "api/"], ids=["word", "query", "api"])
def test_what_a_change_was_about(how: str) -> None:
    """It is the thing that alone is another one afterwards."""
    office = Notes(how)
    case = recorded(office, office.session)
    for first in (1, 40):
        used = Notes(how, first=first)
        assert colour(replayed(case, used)) == "GREEN"
        assert used.left() == _LEFT
        assert all(not one["done"] for one in [*used.notes.values()][: first - 1])
    assert colour(replayed(case, Notes(how, works=False))) == "red"


@dataclass
class Torrents:
    """Calls with ``arguments``, as Transmission has them: all go to one address."""

    works: bool = True
    first: int = 1
    torrents: dict[int, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at in range(1, self.first):
            self.torrents[at] = {"id": at, "name": f"old {at}", "priority": 0, "limit": 100}

    def answer(self, _method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        call = json.loads(body)
        sent, result = call["arguments"], dict[str, Any]()
        match call["method"]:
            case "torrent-add":
                made = max(self.torrents, default=0) + 1
                new = {"id": made, "name": sent["name"], "priority": 0, "limit": 100}
                self.torrents[made] = new
                result = {"torrent-added": {"id": made, "name": sent["name"]}}
            case "torrent-get":
                asked = sent.get("ids", [*self.torrents])
                result = {"torrents": [self.torrents[one] for one in asked]}
            case "torrent-set" if self.works:
                change = {name: one for name, one in sent.items() if name != "ids"}
                for one in sent["ids"]:
                    self.torrents[one].update(change)
            case "torrent-remove" if self.works:
                for one in sent["ids"]:
                    self.torrents.pop(one, None)
        return json_answer({"arguments": result, "result": "success", "tag": call["tag"]})

    def session(self, client: Client) -> None:
        """Three are added; the second and the first are changed, the third is removed."""

        def call(method: str, **arguments: Any) -> None:
            body = {"method": method, "arguments": arguments, "tag": 7}
            client.json("POST", "/transmission/rpc", body)

        call("torrent-get", fields=["id"])
        for name in ("tea.txt", "cups.txt", "spoon.txt"):
            call("torrent-add", name=name)
            call("torrent-get", fields=["id"])
        first, second, third = [*self.torrents][-3:]
        call("torrent-set", ids=[second], priority=1)
        call("torrent-get", fields=["id"], ids=[second])
        call("torrent-set", ids=[first], limit=55)
        call("torrent-get", fields=["id"])
        call("torrent-remove", ids=[third])
        call("torrent-get", fields=["id"])


def test_calls_with_arguments() -> None:
    """The method says what a call is about and whether it changes anything; that a priority is as
    large as an id makes it none."""
    office = Torrents()
    case = recorded(office, office.session)
    for first in (1, 40):
        used = Torrents(first=first)
        assert colour(replayed(case, used)) == "GREEN"
        assert [*used.torrents.values()][first - 1 :] == [
            {"id": first, "name": "tea.txt", "priority": 0, "limit": 55},
            {"id": first + 1, "name": "cups.txt", "priority": 1, "limit": 100},
        ]
        assert all(one["limit"] == 100 for one in [*used.torrents.values()][: first - 1])
    assert colour(replayed(case, Torrents(works=False))) == "red"
