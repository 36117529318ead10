"""Taking a decision back reads no response, and notes what reading all of them would."""

from __future__ import annotations

import re

import pytest

from pytest_loadtool.correlation.decisions.ignoring import Entries
from pytest_loadtool.correlation.index.indexing import read_traffic
from pytest_loadtool.correlation.index.traffic import steps_of
from pytest_loadtool.correlation.writing.revert import revert, taken_back
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from tests.correlation.talk import configure
from tests.synthetic.judging import recorded


def by_all_that_is_read(case: TestCase, exchanges: tuple[Exchange, ...], name: str) -> set[str]:
    """The entries for what is constant without the variable, and was not before."""
    reverted = revert(case, steps_of(case, exchanges), only={name})
    before, after = (read_traffic(one, steps_of(one, exchanges), ()) for one in (case, reverted))
    known = {(one.transaction, one.part, one.name, one.value, one.nth) for one in before.slots}
    entries, value = Entries(after.steps), case.variables[name].recorded
    freed = [
        one
        for one in after.slots
        if (one.transaction, one.part, one.name, one.value, one.nth) not in known
    ]
    mine = [one for one in freed if one.value == value] or freed
    found = {entry for one in mine for entry in entries.of_slot(one, several=False)}
    tokens = (one for one in after.responses.tokens if one.value == value)
    return found | {entries.of(one.transaction, one.name) for one in tokens}


@pytest.mark.parametrize("structure", range(3), ids=["rest", "forms", "rpc"])
def test_each_decision_is_noted_as_by_all_that_is_read(structure: int) -> None:
    """But for the number that says which of several fields of a name it is."""
    exchanges = recorded(structure, 0)
    case = configure(build_case(exchanges, name="session").case, exchanges).case
    names = [name for name, one in case.variables.items() if one.set_by == "asm"]
    assert names
    for name in names:
        new = {re.sub(r" #\d+$", "", one) for one in taken_back(case, exchanges, name).asm.ignore}
        assert new == by_all_that_is_read(case, exchanges, name)
