"""JSON:API: ids that are texts, each beside the type of what it is the id of, in documents,
relationships and filters. Judged by the state of the server."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded

_Data = dict[str, Any]


@dataclass
class Api:
    """Projects with tasks that have tags, each numbered from 1 on; what is called ``broken`` is not
    done."""

    broken: str = ""
    others: int = 0
    numbers: Counter[str] = field(default_factory=Counter)
    things: dict[str, dict[str, _Data]] = field(
        default_factory=lambda: {"projects": {}, "tasks": {}, "tags": {}}
    )

    def __post_init__(self) -> None:
        for kind, each in (("projects", 4), ("tags", 3), ("tasks", 6)):
            for at in range(self.others * each):
                self._make(kind, {"attributes": {"name": f"Old {kind} {at}"}})

    def _make(self, kind: str, data: _Data) -> _Data:
        self.numbers[kind] += 1
        id_ = str(self.numbers[kind])
        related = {"project": {"data": None}, "tags": {"data": []}} if kind == "tasks" else {}
        self.things[kind][id_] = {
            "type": kind,
            "id": id_,
            "attributes": {"done": False, **data["attributes"]},
            "relationships": related | data.get("relationships", {}),
            "links": {"self": f"/{kind}/{id_}"},
        }
        return self.things[kind][id_]

    def _included(self, tasks: list[_Data]) -> list[_Data]:
        related = [each["data"] for one in tasks for each in one["relationships"].values()]
        lists = (one if isinstance(one, list) else [one] for one in related if one)
        found = {(one["type"], one["id"]) for each in lists for one in each}
        return [self.things[kind][id_] for kind, id_ in sorted(found) if id_ in self.things[kind]]

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        path, _, query = target.partition("?")
        kind, *rest = path.strip("/").split("/")
        sent: Any = json.loads(body)["data"] if body else None
        if method == "POST" and not rest:
            return json_answer({"data": self._make(kind, sent)}, 201)
        if not rest:
            project = dict(parse_qsl(query)).get("filter[project]")
            wanted = {"data": {"type": "projects", "id": project}} if project else None
            all_ = self.things[kind].values()
            found = [o for o in all_ if not wanted or o["relationships"]["project"] == wanted]
            return json_answer({"data": found, "included": self._included(found)})
        one = self.things[kind][rest[0]]
        if method == "GET":
            return json_answer({"data": one, "included": self._included([one])})
        if " ".join((method, kind, *rest[2:])) != self.broken:
            self._change(method, one, rest[2:], sent)
        return json_answer({"data": one}) if method == "PATCH" and not rest[1:] else (204, {}, "")

    def _change(self, method: str, one: _Data, related: list[str], sent: Any) -> None:
        if related:
            own = one["relationships"][related[0]]
            own["data"] = own["data"] + sent if method == "POST" else sent
        elif method == "PATCH":
            one["attributes"].update(sent["attributes"])
        else:
            del self.things[one["type"]][one["id"]]

    def session(self, client: Client) -> None:
        """Tasks get tags and another project; one of each kind is changed or deleted."""

        def ask(method: str, target: str, data: Any = None) -> Any:
            if data is not None:
                return client.json(method, target, {"data": data})
            return client.send(method, target)

        def make(kind: str, name: str, **related: Any) -> str:
            sent = {"type": kind, "attributes": {"name": name}}
            sent |= {"relationships": related} if related else {}
            return str(ask("POST", f"/{kind}", sent)["data"]["id"])

        def of(kind: str, id_: str) -> _Data:
            return {"type": kind, "id": id_}

        tea, cups = (make("projects", one) for one in ("Tea house", "Kitchen"))
        ask("GET", "/projects")
        green, urgent = (make("tags", one) for one in ("green", "urgent"))
        ask("GET", "/tags")
        first = make("tasks", "Buy tea", project={"data": of("projects", tea)})
        tagged = {"data": [of("tags", urgent)]}
        second = make("tasks", "Wash them", project={"data": of("projects", tea)}, tags=tagged)
        third = make("tasks", "Sweep floors", project={"data": of("projects", cups)})
        ask("GET", f"/tasks?filter[project]={tea}&include=tags")
        ask("PATCH", f"/tasks/{first}", of("tasks", first) | {"attributes": {"done": True}})
        ask("GET", f"/tasks/{first}?include=tags,project")
        both = [of("tags", green), of("tags", urgent)]
        ask("POST", f"/tasks/{first}/relationships/tags", both)
        ask("GET", f"/tasks/{first}?include=tags,project")
        ask("PATCH", f"/tasks/{second}/relationships/project", of("projects", cups))
        ask("GET", f"/tasks/{second}?include=tags,project")
        ask("GET", f"/tasks?filter[project]={cups}&include=tags")
        ask("PATCH", f"/tasks/{third}/relationships/tags", [of("tags", green)])
        ask("GET", f"/tasks/{third}?include=tags,project")
        named = {"attributes": {"name": "Big kitchen"}}
        ask("PATCH", f"/projects/{cups}", of("projects", cups) | named)
        ask("GET", "/projects")
        ask("DELETE", f"/tags/{urgent}")
        ask("GET", "/tags")
        ask("DELETE", f"/tasks/{third}")
        ask("GET", f"/tasks?filter[project]={cups}&include=tags")

    def left(self) -> list[str]:
        """What sessions have left."""

        def name(one: _Data | None) -> str:
            there = self.things[one["type"]].get(one["id"]) if one else None
            return there["attributes"]["name"] if there else ""

        return sorted(
            " ".join((
                str(one["attributes"]),
                name(one["relationships"].get("project", {}).get("data")),
                *map(name, one["relationships"].get("tags", {}).get("data", [])),
            ))
            for each in self.things.values()
            for one in each.values()
            if not one["attributes"]["name"].startswith("Old")
        )  # fmt: skip


def test_json_api() -> None:
    """Each id is that of what its type says, and not of the path; on a new server, a second time
    and on a used one."""
    office = Api()
    case = recorded(office, office.session)
    for others in (0, 1):
        used = Api(others=others)
        for runs in (1, 2):
            assert colour(replayed(case, used)) == "GREEN"
            assert used.left() == sorted(office.left() * runs)


@pytest.mark.parametrize(
    "broken",
    [
        *("PATCH tasks", "POST tasks tags", "PATCH tasks project", "PATCH tasks tags"),
        *("PATCH projects", "DELETE tags", "DELETE tasks"),
    ],
)
def test_what_is_not_done_there(broken: str) -> None:
    """It is red, whichever of them the server does not do."""
    office = Api()
    case = recorded(office, office.session)
    assert colour(replayed(case, Api(broken))) == "red"
