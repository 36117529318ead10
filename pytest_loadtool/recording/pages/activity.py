"""Activity Monitoring: what happens without a pause is one page.

Of what is neither a navigation nor follows a forward: while its client has requests in flight, or
had some less than the threshold ago, a transaction belongs to what is going on, whatever its
Referer says. So a script's calls go with the page, or the click, that caused them. After a pause
something new begins: in an application of one document each thing that its user does is a page,
with the time to think before it.

What a timer asks for (`polls`) belongs to what is going on, and is no activity of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_loadtool.recording.entry import Entry
from pytest_loadtool.recording.pages.common import Group, Pages, client_of


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
        """What the client is at, unless it has paused."""
        client = client_of(entry)
        page = self.current.get(client)
        if page is not None and (
            entry.index in self.polls or entry.began - self.active[client] < self.threshold
        ):
            return page
        return self.start(navigated=False)
