"""When things happened: think times between pages, pauses and offsets within a page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf

from pytest_loadtool.answers.shape import answer_of
from pytest_loadtool.model.case import Recorded
from pytest_loadtool.recording.entry import Entry
from pytest_loadtool.recording.pages.common import Group

#: Seconds; nobody looks at a page for less.
_SHORTEST = 0.01

#: Seconds; within a page a shorter gap is the time that its scripts take.
_SHORTEST_INSIDE = 0.5


def think_times(groups: Sequence[Group]) -> list[float]:
    """Return seconds between the last response of each page and the first request of the next,
    whose negotiation belongs to it. What a page has sent after that is not waited for.

    To the millisecond; 0 where pages overlap, after the last one, and for gaps so short that a
    program left them, not a person.
    """
    gaps = [
        round(following.began - page.ended_of(following.began), 3)
        for page, following in pairwise(groups)
    ]
    return [*(gap if gap >= _SHORTEST else 0.0 for gap in gaps), 0.0] if groups else []


def pauses(entries: Iterable[Entry], firsts: Collection[int | None]) -> dict[int, float]:
    """Return by its index, for each transaction before which nothing at all was under way, on no
    page, for how many seconds, to the millisecond. Not for the ``firsts`` of their pages.

    In an application of one document that is what its user takes to think. The time is in no think
    time between pages, so that a recording with all its pauses is as long as it was.
    """
    found: dict[int, float] = {}
    latest = inf
    for entry in sorted(entries, key=lambda one: one.began):
        gap = round(entry.began - latest, 3)
        if gap >= _SHORTEST_INSIDE and entry.index not in firsts:
            found[entry.index] = gap
        latest = entry.ended if latest == inf else max(latest, entry.ended)
    return found


def recorded(entry: Entry, page: Group, pause: float = 0.0) -> Recorded:
    """Return what the recording shows of a transaction of ``page``; times to the millisecond."""
    at = round(entry.exchange.started - page.started, 3)
    # Start and end are rounded, not the duration: who was waited for still ends first.
    end = round(entry.exchange.started + entry.exchange.took - page.started, 3)
    shown = Recorded(
        status=entry.exchange.status,
        kind=entry.kind,
        entry=entry.index,
        at=at,
        took=round(end - at, 3),
        negotiation=entry.negotiation,
        pause=pause,
    )
    return replace(shown, answer=answer_of(shown, entry.exchange))
