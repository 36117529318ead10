"""Lists say of each thing who has made it: that is no name of the thing. Judged by what is asked
for."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from pytest_loadtool.model.case import TestCase
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded

_KIM, _LOU = "kim@example.org", "lou@example.org"


@dataclass
class Projects:
    """Projects and people; ``old`` are there before the session."""

    old: tuple[str, ...] = (_KIM,)
    asked: list[str] = field(default_factory=list)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            return json_answer({"ok": True})
        if target == "/api/people":
            people = [{"id": at, "email": one} for at, one in enumerate(sorted({_LOU, *self.old}))]
            return json_answer({"results": people})
        projects = [
            {"id": at, "note": "old", "created_by": {"email": one}}
            for at, one in enumerate(self.old, 1)
        ]
        if target == "/api/projects":
            return json_answer({"results": projects})
        self.asked.append(target)
        return json_answer({"id": int(target.rpartition("/")[2])})


def _recorded(*paths: str) -> TestCase:
    def session(client: Client) -> None:
        client.json("POST", "/api/login", {"email": _KIM, "password": "correct-horse"})
        for path in paths:
            client.json("GET", path)

    return recorded(Projects(), session)


def test_who_has_signed_in_does_not_name_what_they_made() -> None:
    """What they open is what has been there: on a used server, of several of theirs none is taken
    for it, and nothing is told."""
    case = _recorded("/api/projects", "/api/projects/1")
    office = Projects((_KIM, _LOU, _KIM))
    seen = replayed(case, office)
    assert (colour(seen), failures(seen)) == ("GREEN", [])
    assert office.asked == ["/api/projects/1"]


@pytest.mark.parametrize("others", [(_KIM,), ("abel@example.org", _KIM)])
def test_but_it_names_who_they_are(others: tuple[str, ...]) -> None:
    """The person with that address is found by it, wherever in the list."""
    case = _recorded("/api/people", "/api/people/0")
    office = Projects(others)
    assert colour(replayed(case, office)) == "GREEN"
    assert office.asked == [f"/api/people/{len(others) - 1}"]
