"""Requests that a timer makes: the same one, again and again, at even intervals.

What a person does has other intervals, and what a page fetches at once hardly any.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from pytest_loadtool.recording.entry import Entry
from pytest_loadtool.recording.pages.navigation import is_navigation

#: How many intervals in a row have to be even.
_IN_A_ROW = 4

#: Seconds; what comes faster is one thing in many requests.
_SHORTEST_INTERVAL = 0.3

#: By how much even intervals differ, as a part of the longest and in seconds: a timer may count
#: from the answer, which does not always take as long.
_UNEVEN, _LATE = 0.05, 0.05


def polls(entries: Iterable[Entry]) -> frozenset[int]:
    """The indexes of those that a timer has made. ``entries`` are in the order of their start."""
    series: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        if not is_navigation(entry):
            series[entry.exchange.method, entry.url.partition("?")[0]].append(entry)
    return frozenset(index for alike in series.values() for index in _even(alike))


def _even(alike: list[Entry]) -> set[int]:
    intervals = [after.began - one.began for one, after in pairwise(alike)]
    found: set[int] = set()
    for first in range(len(intervals) - _IN_A_ROW + 1):
        run = intervals[first : first + _IN_A_ROW]
        least, most = min(run), max(run)
        if least >= _SHORTEST_INTERVAL and most - least <= _UNEVEN * most + _LATE:
            found |= {one.index for one in alike[first : first + _IN_A_ROW + 1]}
    return found
