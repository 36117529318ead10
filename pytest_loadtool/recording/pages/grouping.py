"""The ways of grouping transactions into pages, and the choice among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_loadtool.recording.entry import Entry
from pytest_loadtool.recording.pages.activity import ActivityMonitoring
from pytest_loadtool.recording.pages.common import Group
from pytest_loadtool.recording.pages.polls import polls
from pytest_loadtool.recording.pages.referrer import ReferrerAnalysis

#: Each way of grouping by the name it has in preferences.
ALGORITHMS = {"referrer": "Referrer Analysis", "activity": "Activity Monitoring"}


@dataclass(frozen=True, slots=True)
class Grouping:
    """How to group. ``threshold`` is the pause, in seconds, that ends a page of Activity
    Monitoring.

    Raises:
        ValueError: there is no such way, or the threshold is not above 0.
    """

    algorithm: str = "referrer"
    threshold: float = 2.0

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            expected = " or ".join(map(repr, ALGORITHMS))
            raise ValueError(f"expected {expected}, got {self.algorithm!r}")
        if not 0 < self.threshold < float("inf"):
            raise ValueError("the activity threshold must be longer than 0")


REFERRER_ANALYSIS = Grouping()


def group(entries: Iterable[Entry], grouping: Grouping) -> list[Group]:
    """The pages of a recording, in the order of their start. ``entries`` must be in that order."""
    entries = list(entries)
    if grouping.algorithm == "activity":
        pages: ActivityMonitoring | ReferrerAnalysis = ActivityMonitoring(
            threshold=grouping.threshold, polls=polls(entries)
        )
    else:
        pages = ReferrerAnalysis()
    for entry in entries:
        pages.add(entry)
    return pages.groups
