"""What all ways of grouping share: navigations start pages, forwards go with where they lead."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from pytest_loadtool.codec.media import is_html, media_type
from pytest_loadtool.model.case import Kind
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.entry import Entry, joined, normal_url

#: Seconds after which a request to where a forward led is no consequence of it.
_FORWARD_TIME = 10.0


@dataclass(slots=True)
class Group:
    """The transactions of a page, in the order of their start.

    ``key`` is the first HTML response that is no forward: it names the page. ``navigated`` is False
    when no navigation led to the page. ``ended`` is when its last response had come.
    """

    navigated: bool
    entries: list[Entry] = field(default_factory=list)
    key: Entry | None = None
    ended: float = 0.0

    @property
    def started(self) -> float:
        """Return when its first request was sent, not counting negotiations."""
        return self.entries[0].exchange.started

    @property
    def began(self) -> float:
        """Return when its client first asked for any of it."""
        return min(entry.began for entry in self.entries)

    def ended_of(self, moment: float) -> float:
        """Return when the last response had come to what it had asked for before ``moment``."""
        return max((one.ended for one in self.entries if one.began < moment), default=self.ended)

    def add(self, entry: Entry) -> None:
        """Add the next transaction."""
        self.entries.append(entry)
        self.ended = max(self.ended, entry.ended)


@dataclass(slots=True)
class Pages(ABC):
    """The pages so far. ``add`` the transactions in the order of their start.

    1. A navigation starts a page, unless a forward (3xx) led to it: a forward belongs to the page
       that it leads to.
    2. Anything else that follows a forward belongs where the forward does.
    3. For the rest a subclass says the page (`page_of`).
    """

    groups: list[Group] = field(default_factory=list)
    by_url: dict[str, Group] = field(default_factory=dict)
    current: dict[str, Group] = field(default_factory=dict)
    """The page on which each client is."""
    forwards: dict[str, tuple[Group, float]] = field(default_factory=dict)
    frames: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
    """The URLs of pages from which a navigation led away."""

    @abstractmethod
    def page_of(self, entry: Entry) -> Group:
        """Return the page of a transaction that is neither a navigation nor follows a forward."""

    def add(self, entry: Entry) -> None:
        """Put ``entry`` on its page."""
        navigation = self._is_navigation(entry)
        page = self._forwarded(entry) or (
            self.start(navigated=True) if navigation else self.page_of(entry)
        )
        client = client_of(entry)
        if navigation:
            referer = entry.exchange.request_header("referer")
            self.left |= {normal_url(referer)} if referer is not None else set()
            self.left.discard(entry.url)
        if navigation or not page.entries or client not in self.current:
            self.current[client] = page
        page.add(entry)
        self.by_url[entry.url] = page
        if entry.forward is not None:
            self.forwards[entry.forward] = (page, entry.ended)
        elif navigation and page.key is None and entry.kind is Kind.HTML:
            page.key = entry
        if entry.kind is Kind.HTML:
            self.frames |= frame_urls(entry)

    def start(self, *, navigated: bool) -> Group:
        """Return a new page."""
        page = Group(navigated)
        self.groups.append(page)
        return page

    def _is_navigation(self, entry: Entry) -> bool:
        # Without Fetch metadata a frame looks like a navigation: the page's markup tells.
        told = entry.exchange.request_header("sec-fetch-dest") is not None
        return is_navigation(entry) and (told or entry.url not in self.frames)

    def _forwarded(self, entry: Entry) -> Group | None:
        page, when = self.forwards.pop(entry.url, (None, 0.0))
        return page if entry.began - when <= _FORWARD_TIME else None


def client_of(entry: Entry) -> str:
    """Return what tells clients apart: the browser, and an API client beside it."""
    return entry.exchange.request_header("user-agent") or ""


#: A quality value in an Accept header (RFC 9110 §12.4.2).
_QUALITY = re.compile(r";\s*q=([0-9.]+)")

_FRAME = re.compile(
    rb"<(?:iframe|frame)\s[^>]*?\bsrc\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE
)

#: Headers by which scripts say that it is they who ask.
_SCRIPT_HEADERS = ("x-requested-with", "hx-request", "turbo-frame")


def is_navigation(entry: Entry) -> bool:
    """Return whether ``entry`` takes a person to a page, or forwards to one.

    Browsers say so (Fetch metadata: ``Sec-Fetch-Dest: document``; a frame is ``iframe``), but only
    to servers that they trust (HTTPS, loopback). For others: a GET or POST that wants HTML above
    all and gets it, or is forwarded.
    """
    exchange = entry.exchange
    destination = exchange.request_header("sec-fetch-dest")
    if destination is not None:
        return destination == "document" and _arrives(exchange)
    if exchange.method not in ("GET", "POST"):
        return False
    if any(exchange.request_header(name) is not None for name in _SCRIPT_HEADERS):
        return False
    leads_to_html = entry.kind is Kind.HTML or entry.forward is not None
    return leads_to_html and _prefers_html(exchange.request_header("accept") or "")


def from_browser(exchange: Exchange) -> bool:
    """Return whether a browser sent it: it says where it comes from, or what it is for."""
    return (
        exchange.request_header("referer") is not None
        or exchange.request_header("sec-fetch-mode") is not None
    )


def frame_urls(entry: Entry) -> set[str]:
    """Return the URLs of the frames in an HTML response, in the form in which URLs are compared."""
    found = set()
    for groups in _FRAME.findall(entry.exchange.response_body):
        source = next(filter(None, groups), b"").decode("utf-8", "replace")
        found.add(joined(entry.exchange.url, source.strip().replace("&amp;", "&")))
    return found


def _arrives(exchange: Exchange) -> bool:
    """Return whether the browser shows the response: a download or an empty answer it does not."""
    if exchange.status in (204, 205):
        return False
    if "prefetch" in (exchange.request_header("sec-purpose") or ""):
        return False
    disposition = exchange.response_header("content-disposition") or ""
    return not disposition.strip().lower().startswith("attachment")


def _prefers_html(accept: str) -> bool:
    best, quality_of_best = "", 0.0
    for item in accept.split(","):
        match = _QUALITY.search(item)
        try:
            quality = float(match[1]) if match else 1.0
        except ValueError:
            quality = 0.0
        if quality > quality_of_best:
            best, quality_of_best = media_type(item), quality
    return is_html(best)
