"""Referrer Analysis: a transaction belongs to the page that it says it comes from.

Of what is neither a navigation nor follows a forward:

1. What names a Referer belongs to the latest page that contains that URL: the page itself, its
   style sheets, its frames. A call that names a page from which a navigation led away belongs to
   the current page: its script has taken that address (``history.replaceState``, as after a login
   at an identity provider).
2. Anything else belongs to the page on which its client (User-Agent) is.
3. A client that has not navigated anywhere (an API client) has no pages to go by: each of its calls
   is a page, and calls that were in flight together are one. A browser whose navigation was not
   recorded gets one page for all that one document fetched.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from pytest_loadtool.model.case import Kind
from pytest_loadtool.recording.entry import Entry, normal_url, origin
from pytest_loadtool.recording.pages.common import Group, Pages, client_of
from pytest_loadtool.recording.pages.navigation import from_browser

#: What a page may still ask for when the next is there.
_STATIC = frozenset({Kind.CSS, Kind.JAVASCRIPT, Kind.IMAGE})


@dataclass(slots=True)
class ReferrerAnalysis(Pages):
    """Pages by what the requests say of themselves."""

    def page_of(self, entry: Entry) -> Group:
        """The page that the Referer names, else the one on which the client is."""
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
        """The latest page that contains the URL ``referer``.

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
