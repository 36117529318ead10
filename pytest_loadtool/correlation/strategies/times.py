"""Times that a client writes into its requests: those of the requests, beyond doubt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from types import MappingProxyType

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.claims import ByClient
from pytest_loadtool.correlation.slots import Slot
from pytest_loadtool.correlation.strategies.strategy import Known, Stage
from pytest_loadtool.correlation.strategies.unserved import by_value, is_iso
from pytest_loadtool.correlation.traffic import Traffic
from pytest_loadtool.model.generator import Timestamp
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import Rule

_TIME = Rule(
    "client-time",
    "{field} is the time at which the request was sent: replay sends the time of the replay.",
    confidence=0.95,
)
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


class ClientTimes:
    """The times at which requests were sent."""

    name = "client-times"
    why = "A field has the moment of its request, and its name or other requests say that it does."
    source = "ECMA-262 §21.4: Date.now(), toISOString(); jQuery's _ of cache: false"
    stages = frozenset({Stage.LAST})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Known) -> Iterator[ByClient]:
        """Those with a time that is that of its request, the only one with it.

        Of a number this has to be shown by more than its size: by the name of its field, or that it
        has none in the query, or by the requests that have such a number, which are as far apart
        as the numbers are.
        """
        values = by_value(slots, traffic)
        said = {value: _said(value, own, traffic) for value, own in values.items()}
        numbers: dict[_Field, list[tuple[float, float | None]]] = {}
        for value, own in values.items():
            if _is_number(value):
                sent = _started(own[0], traffic), said[value]
                numbers.setdefault(_field(own[0]), []).append(sent)
        for value, own in values.items():
            first = own[0]
            if said[value] is None:
                continue
            if is_iso(value):
                yield ByClient(tuple(own), _TIME, Timestamp("iso"), value)
            elif _is_bare(first) or _is_called_time(first.name) or _runs(numbers[_field(first)]):
                yield ByClient(tuple(own), _TIME, _UNITS[len(value)][0], value)


def _is_number(value: str) -> bool:
    return value.isdecimal() and len(value) in _UNITS


def _said(value: str, slots: Sequence[Slot], traffic: Traffic) -> float | None:
    """The time (seconds since 1970) that the value means, if it is that of its request."""
    once = len({slot.transaction for slot in slots} | {*slots[0].users}) == 1
    if not once and not all(map(_is_bare, slots)):
        return None
    if is_iso(value):
        try:
            said = datetime.fromisoformat(value).timestamp()
        except ValueError:
            return None
    elif _is_number(value):
        said = int(value) / _UNITS[len(value)][1]
    else:
        return None
    near = all(-_BEFORE <= said - _started(slot, traffic) <= _AFTER for slot in slots)
    return said if near else None


def _runs(sent: Sequence[tuple[float, float | None]]) -> bool:
    """Whether several requests have a number in a field, and all are their times; ``sent`` are the
    times of the requests, and what the numbers say."""
    seen = sorted(sent, key=lambda one: one[0])
    return len(seen) > 1 and all(
        said is not None
        and later is not None
        and later > said
        and abs((later - said) - (after - before)) <= _AFTER
        for (before, said), (after, later) in pairwise(seen)
    )


def _started(slot: Slot, traffic: Traffic) -> float:
    exchange = traffic.steps[slot.transaction].exchange
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
