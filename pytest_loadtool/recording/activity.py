"""Activity Monitoring: what happens without a pause is one page.

Of what is neither a navigation nor follows a forward: while its client has requests in flight, or
had some less than the threshold ago, a transaction belongs to what is going on, whatever its
Referer says. So a script's calls go with the page, or the click, that caused them. After a pause
something new begins: in an application of one document each thing that its user does is a page,
with the time to think before it.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_loadtool.recording.entry import Entry
from pytest_loadtool.recording.pages import Group, Pages, client_of

__all__ = ["ActivityMonitoring"]


@dataclass(slots=True)
class ActivityMonitoring(Pages):
    """Pages by pauses of at least ``threshold`` seconds."""

    threshold: float = 0.0

    def page_of(self, entry: Entry) -> Group:
        """What the client is at, unless it has paused."""
        page = self.current.get(client_of(entry))
        if page is not None and entry.began - page.ended < self.threshold:
            return page
        return self.start(navigated=False)
