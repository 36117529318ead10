"""Ids of several things in one value: who belongs to what is known by the numbers of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.proposals import Proposal
from pytest_loadtool.correlation.requests.positions import JOINED
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.strategies.known_ids import claimed_as
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn
from pytest_loadtool.model.place import Place

#: How long a sign is in an address: ``%2C``.
_ENCODED = 3


class JoinedIds:
    """The ids in ``17_4``, of which a request before has sent each by itself."""

    name = "joined-ids"
    why = "A request before has sent the same ids, each by itself: who is to belong to what."
    source = "keys of relations, made of the keys of what they relate"
    turns = frozenset({Turn.OPEN})

    def propose(
        self, slots: Sequence[Slot], traffic: Traffic, known: Settled
    ) -> Iterator[Proposal]:
        """Yield the proposals on the parts of ``DELETE /members/17_4`` after ``POST /members
        {"group": 17, "user": 4}``, also of ``17,4``."""
        for slot in slots:
            if slot.place is not Place.TEXT or slot.before not in ("", JOINED) or not slot.depth:
                continue
            beside = _beside(slot, traffic.slots_of(slot.transaction))
            values = [one.value for one in beside]
            if len(values) > 1:
                found = known.sent_together(values, slot.transaction)
                same = found and claimed_as(slot, found[beside.index(slot)])
                if same:
                    yield same


def _beside(slot: Slot, slots: Iterable[Slot]) -> Sequence[Slot]:
    """Return the parts of the value in which a slot stands, with one sign between them, perhaps
    encoded."""
    place = slot.part, slot.depth, slot.place, slot.before
    parts: list[Slot] = []
    for one in slots:
        if (one.part, one.depth, one.place, one.before) != place:
            continue
        if parts and one.start - parts[-1].end not in (1, _ENCODED):
            if slot in parts:
                break
            parts.clear()
        parts.append(one)
    return parts if slot in parts else ()
