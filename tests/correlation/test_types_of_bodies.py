"""Bodies of JSON that say to be something else, or nothing, and answers that are JSON in another
way: of clients and servers whose authors named the wrong type, or none. Judged by the state of the
server."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from pytest_loadtool.model.case import TestCase
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


@dataclass
class Torrents:
    """What is added has a number, by which it is removed."""

    works: bool = True
    written: Callable[[Any], Answer] = json_answer
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
            return self.written({"added": {"id": self.add(sent["name"])}})
        if target == "/remove" and self.works:
            for one in sent["ids"]:
                self.items.pop(one, None)
        items = [{"id": id_, "name": name} for id_, name in self.items.items()]
        return self.written({"torrents": items} if target == "/" else {})


def session(client: Client, kind: str = "application/json") -> None:
    """Three are added, and the last is removed."""

    def send(target: str, value: object) -> None:
        client.send("POST", target, json.dumps(value).encode(), {"Content-Type": kind})

    client.send("GET", "/")
    for name in ("tea.iso", "cups.iso", "spoons.iso"):
        send("/add", {"name": name})
        client.send("GET", "/")
    send("/remove", {"ids": [3]})
    client.send("GET", "/")


def is_right(case: TestCase, written: Callable[[Any], Answer] = json_answer) -> bool:
    """Whether on a server that was used before its own is removed, and it is red where nothing
    is."""
    used = Torrents(written=written)
    for number in range(4):
        used.add(f"old {number}")
    green = colour(replayed(case, used)) == "GREEN"
    right = [*used.items.values()][-3:] == ["old 3", "tea.iso", "cups.iso"]
    undone = colour(replayed(case, Torrents(works=False, written=written)))
    return green and right and undone == "red"


@pytest.mark.parametrize(
    "kind",
    [
        *("json", "text/javascript", "application/octet-stream", "*/*"),
        # What curl and jQuery say by themselves of any text.
        *("application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=UTF-8"),
    ],
)
def test_json_by_another_name(kind: str) -> None:
    """Its ids are found."""
    assert is_right(recorded(Torrents(), partial(session, kind=kind)))


def typed(kind: str, before: str = "") -> Callable[[Any], Answer]:
    """Answers of that type, behind such a text."""
    return lambda body: (200, {"Content-Type": kind}, before + json.dumps(body))


@pytest.mark.parametrize(
    "written",
    [
        typed("application/octet-stream"),
        typed("application/x-javascript"),
        typed("application/json", before="\ufeff"),
        lambda body: json_answer(json.dumps(body)),
        lambda body: json_answer({"d": json.dumps(body)}),
    ],
    ids=["octets", "a script", "behind a byte order mark", "twice", "twice, as ASP.NET does"],
)
def test_answers(written: Callable[[Any], Answer]) -> None:
    """So they are in answers."""
    assert is_right(recorded(Torrents(written=written), session), written)
