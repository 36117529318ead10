"""Times that a client writes into its requests: those of the requests, beyond doubt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from types import MappingProxyType

from pytest_loadtool.codec.place import Place
from pytest_loadtool.correlation.looks import plain
from pytest_loadtool.correlation.slots import Slot
from pytest_loadtool.correlation.traffic import Traffic
from pytest_loadtool.model.generator import Timestamp

_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
#: Digits of a time since 1970 (until 2286), with its unit and how many there are of it in a second.
_UNITS: Mapping[int, tuple[Timestamp, int]] = MappingProxyType(
    {10: (Timestamp("s"), 1), 13: (Timestamp("ms"), 10**3), 16: (Timestamp("us"), 10**6)}
)
#: By how many seconds a time may differ from that of its request: scripts write it down, then send.
_BEFORE, _AFTER = 10.0, 1.5
#: Words in the names of fields for times, and in those of parameters that keep caches out.
_WORDS = frozenset(
    {
        *("t", "ts", "tm", "time", "timestamp", "date", "datetime", "now", "clock", "epoch", "at"),
        *("sent", "since", "start", "started", "created", "updated", "modified", "tick", "ticks"),
        *("ms", "millis", "cache", "nocache", "buster", "cachebuster", "bust", "cb", "dc", "rnd"),
        *("rand", "random"),
    }
)

#: A field: its name, where it stands, and how many digits it has.
_Field = tuple[str, Place, int]


def is_iso(value: str) -> bool:
    """A time in UTC with milliseconds, as JavaScript writes it (ECMA-262 §21.4.1.32)."""
    return _ISO.fullmatch(value) is not None


class Times:
    """The times in slots that nothing else claims, by value."""

    def __init__(self, traffic: Traffic, by_value: Mapping[str, Sequence[Slot]]) -> None:
        self._traffic = traffic
        self._numbers: dict[_Field, list[tuple[float, float | None]]] = {}
        for value, slots in by_value.items():
            if value.isdecimal() and len(value) in _UNITS:
                slot = slots[0]
                seen = (self._started(slot), self._said(value, slots))
                self._numbers.setdefault(_field(slot), []).append(seen)

    def unit(self, value: str, slots: Sequence[Slot]) -> Timestamp | None:
        """The unit of a time that is that of its request, the only one with it.

        Of a number this has to be shown by more than its size: by the name of its field, or that it
        has none in the query, or by the requests that have such a number, which are as far apart
        as the numbers are.
        """
        if self._said(value, slots) is None:
            return None
        if is_iso(value):
            return Timestamp("iso")
        unit, _ = _UNITS[len(value)]
        known = _is_bare(slots[0]) or _is_called_time(slots[0].name)
        return unit if known or self._runs(_field(slots[0])) else None

    def _said(self, value: str, slots: Sequence[Slot]) -> float | None:
        """The time (seconds since 1970) that the value means, if it is that of its request."""
        once = len({slot.transaction for slot in slots} | {*slots[0].users}) == 1
        if not once and not all(map(_is_bare, slots)):
            return None
        if is_iso(value):
            try:
                said = datetime.fromisoformat(value).timestamp()
            except ValueError:
                return None
        elif value.isdecimal() and len(value) in _UNITS:
            said = int(value) / _UNITS[len(value)][1]
        else:
            return None
        near = all(-_BEFORE <= said - self._started(slot) <= _AFTER for slot in slots)
        return said if near else None

    def _runs(self, field: _Field) -> bool:
        """Whether several requests have a number in that field, and all are their times."""
        seen = sorted(self._numbers[field], key=lambda one: one[0])
        return len(seen) > 1 and all(
            said is not None
            and later is not None
            and later > said
            and abs((later - said) - (after - before)) <= _AFTER
            for (before, said), (after, later) in pairwise(seen)
        )

    def _started(self, slot: Slot) -> float:
        exchange = self._traffic.steps[slot.transaction].exchange
        return exchange.started if exchange is not None else 0.0


def _field(slot: Slot) -> _Field:
    return slot.name, slot.place, len(slot.value)


def _is_bare(slot: Slot) -> bool:
    """Whether it is all of a query's part, as scripts append it that keep caches out.

    Two of these may be sent in the same millisecond.
    """
    return slot.place is Place.QUERY and not slot.name


def _is_called_time(name: str) -> bool:
    return name == "_" or not _WORDS.isdisjoint(plain(name).split())
