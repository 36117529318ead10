"""The ways of grouping transactions into pages, and the choice among them.

Referrer Analysis: a transaction belongs to the page that it says it comes from. Of what is neither
a navigation nor follows a forward:

1. What names a Referer belongs to the latest page that contains that URL: the page itself, its
   style sheets, its frames. A call that names a page from which a navigation led away belongs to
   the current page: its script has taken that address (``history.replaceState``, as after a login
   at an identity provider).
2. Anything else belongs to the page on which its client (User-Agent) is.
3. A client that has not navigated anywhere (an API client) has no pages to go by: each of its calls
   is a page, and calls that were in flight together are one. A browser whose navigation was not
   recorded gets one page for all that one document fetched.

Activity Monitoring: what happens without a pause is one page. Of what is neither a navigation nor
follows a forward: while its client has requests in flight, or had some less than the threshold ago,
a transaction belongs to what is going on, whatever its Referer says. So a script's calls go with
the page, or the click, that caused them. After a pause something new begins: in an application of
one document each thing that its user does is a page, with the time to think before it. What a timer
asks for, again and again at even intervals, belongs to what is going on, and is no activity of its
own: what a person does has other intervals, and what a page fetches at once hardly any.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from urllib.parse import urlsplit

from pytest_loadtool.model.case import Kind
from pytest_loadtool.recording.entry import Entry, normal_url, origin
from pytest_loadtool.recording.pages.common import (
    Group,
    Pages,
    client_of,
    from_browser,
    is_navigation,
)

#: Each way of grouping by the name it has in preferences.
ALGORITHMS = {"referrer": "Referrer Analysis", "activity": "Activity Monitoring"}


@dataclass(frozen=True, slots=True)
class Grouping:
    """The way in which transactions become pages. ``threshold`` is the pause, in seconds, that ends
    a page of Activity Monitoring.

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
    """Return the pages of a recording, in the order of their start. ``entries`` must be in that
    order."""
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


#: What a page may still ask for when the next is there.
_STATIC = frozenset({Kind.CSS, Kind.JAVASCRIPT, Kind.IMAGE})


@dataclass(slots=True)
class ReferrerAnalysis(Pages):
    """Pages by what the requests say of themselves."""

    def page_of(self, entry: Entry) -> Group:
        """Return the page that the Referer names, else the one on which the client is."""
        referer = entry.exchange.request_header("referer")
        if referer is not None:
            page = self._referring(entry, normal_url(referer))
            if page is not None:
                return page
        page = self.current.get(client_of(entry))
        if page is not None and (
            page.navigated or from_browser(entry.exchange) or entry.began < page.ended
        ):
            return page
        page = self.start(navigated=False)
        if referer is not None:
            self.by_url[normal_url(referer)] = page
        return page

    def _referring(self, entry: Entry, referer: str) -> Group | None:
        """Return the latest page that contains the URL ``referer``.

        To another origin, browsers name only their own (``https://shop.example/``): that is the
        client's current page if it is of that origin, whatever its path.
        """
        crosses = origin(referer) not in ("", origin(entry.url))
        if crosses and urlsplit(referer).path == "/":
            page = self.current.get(client_of(entry))
            if page is not None and page.key and origin(page.key.url) == origin(referer):
                return page
        if referer in self.left and entry.kind not in _STATIC:
            return self.current.get(client_of(entry))
        return self.by_url.get(referer)


@dataclass(slots=True)
class ActivityMonitoring(Pages):
    """Pages by pauses of at least ``threshold`` seconds."""

    threshold: float = 0.0
    polls: frozenset[int] = frozenset()
    """The indexes of what timers ask for."""
    active: dict[str, float] = field(default_factory=dict)
    """Until when anything else was in flight for each client."""

    def add(self, entry: Entry) -> None:
        """Put ``entry`` on its page."""
        Pages.add(self, entry)
        client = client_of(entry)
        if entry.index not in self.polls or client not in self.active:
            self.active[client] = max(entry.ended, self.active.get(client, entry.ended))

    def page_of(self, entry: Entry) -> Group:
        """Return what the client is at, unless it has paused."""
        client = client_of(entry)
        page = self.current.get(client)
        if page is not None and (
            entry.index in self.polls or entry.began - self.active[client] < self.threshold
        ):
            return page
        return self.start(navigated=False)


#: How many intervals in a row have to be even.
_IN_A_ROW = 4

#: Seconds; what comes faster is one thing in many requests.
_SHORTEST_INTERVAL = 0.3

#: By how much even intervals differ, as a part of the longest and in seconds: a timer may count
#: from the answer, which does not always take as long.
_UNEVEN, _LATE = 0.05, 0.05


def polls(entries: Iterable[Entry]) -> frozenset[int]:
    """Return the indexes of those that a timer has made. ``entries`` are in the order of their
    start."""
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
