"""Ids that an answer tells by themselves: who has signed in, what a job has made, what is called
after its kind. Judged by the state of the server."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_loadtool.model.case import TestCase
from tests.correlation.client import Client
from tests.correlation.exchanges import json_body
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded
from tests.correlation.talk import get, run, sources

#: What is answered to ``GET /me``, by the user's number.
WHO: Mapping[str, Callable[[int], dict[str, Any]]] = {
    "me": lambda id_: {"id": id_, "name": "kim"},
    "user": lambda id_: {"user": {"id": id_, "name": "kim"}},
    "userId": lambda id_: {"userId": id_, "theme": "dark"},
    "member": lambda id_: {"id": id_ + 100, "member_id": id_, "role": "editor"},
}
#: Likewise, to ``GET /jobs/3``, by the number of the report.
MADE = ("report", "report_id", "reportId")


@dataclass
class Diary:
    """The notes of who has signed in, which nobody else sees."""

    how: str
    user: int = 5
    notes: list[str] = field(default_factory=list)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if target == "/me":
            return json_answer(WHO[self.how](self.user))
        if target != f"/{self.kind}/{self.user}/notes":
            return json_answer({"message": "not yours"}, 403)
        if method == "POST":
            self.notes.append(json.loads(body)["text"])
        return json_answer(self.notes)

    @property
    def kind(self) -> str:
        """What users are called in paths."""
        return "members" if self.how == "member" else "users"

    def session(self, client: Client) -> None:
        """Look who it is, and write a note."""
        client.send("GET", "/me")
        client.send("GET", f"/{self.kind}/{self.user}/notes")
        client.json("POST", f"/{self.kind}/{self.user}/notes", {"text": "Tea at four"})
        client.send("GET", f"/{self.kind}/{self.user}/notes")


@pytest.mark.parametrize("how", WHO)
def test_who_has_signed_in(how: str) -> None:
    """The user has another number on another server."""
    diary = Diary(how)
    case = recorded(diary, diary.session)
    other = Diary(how, user=41)
    assert colour(replayed(case, other)) == "GREEN"
    assert other.notes == ["Tea at four"]
    assert rules_of(case) == {"told-id"}


@dataclass
class Office:
    """Reports that are made by jobs, and orders that wait to be approved."""

    called: str = "report"
    first: int = 1
    works: bool = True
    waits: int = 0
    jobs: dict[int, str] = field(default_factory=dict)
    done: dict[int, str] = field(default_factory=dict)
    states: dict[int, str] = field(default_factory=dict)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        kind, *rest = target.strip("/").split("/")
        if method == "GET":
            return json_answer(self.shown(kind, *rest))
        if not rest:
            number = self.first + len(self.jobs) + len(self.done)
            (self.jobs if kind == "jobs" else self.done)[number] = json.loads(body)["name"]
            return json_answer({"id": number} if kind == "jobs" else {"message": "thanks"}, 201)
        if int(rest[0]) not in self.done:
            return json_answer({"message": "there is none"}, 404)
        if self.works:
            self.states[int(rest[0])] = rest[1]
        return json_answer({"ok": True})

    def shown(self, kind: str, *rest: str) -> Any:
        """What is to be seen there."""
        if kind == "jobs":
            if self.waits:
                self.waits -= 1
                return {"state": "running", self.called: None}
            number = self.first + len(self.jobs) + len(self.done)
            self.done[number] = self.jobs[int(rest[0])]
            return {"state": "done", self.called: number}
        key = "order" if kind == "inbox" else "id"
        items = [
            {key: id_, "what": name, "state": self.states.get(id_, "new")}
            for id_, name in self.done.items()
            if not rest or str(id_) == rest[0]
        ]
        return items[0] if rest else items


@pytest.mark.parametrize("called", MADE)
def test_what_a_job_has_made(called: str) -> None:
    """Its number is in the job's answer, under its kind."""

    def session(client: Client) -> None:
        client.send("GET", "/reports")
        client.json("POST", "/jobs", {"name": "Tea in March"})
        client.send("GET", f"/jobs/{next(iter(office.jobs))}")
        report = next(iter(office.done))
        client.send("GET", f"/reports/{report}")
        client.send("POST", f"/reports/{report}/published")
        client.send("GET", f"/reports/{report}")

    office = Office(called)
    case = recorded(office, session)
    assert {"created-id", "told-id"} <= rules_of(case)
    used = Office(called, 71, jobs={70: "Tea in May"})
    assert colour(replayed(case, used)) == "GREEN"
    assert used.states == {max(used.done): "published"}
    assert colour(replayed(case, Office(called, works=False))) in ("red", "told")


@pytest.mark.parametrize("called", ["result", "resource_id"])
def test_what_has_become_of_a_job(called: str) -> None:
    """Whatever the answer calls the number, it has it when it has been waited for."""

    def session(client: Client) -> None:
        client.json("POST", "/jobs", {"name": "Tea in March"})
        for _ in range(3):
            client.send("GET", f"/jobs/{next(iter(office.jobs))}")
        report = next(iter(office.done))
        client.send("GET", f"/reports/{report}")
        client.send("POST", f"/reports/{report}/published")
        client.send("GET", f"/reports/{report}")

    office = Office(called, waits=2)
    case = recorded(office, session)
    assert {"created-id", "became-id"} <= rules_of(case)
    used = Office(called, 71, waits=2, jobs={70: "Tea in May"})
    assert colour(replayed(case, used)) == "GREEN"
    assert used.states == {max(used.done): "published"}
    assert colour(replayed(case, Office(called, waits=2, works=False))) in ("red", "told")


@pytest.mark.parametrize("called", ["total", "result"])
def test_an_amount_is_no_id(called: str) -> None:
    """That a job has counted so many does not lead to the report of that number, which a person
    has opened next."""
    shown = [{"state": "running"}, {"state": "running"}, {"state": "done", called: 371}]
    configuration = run(
        *(get("/count", json_body(one)) for one in shown),
        get("/reports/371", json_body({"what": "Tea in March"})),
    )
    assert bool(sources(configuration)) is (called == "result")


def test_a_row_has_its_number_under_its_kind() -> None:
    """``{"order": 7, "what": "Tea House"}``."""

    def session(client: Client) -> None:
        for name in ("Tea House", "Cups Ltd"):
            client.json("POST", "/orders", {"name": name})
        client.send("GET", "/inbox")
        client.send("POST", f"/orders/{next(iter(office.done))}/approved")
        client.send("GET", "/inbox")

    office = Office()
    case = recorded(office, session)
    used = Office(first=71, done={70: "Milk Bar"})
    assert colour(replayed(case, used)) == "GREEN"
    assert used.states == {72: "approved"}
    assert colour(replayed(case, Office(works=False))) == "red"


def rules_of(case: TestCase) -> set[str]:
    """By which rules values of the case are extracted."""
    return {one.rule for one in case.variables.values() if one.set_by == "asm"}


@pytest.mark.parametrize(
    ("verb", "shown"),
    [
        ("close", "closed"),
        ("ship", "Shipped"),
        ("pay", "paid"),
        ("apply", "applied"),
        ("hide", True),
    ],
)
def test_what_was_done_is_what_it_is(verb: str, shown: str | bool) -> None:
    """The list was not seen between what made the thing and what was done to it: that its state is
    what the request calls tells that it was done."""

    @dataclass
    class Desk:
        works: bool = True
        things: dict[int, str | bool] = field(default_factory=dict)

        def answer(self, method: str, target: str, _: str) -> Answer:
            """What is answered to a request."""
            _, __, *rest = target.split("/")
            if method == "POST" and not rest:
                self.things[len(self.things) + 1] = shown is not True and "new"
                return json_answer({"id": len(self.things)}, 201)
            if method == "POST" and self.works:
                self.things[int(rest[0])] = shown
            key = "is_hidden" if shown is True else "state"
            return json_answer([{"id": id_, key: state} for id_, state in self.things.items()])

        def session(self, client: Client) -> None:
            """One is made, something is done to it, and then it is looked at."""
            client.json("POST", "/things", {"size": 4})
            client.send("POST", f"/things/{len(self.things)}/{verb}")
            client.send("GET", "/things")

    desk = Desk()
    case = recorded(desk, desk.session)
    assert colour(replayed(case, Desk(things={1: "new", 2: "new"}))) == "GREEN"
    assert colour(replayed(case, Desk(works=False))) == "red"
