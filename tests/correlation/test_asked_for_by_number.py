"""Queries that ask for a thing by its number, in a field that is called as the thing and not an id.
Judged by the state of the server."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import chain
from urllib.parse import parse_qsl

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


@dataclass
class Board:
    """Views of a board, each with its notes; ``first`` of them is the session's."""

    first: int = 1
    notes: dict[int, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.notes |= {at: [f"Old note {at}"] for at in range(1, self.first)}

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        path, _, query = target.partition("?")
        asked = dict(parse_qsl(query))
        if path == "/api/views":
            number = max(self.notes, default=0) + 1
            self.notes[number] = []
            return json_answer({"id": number, **json.loads(body)}, 201)
        notes = (
            self.notes[int(asked["view"])] if "view" in asked else [*chain(*self.notes.values())]
        )
        if method == "POST":
            notes.append(json.loads(body)["text"])
        return json_answer({"notes": [{"text": one} for one in notes]})


def _session(client: Client) -> None:
    """Two views, with a note each."""
    for title in ("Green leaves", "Black leaves"):
        view = client.json("POST", "/api/views", {"title": title})["id"]
        client.json("GET", f"/api/notes?page=1&view={view}")
        client.json("POST", f"/api/notes?view={view}", {"text": f"About {title}"})
        client.json("GET", f"/api/notes?page=1&view={view}")


@pytest.mark.parametrize("first", [1, 2, 5])
def test_what_was_made_is_asked_for(first: int) -> None:
    """On a new server, and on one where others' views have the recorded numbers."""
    case = recorded(Board(), _session)

    office = Board(first)
    seen = replayed(case, office)
    assert (colour(seen), failures(seen)) == ("GREEN", [])
    own = [notes for number, notes in office.notes.items() if number >= first]
    assert own == [["About Green leaves"], ["About Black leaves"]]
    assert all(len(office.notes[at]) == 1 for at in range(1, first))


def test_a_switch_is_no_number() -> None:
    """A field that was sent before there was such a thing says something else."""

    def session(client: Client) -> None:
        client.json("GET", "/api/notes?views=1")
        client.json("POST", "/api/views?views=1", {"title": "Green leaves"})
        client.json("GET", "/api/notes?views=1")

    case = recorded(Board(), session)
    assert [one.request.target for one in case.transactions()][-1] == "/api/notes?views=1"
