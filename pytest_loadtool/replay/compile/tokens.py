"""Tokens that expire, as compiled: where they are used, where they come from, what renews them."""

from __future__ import annotations

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.user.exchange import Step
from pytest_loadtool.replay.user.plan import Renewal, Renewals
from pytest_loadtool.structure.renewal import successors
from pytest_loadtool.structure.uses import used_names


def renewals_of(case: TestCase, steps: tuple[Step, ...], names: VariableNames) -> Renewals | None:
    """Return how the tokens of ``case`` are renewed; None when no transaction refreshes one.

    A dangerous transaction renews nothing, and is not sent a second time with a new token.
    """
    by_slot: dict[int, Renewal] = {}
    for step in steps:
        name = step.transaction.refreshes
        if not name or step.transaction.dangerous:
            continue
        replaced = successors(case, step.transaction)
        copies = tuple((names.slot(new), names.slot(old)) for old, new in replaced.items())
        renewal = Renewal(step, name, copies)
        by_slot[names.slot(name)] = renewal
        by_slot.setdefault(names.slot(replaced[name]), renewal)
    if not by_slot:
        return None
    issued = {
        step.index: slots
        for step in steps
        if (slots := tuple(take.slot for take in step.takes if take.slot in by_slot))
    }
    turns = {one.step.index: names.slot(one.name) for one in by_slot.values()}
    return Renewals(by_slot, turns, _used(case, steps, names, by_slot), issued)


def _used(
    case: TestCase, steps: tuple[Step, ...], names: VariableNames, by_slot: dict[int, Renewal]
) -> dict[int, int]:
    """Return by step the token in its headers, where a 401 is not what the test case wants."""
    used = {}
    renewing = {renewal.step.index for renewal in by_slot.values()}
    for step in steps:
        if step.index in renewing or step.transaction.dangerous or 401 in step.accepted:
            continue
        headers = case.wire_headers(step.transaction.request)
        sent = used_names((one.value for one in headers if one.value), case.variables)
        slots = [names.slot(name) for name in sorted(sent) if name in names.slots]
        token = next((slot for slot in slots if slot in by_slot), None)
        if token is not None:
            used[step.index] = token
    return used
