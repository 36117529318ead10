"""Which requests are a person going somewhere, and which are what a page fetches."""

from __future__ import annotations

import re

from pytest_loadtool.model.case import Kind
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.entry import Entry, joined

#: A quality value in an Accept header (RFC 9110 §12.4.2).
_QUALITY = re.compile(r";\s*q=([0-9.]+)")

_FRAME = re.compile(
    rb"<(?:iframe|frame)\s[^>]*?\bsrc\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE
)

#: Headers by which scripts say that it is they who ask.
_SCRIPT_HEADERS = ("x-requested-with", "hx-request", "turbo-frame")


def is_navigation(entry: Entry) -> bool:
    """Whether ``entry`` takes a person to a page, or forwards to one.

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
    """Whether a browser sent it: it says where it comes from, or what it is for."""
    return (
        exchange.request_header("referer") is not None
        or exchange.request_header("sec-fetch-mode") is not None
    )


def frame_urls(entry: Entry) -> set[str]:
    """The URLs of the frames in an HTML response, in the form in which URLs are compared."""
    found = set()
    for groups in _FRAME.findall(entry.exchange.response_body):
        source = next(filter(None, groups), b"").decode("utf-8", "replace")
        found.add(joined(entry.exchange.url, source.strip().replace("&amp;", "&")))
    return found


def _arrives(exchange: Exchange) -> bool:
    """Whether the browser shows the response: a download or an empty answer it does not."""
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
            best, quality_of_best = item.partition(";")[0].strip().lower(), quality
    return best in ("text/html", "application/xhtml+xml")
