"""Taking one decision back, for good: the values are sent as recorded, and stay so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_loadtool.correlation.ignoring import entries, entry
from pytest_loadtool.correlation.indexing import read_traffic
from pytest_loadtool.correlation.revert import revert
from pytest_loadtool.correlation.slots import Slot
from pytest_loadtool.correlation.traffic import Traffic, steps_of
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange


def taken_back(case: TestCase, exchanges: Sequence[Exchange], name: str) -> TestCase:
    """The case without a variable of ASM, and with what used it on the list of what is ignored.

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
    new = dict.fromkeys(_used(before, after, variable.recorded or ""))
    ignore = (*case.asm.ignore, *(one for one in new if one not in case.asm.ignore))
    return replace(reverted, asm=replace(case.asm, ignore=ignore))


def _used(before: Traffic, after: Traffic, recorded: str) -> Iterator[str]:
    """The entries for the fields that are constants now, and for the token that nobody used."""
    known = set(map(_place, before.slots))
    freed = [slot for slot in after.slots if _place(slot) not in known]
    mine = [slot for slot in freed if slot.value == recorded] or freed
    for slot in mine:
        yield from entries(after, slot)
    for producer in after.responses.tokens:
        if producer.value == recorded:
            yield entry(after.steps[producer.transaction], producer.name)


def _place(slot: Slot) -> tuple[int, str | int, str, str, int]:
    return slot.transaction, slot.part, slot.name, slot.value, slot.depth
