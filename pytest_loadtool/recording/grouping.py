"""Referrer Analysis: which page each transaction belongs to.

1. A navigation starts a page, unless a forward (3xx) led to it: a forward belongs to the page that
   it leads to.
2. Anything else that follows a forward belongs where the forward does.
3. Anything else that names a Referer belongs to the latest page that contains that URL: the page
   itself, its style sheets, its frames.
4. Anything else belongs to the page on which its client (User-Agent) is.
5. A client that has not navigated anywhere (an API client) has no pages to go by: each of its calls
   is a page, and calls that were in flight together are one. A browser whose navigation was not
   recorded gets one page for all that one document fetched.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pytest_loadtool.model.case import Kind
from pytest_loadtool.recording.entry import Entry, normal_url, origin
from pytest_loadtool.recording.navigation import frame_urls, from_browser, is_navigation

__all__ = ["Group", "group"]

#: Seconds after which a request to where a forward led is no consequence of it.
_FORWARD_TIME = 10.0


@dataclass(slots=True)
class Group:
    """The transactions of a page, in the order of their start.

    ``key`` is the first HTML response that is no forward: it names the page. ``navigated`` is False
    when no navigation led to the page.
    """

    navigated: bool
    entries: list[Entry] = field(default_factory=list)
    key: Entry | None = None

    @property
    def started(self) -> float:
        """When its first request was sent."""
        return self.entries[0].exchange.started

    @property
    def ended(self) -> float:
        """When its last response had come."""
        return max(entry.ended for entry in self.entries)


def group(entries: Iterable[Entry]) -> list[Group]:
    """The pages of a recording, in the order of their start. ``entries`` must be in that order."""
    analysis = _Analysis()
    for entry in entries:
        analysis.add(entry)
    return analysis.groups


@dataclass(slots=True)
class _Analysis:
    groups: list[Group] = field(default_factory=list)
    by_url: dict[str, Group] = field(default_factory=dict)
    current: dict[str, Group] = field(default_factory=dict)
    forwards: dict[str, tuple[Group, float]] = field(default_factory=dict)
    frames: set[str] = field(default_factory=set)

    def add(self, entry: Entry) -> None:
        navigation = self._is_navigation(entry)
        page = self._forwarded(entry) or (
            self._open(navigated=True) if navigation else self._page_of(entry)
        )
        client = _client(entry)
        if navigation or not page.entries or client not in self.current:
            self.current[client] = page
        page.entries.append(entry)
        self.by_url[entry.url] = page
        if entry.forward is not None:
            self.forwards[entry.forward] = (page, entry.ended)
        elif navigation and page.key is None and entry.kind is Kind.HTML:
            page.key = entry
        if entry.kind is Kind.HTML:
            self.frames |= frame_urls(entry)

    def _is_navigation(self, entry: Entry) -> bool:
        # Without Fetch metadata a frame looks like a navigation: the page's markup tells.
        told = entry.exchange.request_header("sec-fetch-dest") is not None
        return is_navigation(entry) and (told or entry.url not in self.frames)

    def _open(self, *, navigated: bool) -> Group:
        page = Group(navigated)
        self.groups.append(page)
        return page

    def _forwarded(self, entry: Entry) -> Group | None:
        page, when = self.forwards.pop(entry.url, (None, 0.0))
        return page if entry.exchange.started - when <= _FORWARD_TIME else None

    def _page_of(self, entry: Entry) -> Group:
        referer = entry.exchange.request_header("referer")
        if referer is not None:
            page = self._referring(entry, normal_url(referer))
            if page is not None:
                return page
        page = self.current.get(_client(entry))
        if page is not None and (
            page.navigated or from_browser(entry.exchange) or entry.exchange.started < page.ended
        ):
            return page
        page = self._open(navigated=False)
        if referer is not None:
            self.by_url[normal_url(referer)] = page
        return page

    def _referring(self, entry: Entry, referer: str) -> Group | None:
        """The latest page that contains the URL ``referer``.

        To another origin, browsers name only their own (``https://shop.example/``): that is the
        client's current page if it is of that origin, whatever its path.
        """
        crosses = origin(referer) != origin(entry.url)
        if crosses and urlsplit(referer).path == "/":
            page = self.current.get(_client(entry))
            if page is not None and page.key and origin(page.key.url) == origin(referer):
                return page
        return self.by_url.get(referer)


def _client(entry: Entry) -> str:
    return entry.exchange.request_header("user-agent") or ""
