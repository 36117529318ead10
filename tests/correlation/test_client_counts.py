"""Numbers that a client makes up by counting what it sees: on a server that others have used, they
are somebody else's."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded

_ITEMS = "/api/items"


@dataclass
class Shelf:
    """Items that are put under the number that the client says."""

    first: int = 1
    items: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.items |= {at: f"Old {at}" for at in range(1, self.first)}

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "PUT":
            self.items[int(target.rpartition("/")[2])] = json.loads(body)["title"]
            return json_answer({"ok": True})
        return json_answer([{"id": at, "title": one} for at, one in self.items.items()])

    def session(self, client: Client) -> None:
        """Two more items, each under the next number."""
        client.send("GET", _ITEMS)
        for title in ("Tea House", "Cups Ltd"):
            next_ = max(self.items, default=0) + 1
            client.json("PUT", f"{_ITEMS}/{next_}", {"title": title})
            client.send("GET", _ITEMS)


@pytest.mark.promise(26)
@pytest.mark.parametrize("first", [1, 3])
def test_somebody_elses_number(first: int) -> None:
    """What would be written over is told; where nothing is there yet, nothing is."""
    case = recorded(shelf := Shelf(first), shelf.session)
    assert colour(replayed(case, Shelf(first))) == "GREEN"
    observed = replayed(case, Shelf(first=9))
    assert (colour(observed), failures(observed)) == ("told", [])
    told = [one.not_as_recorded for one in observed.responses if one.not_as_recorded]
    assert len(told) == 2
    assert all(f"number {first + at} is not yet listed" in one for at, one in enumerate(told))
