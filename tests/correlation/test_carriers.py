"""Whatever carries the id of a thing, a replay on a used server does to its own thing what the
session did to that of the recording, and to no other."""

from __future__ import annotations

import pytest

from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import compile_case
from tests.correlation.carriers import NOTE, WAYS, Register, serving
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import failures
from tests.correlation.talk import configure
from tests.observed import Observed


def session(register: Register, *, looks: bool) -> TestCase:
    """Two things are made; of one the note is changed, one is dropped. Recorded and configured."""
    with serving(register) as url:
        client = Client(url)
        client.json("GET", "/things")
        made = [
            client.json("POST", "/things", {"name": one})["id"] for one in ("Tea & Tales", "Cup")
        ]
        for act, id_, note in zip(("edit", "drop"), made, (NOTE, ""), strict=True):
            sent = register.way(act, id_, note)
            client.send(sent.method, sent.target, sent.coded, sent.headers)
            if looks:
                client.json("GET", "/things")
        client.close()
    exchanges = tuple(client.exchanges)
    return configure(build_case(exchanges, name="carriers").case, exchanges).case


@pytest.mark.parametrize("looks", [True, False], ids=["looks", "does not look"])
@pytest.mark.parametrize("random", [False, True], ids=["numbers", "random"])
@pytest.mark.parametrize("way", WAYS)
def test_carriers(way: str, random: bool, looks: bool) -> None:
    """The state is right, and no check says otherwise."""
    case = session(Register(WAYS[way], random=random), looks=looks)
    used = Register(WAYS[way], first=71, random=random)
    others = [dict(used.put(f"Other {number}")) for number in range(9)]
    observed = Observed()
    with serving(used) as url:
        replay_once(compile_case(case, server=url), observer=observed)
    assert [*used.things.values()][: len(others)] == others
    assert [(one["name"], one["note"]) for one in [*used.things.values()][len(others) :]] == [
        ("Tea & Tales", NOTE)
    ]
    assert failures(observed) == []
