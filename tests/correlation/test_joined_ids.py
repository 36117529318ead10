"""Ids of several things in one value, as keys of relations have them. Judged by the state of the
server."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


@dataclass
class Club:
    """Groups and people, each with numbers of their own, and who is in which group."""

    sign: str
    in_body: bool = False
    first: int = 1
    works: bool = True
    names: dict[tuple[str, int], str] = field(default_factory=dict)
    members: list[tuple[int, int]] = field(default_factory=list)
    numbers: dict[str, Iterator[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.numbers = {
            "groups": itertools.count(self.first),
            "people": itertools.count(self.first),
        }
        for _ in range(min(self.first - 1, 2)):  # of other people
            self.members.append((self.made("groups", "Old"), self.made("people", "Odo")))

    def made(self, kind: str, name: str) -> int:
        """The number of a new one."""
        id_ = next(self.numbers[kind])
        self.names[kind, id_] = name
        return id_

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        _, kind, *rest = unquote(target).split("/")
        if method == "GET":
            return json_answer(
                [
                    {"group": self.names["groups", group], "who": self.names["people", who]}
                    for group, who in self.members
                ]
            )
        said = json.loads(body) if body else {}
        if kind != "members":
            return json_answer({"id": self.made(kind, said["name"])}, 201)
        if "group" in said:
            self.members.append((said["group"], said["person"]))
            return json_answer({"ok": True}, 201)
        group, who = map(int, re.split(r"\D", said["member"] if self.in_body else rest[0]))
        if (group, who) not in self.members:
            return json_answer({"message": "not in there"}, 404)
        if self.works:
            self.members.remove((group, who))
        return json_answer({"ok": True})

    def session(self, client: Client) -> None:
        """Two groups and two people, who are in both; then one leaves one of them."""
        ids = []
        for kind, name in (
            ("people", "Anna"), ("groups", "Tea House"), ("groups", "Cups Ltd"), ("people", "Bo"),
        ):  # fmt: skip
            client.json("POST", f"/{kind}", {"name": name})
            ids.append(max(id_ for one, id_ in self.names if one == kind))
        anna, tea, cups, bo = ids
        for group, who in ((tea, anna), (cups, anna), (tea, bo)):
            client.json("POST", "/members", {"group": group, "person": who})
        client.send("GET", "/members")
        joined = f"{cups}{self.sign}{anna}"
        if self.in_body:
            client.json("POST", "/members/leave", {"member": joined})
        else:
            client.send("DELETE", f"/members/{quote(joined)}")
        client.send("GET", "/members")


@pytest.mark.parametrize("in_body", [False, True], ids=["path", "field"])
@pytest.mark.parametrize("sign", ["_", "-", ":", ",", "|"])
def test_who_leaves(sign: str, in_body: bool) -> None:
    """The right one leaves the right group, on a used server, too."""
    club = Club(sign, in_body)
    case = recorded(club, club.session)
    for first in (1, 71):
        used = Club(sign, in_body, first)
        old = used.members[:]
        assert colour(replayed(case, used)) == "GREEN"
        who = [
            (used.names["groups", group], used.names["people", who]) for group, who in used.members
        ]
        assert who == [("Old", "Odo")] * len(old) + [("Tea House", "Anna"), ("Tea House", "Bo")]
    assert colour(replayed(case, Club(sign, in_body, works=False))) in ("red", "told")
