"""Texts in a list, of which each begins with a name and ends in a code, as aptly has its packages:
the list has no order."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass, field

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import failures, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


@dataclass
class Depot:
    """Packages of each name; another server has them in another order, and with other codes."""

    salt: str = ""
    turns: int = 0
    packages: list[str] = field(default_factory=list)
    chosen: list[str] = field(default_factory=list)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if target == "/packages" and method == "POST":
            name = json.loads(body)["name"]
            code = hashlib.md5(f"{self.salt}{name}".encode()).hexdigest()[:16]
            self.packages.append(f"Pall {name} 0.3 {code}")
            return json_answer({"ok": True})
        if method == "POST":
            found = [one for one in json.loads(body)["refs"] if one in self.packages]
            self.chosen += found
            return json_answer({"chosen": len(found)}, 200 if found else 404)
        at = self.turns % max(len(self.packages), 1)
        return json_answer(self.packages[at:] + self.packages[:at])


def _session(client: Client) -> None:
    for name in ("green-tea", "kettle", "white-tea"):
        client.json("POST", "/packages", {"name": name})
    listed = json.loads(client.send("GET", "/packages").text)
    client.json("POST", "/chosen", {"refs": [one for one in listed if "kettle" in one]})


@pytest.mark.promise(26)
@pytest.mark.parametrize("recorded_at", range(3))
@pytest.mark.parametrize("turns", range(3))
def test_text_in_a_list(recorded_at: int, turns: int) -> None:
    """The text is found by what it begins with, wherever it stands."""
    case = recorded(Depot("recorded", recorded_at), _session)
    depot = Depot(f"another {random.random()}", turns)
    assert failures(replayed(case, depot)) == []
    assert [one.split()[1] for one in depot.chosen] == ["kettle"]
