"""States of things that are known by their names: of a second run, and of what does nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from pytest_loadtool.correlation.configuration import asserted_anew
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import build_case
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed, serving
from tests.correlation.outcomes.office import Answer
from tests.correlation.talk import configure

_JSON = {"Content-Type": "application/json"}


@dataclass
class Flows:
    """A flow is there from its first rule on, and stays; ``idle`` says that it has set its state,
    and has not."""

    idle: bool = False
    rules: int = 0
    states: dict[str, str] = field(default_factory=dict)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        path = target.strip("/").split("/")
        if method == "POST":
            self.rules += 1
            self.states.setdefault(json.loads(body)["flowName"], "Started")
            return 201, _JSON, json.dumps({"id": f"8c1e3f2b-9d47-4a60-b1c5-{self.rules:012}"})
        if method == "PUT":
            if not self.idle:
                self.states[path[1]] = json.loads(body)["state"]
            return 200, _JSON, "{}"
        flows = [{"name": name, "state": state} for name, state in self.states.items()]
        return 200, _JSON, json.dumps({"flows": flows})


def _recorded(*, unique: bool = False) -> TestCase:
    with serving(Flows()) as url:
        client = Client(url)
        for state in ("Started", "Paid"):
            rule = {"flowName": "Order", "requiredState": state}
            client.send("POST", "/rules", json.dumps(rule).encode(), _JSON)
        client.send("GET", "/flows")
        client.send("PUT", "/flows/Order/state", b'{"state": "Paid"}', _JSON)
        client.send("GET", "/flows")
        client.close()
    exchanges = tuple(client.exchanges)
    case = configure(build_case(exchanges, name="flows").case, exchanges).case
    made = make_unique(case, "Order") if unique else None
    return case if made is None else asserted_anew(made.case, exchanges).case


def test_the_state_of_an_earlier_run() -> None:
    """In which state a flow is does not tell that a rule was made. A second run finds it in the
    state that it is about to set, and says so of the change that sets it."""
    case = _recorded()
    flows = Flows()
    assert colour(replayed(case, flows)) == "GREEN"
    again = replayed(case, flows)
    told = [one.not_as_recorded for one in again.responses if one.not_as_recorded]
    assert (colour(again), failures(again)) == ("told", [])
    assert told[0].startswith("not so before PUT /flows/Order/state: state is not yet Paid")


def test_a_state_that_is_not_set() -> None:
    """It is red, whatever others have there."""
    case = _recorded()
    for states in ({}, {"Return": "Started", "Repair": "Paid"}):
        assert colour(replayed(case, Flows(states={**states}))) == "GREEN"
        idle = replayed(case, Flows(idle=True, states={**states}))
        assert failures(idle)[0].startswith(
            "PUT /flows/Order/state did not take effect: not so: state is Paid"
        )


def test_a_name_of_its_own_in_a_path() -> None:
    """With a name that is each run's own, its own flow is looked at, and not that of an earlier run
    of the recorded name: a second run is green, and red where nothing is done."""
    case = _recorded(unique=True)
    flows = Flows(states={"Order": "Paid"})
    assert [colour(replayed(case, flows)) for _ in range(2)] == ["GREEN"] * 2
    idle = replayed(case, Flows(idle=True, states={"Order": "Paid"}))
    assert "did not take effect: not so: state is Paid" in failures(idle)[0]
