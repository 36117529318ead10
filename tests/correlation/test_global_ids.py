"""Relay's global ids, a kind and a number in base64, in lists of edges. Judged by the state of the
server."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


def _global(kind: str, number: int) -> str:
    return base64.b64encode(f"{kind}:{number}".encode()).decode()


@dataclass
class Boards:
    """Boards with tasks; the change called ``broken`` is not done."""

    broken: str = ""
    first: int = 1
    boards: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: count(7))

    def __post_init__(self) -> None:
        for at in range(1, self.first):
            self.boards[_global("Board", at)] = f"Old {at}"
            for number in (2 * at, 2 * at + 1):
                self._add(_global("Board", at), f"Old task {number}")

    def _add(self, board: str, text: str) -> str:
        id_ = _global("Task", next(self.numbers))
        self.tasks[id_] = {"board": board, "text": text, "done": False}
        return id_

    def _edges(self, board: str) -> dict[str, Any]:
        nodes = ({"id": id_, **one} for id_, one in self.tasks.items() if one["board"] == board)
        return {"edges": [{"node": one | {"board": None}} for one in nodes]}

    def answer(self, _: str, __: str, body: str) -> Answer:
        """What is answered to a request."""
        sent = json.loads(body)
        called = sent["query"].partition("{ ")[2].partition("(")[0]
        given = sent["variables"].get("input", sent["variables"])
        return json_answer({"data": {called: self._do(called, given)}})

    def _do(self, called: str, given: dict[str, Any]) -> Any:
        id_, done = given.get("id", ""), called != self.broken
        match called:
            case "boards":
                nodes = ({"id": one, "title": title} for one, title in self.boards.items())
                return {"edges": [{"node": one} for one in nodes]}
            case "node":
                return {"id": id_, "title": self.boards[id_], "tasks": self._edges(id_)}
            case "addBoard":
                made = _global("Board", len(self.boards) + 1)
                self.boards[made] = given["title"]
                return {"boardEdge": {"node": {"id": made, "title": given["title"]}}}
            case "addTask":
                made = self._add(given["boardId"], given["text"])
                return {"taskEdge": {"node": {"id": made, "text": given["text"]}}}
            case "changeStatus" if done:
                self.tasks[id_]["done"] = given["done"]
            case "moveTask" if done:
                self.tasks[id_]["board"] = given["toBoardId"]
            case "removeTasks" if done:
                self.tasks = {
                    id_: one for id_, one in self.tasks.items() if id_ not in given["ids"]
                }
        return {"clientMutationId": None}

    def session(self, client: Client) -> None:
        """Two boards with tasks: one is done, one moved, one removed."""

        def ask(kind: str, called: str, **variables: Any) -> Any:
            query = f"{kind} Q($a: A) {{ {called}(a: $a) {{ id }} }}"
            sent = {"input": variables} if kind == "mutation" else variables
            answer = client.json("POST", "/graphql", {"query": query, "variables": sent})
            return answer["data"][called]

        ask("query", "boards")
        tea, cups = (
            ask("mutation", "addBoard", title=one)["boardEdge"]["node"]["id"]
            for one in ("Tea house", "Cups")
        )
        ask("query", "boards")
        made = [
            ask("mutation", "addTask", boardId=board, text=text)["taskEdge"]["node"]["id"]
            for board, text in ((tea, "Boil water"), (tea, "Buy milk"), (cups, "Wash them"))
        ]
        for one in (tea, cups):
            ask("query", "node", id=one)
        ask("mutation", "changeStatus", id=made[0], done=True)
        ask("mutation", "moveTask", id=made[1], toBoardId=cups)
        for one in (cups, tea):
            ask("query", "node", id=one)
        ask("mutation", "removeTasks", ids=[made[2]])
        ask("query", "node", id=cups)

    def left(self) -> list[tuple[str, str, bool]]:
        """What sessions have left."""
        mine = (one for one in self.tasks.values() if not one["text"].startswith("Old"))
        return [(self.boards[one["board"]], one["text"], one["done"]) for one in mine]


def test_global_ids() -> None:
    """An id that says its kind is known wherever it was given out, and not by a title which an
    earlier run may have left: right on a new server, a second time and on a used one."""
    office = Boards()
    case = recorded(office, office.session)
    for first in (1, 6):
        used = Boards(first=first)
        for runs in (1, 2):
            assert colour(replayed(case, used)) == "GREEN"
            assert used.left() == office.left() * runs


@pytest.mark.parametrize("broken", ["changeStatus", "moveTask", "removeTasks"])
def test_what_is_not_done(broken: str) -> None:
    """It is red: what was moved is gone from the board where it was, not from another one."""
    office = Boards()
    case = recorded(office, office.session)
    assert colour(replayed(case, Boards(broken=broken))) == "red"
