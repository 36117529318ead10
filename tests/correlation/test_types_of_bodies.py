"""Bodies of JSON that say to be something else, or nothing: what clients send whose authors named
the wrong type, or none. Judged by the state of the server."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


@dataclass
class Torrents:
    """What is added has a number, by which it is removed."""

    works: bool = True
    items: dict[int, str] = field(default_factory=dict)
    last: int = 0

    def add(self, name: str) -> int:
        """Add one."""
        self.last += 1
        self.items[self.last] = name
        return self.last

    def answer(self, _method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        sent = json.loads(body) if body else {}
        if target == "/add":
            return json_answer({"added": {"id": self.add(sent["name"])}})
        if target == "/remove" and self.works:
            for one in sent["ids"]:
                self.items.pop(one, None)
        items = [{"id": id_, "name": name} for id_, name in self.items.items()]
        return json_answer({"torrents": items} if target == "/" else {})


@pytest.mark.parametrize(
    "kind",
    [
        *("json", "text/javascript", "application/octet-stream", "*/*"),
        # What curl and jQuery say by themselves of any text.
        *("application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=UTF-8"),
    ],
)
def test_json_by_another_name(kind: str) -> None:
    """On a server that was used before, its own is removed."""

    def session(client: Client) -> None:
        def send(target: str, value: object) -> None:
            client.send("POST", target, json.dumps(value).encode(), {"Content-Type": kind})

        client.send("GET", "/")
        for name in ("tea.iso", "cups.iso", "spoons.iso"):
            send("/add", {"name": name})
            client.send("GET", "/")
        send("/remove", {"ids": [3]})
        client.send("GET", "/")

    case, used = recorded(Torrents(), session), Torrents()
    for number in range(4):
        used.add(f"old {number}")
    assert colour(replayed(case, used)) == "GREEN"
    assert [*used.items.values()][-3:] == ["old 3", "tea.iso", "cups.iso"]
    assert colour(replayed(case, Torrents(works=False))) == "red"
