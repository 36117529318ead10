"""Strip Static Resources: what a page merely looks different without goes, what an API says stays.

The address decides where it has a telling suffix, unless a page, JSON or XML came back for it: the
wiki page ``/wiki/File:Logo.png`` is no image. Otherwise the kind of the response decides, unless a
script of the page asked for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from pytest_loadtool.codec.media import media_type
from pytest_loadtool.model.case import Kind, TestCase, Transaction
from pytest_loadtool.model.editing import without
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.failures import STATIC_DESTINATIONS, STATIC_SUFFIXES

_STATIC_KINDS = frozenset({Kind.CSS, Kind.IMAGE, Kind.JAVASCRIPT})
_DATA = frozenset({Kind.HTML, Kind.JSON, Kind.XML})
_FONT = re.compile(r"font/|application/(?:x-)?font-|application/vnd\.ms-fontobject")
#: Root elements of sitemaps and their indexes (https://www.sitemaps.org/protocol.html).
_SITEMAP_ROOT = re.compile(rb"<(?:urlset|sitemapindex)[\s>]")
_SITEMAP_NAME = re.compile(r"sitemap[^/]*\.xml$", re.IGNORECASE)
_CALLBACK = re.compile(r"[?&](?:callback|jsonp|cb)=([\w.$]+)")
#: How far into a response its first words are looked for, in bytes.
_PROLOGUE = 2000


@dataclass(frozen=True, slots=True)
class Stripped:
    """The test case that is left; by index in the one before, what was removed, and what is static
    and stays because a value is taken from its response."""

    case: TestCase
    removed: tuple[int, ...]
    needed: tuple[int, ...]


def strip(case: TestCase, exchanges: Sequence[Exchange]) -> Stripped:
    """Return ``case`` without its static resources. ``exchanges`` is its evidence, as far as there
    is."""
    removed: list[int] = []
    needed: list[int] = []
    for index, transaction in enumerate(case.transactions()):
        if _is_static(transaction, _evidence(transaction, exchanges)):
            (needed if transaction.extractors else removed).append(index)
    return Stripped(without(case, frozenset(removed)), tuple(removed), tuple(needed))


def _evidence(transaction: Transaction, exchanges: Sequence[Exchange]) -> Exchange | None:
    recorded = transaction.recorded
    if recorded is None or recorded.entry is None or not 0 <= recorded.entry < len(exchanges):
        return None
    return exchanges[recorded.entry]


def _is_static(transaction: Transaction, exchange: Exchange | None) -> bool:
    if transaction.request.method not in ("GET", "HEAD"):
        return False
    path = urlsplit(transaction.request.target).path.lower()
    kind = transaction.recorded.kind if transaction.recorded is not None else Kind.OTHER
    destination = exchange.request_header("sec-fetch-dest") if exchange is not None else None
    if destination in STATIC_DESTINATIONS:
        return not _is_jsonp(exchange)
    if kind is Kind.XML:
        return _SITEMAP_NAME.search(path) is not None or _is_sitemap(exchange)
    if path.endswith(STATIC_SUFFIXES):
        return kind not in _DATA or _missing(transaction)
    asked_by_script = exchange is not None and exchange.by_script
    return not asked_by_script and (kind in _STATIC_KINDS or _is_font(exchange))


def _is_sitemap(exchange: Exchange | None) -> bool:
    return exchange is not None and bool(_SITEMAP_ROOT.search(exchange.response_start(_PROLOGUE)))


def _is_font(exchange: Exchange | None) -> bool:
    if exchange is None:
        return False
    return _FONT.match(media_type(exchange.response_header("content-type"))) is not None


def _is_jsonp(exchange: Exchange | None) -> bool:
    """Return whether a script element fetched data: the response calls the function that was asked
    for."""
    if exchange is None:
        return False
    asked = _CALLBACK.search(exchange.url)
    start = exchange.response_start(_PROLOGUE).lstrip(b" \t\r\n/*;")
    return asked is not None and start.startswith(f"{asked[1]}(".encode())


def _missing(transaction: Transaction) -> bool:
    """Return whether the server answered with an error instead, whatever that looks like."""
    return transaction.recorded is not None and transaction.recorded.status >= 400
