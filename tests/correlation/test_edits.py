"""Which slots of a text share characters."""

from __future__ import annotations

import json
from itertools import pairwise
from uuid import UUID

import pytest

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.correlation.requests import edits
from pytest_loadtool.correlation.requests.edits import Taken, overlap
from pytest_loadtool.correlation.requests.slots import Slot, request_slots
from pytest_loadtool.model.case import Request


def slots_of(document: object) -> list[Slot]:
    """All slots of a JSON body."""
    request = Request("POST", "/", body=json.dumps(document))
    return list(request_slots(request, "application/json", 0))


def test_as_one_by_one() -> None:
    """The same as asking each, for values beside, around and within one another, in base64, too."""
    tokens = [str(UUID(int=number << 64 | 0x4A3B)) for number in range(3)]
    packed = filtered(json.dumps({"a": tokens[0], "b": tokens[1]}), ("base64",))
    slots = slots_of([f"Token {tokens[0]} {tokens[1]}", packed, tokens[2], f"/x?y={packed}"])
    assert max(len(one.capsules) for one in slots) == 1
    for first, second in ((one, other) for one in slots for other in slots):
        if overlap(first, second):
            continue
        taken = Taken([second, first])
        for slot in slots:
            assert taken.touches(slot) == (overlap(slot, first) or overlap(slot, second))
    assert not Taken([]).touches(slots[0])


def test_many_are_not_asked_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request may have thousands of values: the work grows with their number."""
    slots = slots_of([f"{number:08}" for number in range(2000)])
    asked: list[Slot] = []

    def counting(one: Slot, other: Slot) -> bool:
        asked.append(one)
        return overlap(one, other)

    monkeypatch.setattr(edits, "overlap", counting)
    taken = Taken(slots[::2])
    assert [taken.touches(one) for one in slots] == [True, False] * 1000
    assert len(asked) == 1000
    assert all(one.end < other.start for one, other in pairwise(slots))
