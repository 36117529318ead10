"""Taking one decision back, for good: the values are sent as recorded, and stay so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_loadtool.correlation.decisions.ignoring import Entries
from pytest_loadtool.correlation.index.indexing import read_traffic
from pytest_loadtool.correlation.index.traffic import Traffic, steps_of
from pytest_loadtool.correlation.requests.slots import Slot, request_slots
from pytest_loadtool.correlation.writing.revert import revert
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange


def taken_back(case: TestCase, exchanges: Sequence[Exchange], name: str) -> TestCase:
    """Return the case without a variable of ASM, and with what used it on the list of what is
    ignored.

    Raises:
        ValueError: there is no such variable, a person set it, or something else needs it.
    """
    variable = case.variables.get(name)
    if variable is None:
        raise ValueError(f"there is no variable {name!r}")
    if variable.set_by != "asm":
        raise ValueError(f"{name!r} was set by a person: it is a line of the test case")
    reverted = revert(case, steps_of(case, exchanges), only={name})
    if name in reverted.variables:
        raise ValueError(
            f"{name!r} is used by a validator, by an extractor of yours, or by a transaction "
            "without recorded traffic: change that first"
        )
    before, after = (read_traffic(one, steps_of(one, exchanges), ()) for one in (case, reverted))
    bare = revert(case, after.steps)
    new = dict.fromkeys(_used(before, after, bare, variable.recorded or ""))
    ignore = (*case.asm.ignore, *(one for one in new if one not in case.asm.ignore))
    return replace(reverted, asm=replace(case.asm, ignore=ignore))


def _used(before: Traffic, after: Traffic, bare: TestCase, recorded: str) -> Iterator[str]:
    """Yield the entries for the fields that are constants now, and for the token that nobody used;
    ``bare`` is the case with the recorded values only."""
    known = set(map(_place, before.slots))
    freed = [slot for slot in after.slots if _place(slot) not in known]
    mine = [slot for slot in freed if slot.value == recorded] or freed
    entries = Entries(after.steps)
    requests = [one.request for one in bare.transactions()]
    for slot in mine:
        step = after.steps[slot.transaction]
        named = (
            one.name
            for one in request_slots(requests[slot.transaction], step.content_type, step.index)
        )
        yield from entries.of_slot(slot, several=sum(one == slot.name for one in named) > 1)
    for producer in after.responses.tokens:
        if producer.value == recorded:
            yield entries.of(producer.transaction, producer.name)


def _place(slot: Slot) -> tuple[int, str | int, str, str, int, int]:
    return slot.transaction, slot.part, slot.name, slot.value, slot.depth, slot.nth
