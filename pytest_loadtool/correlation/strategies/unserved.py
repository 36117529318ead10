"""Values that a client may have made up: no response before has them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pytest_loadtool.correlation.looks import looks_random
from pytest_loadtool.correlation.slots import Slot
from pytest_loadtool.correlation.traffic import Traffic

_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def by_value(slots: Sequence[Slot], traffic: Traffic) -> Mapping[str, Sequence[Slot]]:
    """By value, those that are worth a closer look: random or a time, and in no response before
    their first request."""
    found: dict[str, list[Slot]] = {}
    for slot in slots:
        if 8 <= len(slot.value) <= 128 and (looks_random(slot.value) or is_iso(slot.value)):
            found.setdefault(slot.value, []).append(slot)
    served = traffic.responses.served
    return {
        value: own
        for value, own in found.items()
        if served.get(value, own[0].transaction) >= own[0].transaction
    }


def is_iso(value: str) -> bool:
    """A time in UTC with milliseconds, as JavaScript writes it (ECMA-262 §21.4.1.32)."""
    return _ISO.fullmatch(value) is not None
