"""When things happened: think times between pages, and offsets within a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from pytest_loadtool.answers.look import answer_of
from pytest_loadtool.model.case import Recorded
from pytest_loadtool.recording.entry import Entry
from pytest_loadtool.recording.grouping import Group

__all__ = ["recorded", "think_times"]

#: Seconds; nobody looks at a page for less.
_SHORTEST = 0.01


def think_times(groups: Sequence[Group]) -> list[float]:
    """Seconds between the last response of each page and the first request of the next, whose
    negotiation belongs to it.

    To the millisecond; 0 where pages overlap, after the last one, and for gaps so short that a
    program left them, not a person.
    """
    gaps = [round(following.began - page.ended, 3) for page, following in pairwise(groups)]
    return [*(gap if gap >= _SHORTEST else 0.0 for gap in gaps), 0.0] if groups else []


def recorded(entry: Entry, page: Group) -> Recorded:
    """What the recording shows of a transaction of ``page``; times to the millisecond."""
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
    )
    return replace(shown, answer=answer_of(shown, entry.exchange))
