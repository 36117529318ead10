"""What of the recorded traffic becomes transactions."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_loadtool.auth.negotiation import negotiations
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.entry import Entry
from pytest_loadtool.recording.filter.expired import expired
from pytest_loadtool.recording.filter.kinds import kind_of
from pytest_loadtool.recording.filter.rules import left_out


def sift(exchanges: Sequence[Exchange]) -> list[Entry]:
    """What can be replayed, in the order in which it was sent."""
    found = negotiations(exchanges)
    folded = frozenset(index for indexes in found.values() for index in indexes)
    folded |= expired(exchanges)
    in_order = sorted(enumerate(exchanges), key=lambda numbered: numbered[1].started)
    return [
        Entry(index, exchange, kind_of(exchange), before, _lead(exchanges, before, exchange))
        for index, exchange in in_order
        if left_out(exchange) is None and index not in folded
        for before in [found.get(index, ())]
    ]


def _lead(exchanges: Sequence[Exchange], before: Sequence[int], exchange: Exchange) -> float:
    """Seconds from the start of the first before ``exchange`` to its own."""
    return exchange.started - exchanges[before[0]].started if before else 0.0
