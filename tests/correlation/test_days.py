"""Scripts that ask for today: what was recorded is replayed on another day. Judged by the state of
the server, which has the tasks of each day in a list of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import build_case
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed, serving
from tests.correlation.small_servers import Answer, json_answer
from tests.correlation.talk import configure

#: How many days ago it was recorded.
AGO = 40


def today(ago: int = 0) -> date:
    """The day, as the generator of dates has it."""
    return datetime.now(UTC).date() - timedelta(ago)


@dataclass
class Planner:
    """Tasks, each on the day on which it was made."""

    in_path: bool
    ago: int = 0
    works: bool = True
    tasks: list[tuple[date, str]] = field(default_factory=list)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            if self.works:
                self.tasks.append((today(self.ago), json.loads(body)["name"]))
            return json_answer({"ok": True}, 201)
        address = urlsplit(target)
        asked = parse_qs(address.query)
        first = last = date.fromisoformat((asked.get("end") or [address.path[-10:]])[0])
        if "start" in asked:
            first = date.fromisoformat(asked["start"][0])
        last += timedelta(1)  # the day may end while this runs
        return json_answer([{"name": name} for day, name in self.tasks if first <= day <= last])

    def session(self, client: Client) -> None:
        """Look at the week or the day, make a task, and look again."""
        day, week = today(self.ago), today(self.ago + 7)
        address = f"/days/{day}" if self.in_path else f"/tasks?start={week}&end={day}"
        client.send("GET", address)
        client.json("POST", "/tasks", {"name": "Buy cups", "due": "2031-05-17"})
        client.send("GET", address)


def recorded(planner: Planner) -> TestCase:
    """The session, as it was recorded so many days ago, configured."""
    with serving(planner) as url:
        client = Client(url)
        planner.session(client)
        client.close()
    then = AGO * 86_400
    exchanges = tuple(replace(one, started=one.started - then) for one in client.exchanges)
    return configure(build_case(exchanges, name="again").case, exchanges).case


@pytest.mark.parametrize("in_path", [True, False], ids=["path", "query"])
def test_another_day(in_path: bool) -> None:
    """What is asked for is that of today, and no other day is another one."""
    case = recorded(Planner(in_path, AGO))
    planner = Planner(in_path)
    assert colour(replayed(case, planner)) == "GREEN"
    assert [name for _, name in planner.tasks] == ["Buy cups"]
    assert colour(replayed(case, Planner(in_path, works=False))) == "red"
    assert '"2031-05-17"' in str([*case.transactions()][1].request.body)
