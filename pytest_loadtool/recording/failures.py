"""Status codes of a recording: what replay expects, and how bad it is that something failed."""

from __future__ import annotations

from urllib.parse import urlsplit

from pytest_loadtool.auth.negotiation import is_challenge, was_refused
from pytest_loadtool.codec.http import SAFE_METHODS
from pytest_loadtool.model.case import Kind, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.validator import DEFAULT_STATUS, StatusCodes
from pytest_loadtool.recording.entry import Entry
from pytest_loadtool.recording.notes import EXPECTED, INCOMPLETE, RECORDING_ERROR, Note
from pytest_loadtool.recording.pages.common import is_navigation

#: What browsers fetch for the sake of a page (Fetch standard, request destination).
STATIC_DESTINATIONS = frozenset(
    {"audio", "font", "image", "manifest", "script", "style", "track", "video"}
)
#: How the addresses of such files end.
STATIC_SUFFIXES = (
    ".avif", ".bmp", ".css", ".eot", ".gif", ".ico", ".jpeg", ".jpg", ".js", ".map", ".mjs",
    ".otf", ".png", ".svg", ".ttf", ".webp", ".woff", ".woff2",
)  # fmt: skip


#: What confirms a change: the client is to get another page (RFC 9110 §15.4.3, §15.4.4). The other
#: redirects are about the address, and another server may do without.
_SEE_OTHER = frozenset({302, 303})
_REDIRECT = StatusCodes(((300, 399),))
_REDIRECT_MEANS = (
    'must redirect again, status = "300-399" (a form that is refused comes back as a page)'
)
_ANY = StatusCodes(((100, 599),))
_NOT_WAITED_FOR = (
    "the client did not wait for the answer to this change, which replay sends and waits for"
)


def subject(exchange: Exchange) -> str:
    """Return what a note about ``exchange`` names."""
    return f"{exchange.method} {exchange.url}"


def is_static(exchange: Exchange) -> bool:
    """Return whether a page merely looks different without it: images, styles, scripts, fonts."""
    if exchange.request_header("sec-fetch-dest") in STATIC_DESTINATIONS:
        return True
    return urlsplit(exchange.url).path.lower().endswith(STATIC_SUFFIXES)


def expected_status(entry: Entry) -> StatusCodes:
    """Return the Status Code validator: 200-399; the recorded code if that lies outside; a redirect
    if that is how a change was confirmed.

    So a recording replays green, a failure that was not meant is seen in its note, and a form that
    comes back because the server has refused it (a page with status 200) fails. Where nobody waited
    for the answer, any will do: the recorded one may have been a failure, too.
    """
    status = entry.exchange.status
    if not status:
        return _ANY
    if status in _SEE_OTHER and entry.exchange.method not in SAFE_METHODS:
        return _REDIRECT
    return DEFAULT_STATUS if DEFAULT_STATUS.accepts(status) else StatusCodes(((status, status),))


def status_notes(transaction: Transaction, exchange: Exchange) -> list[Note]:
    """Return what `expected_status` has narrowed, unless somebody has edited it since."""
    if transaction.status != _REDIRECT or exchange.status not in _SEE_OTHER:
        return []
    return [Note(EXPECTED, subject(exchange), _REDIRECT_MEANS)]


def failure_notes(entry: Entry) -> list[Note]:
    """Return notes on what is wrong with a transaction."""
    exchange = entry.exchange
    if not exchange.status:
        return [Note(INCOMPLETE, subject(exchange), _NOT_WAITED_FOR)]
    notes = []
    if not DEFAULT_STATUS.accepts(exchange.status):
        notes.append(_status_note(entry))
    if exchange.error:
        notes.append(Note(INCOMPLETE, subject(exchange), exchange.error))
    return notes


def what_failed(exchange: Exchange, kind: Kind) -> tuple[str, bool]:
    """Return what the failure of ``exchange`` means, and whether the recording must be made again
    for it (unless it was meant: a test of what an error page looks like is a test).
    """
    if is_challenge(exchange):
        how = "the credentials were refused" if was_refused(exchange) else "nobody gave credentials"
        return f"normal in a recording of HTTP authentication: {how}", False
    if _is_page(exchange, kind):
        return "the main HTML of a page failed; if that was not meant, record again", True
    if is_static(exchange):
        return "harmless, a static resource is missing", False
    if kind in (Kind.JSON, Kind.XML) or exchange.method not in ("GET", "HEAD"):
        return "an API call failed; if that was not meant, record again", True
    return "a request of the page failed; if that was not meant, record again", True


def _status_note(entry: Entry) -> Note:
    exchange = entry.exchange
    meaning, serious = what_failed(exchange, entry.kind)
    message = f"status {exchange.status}, which replay will expect: {meaning}"
    return Note(RECORDING_ERROR, subject(exchange), message, serious)


def _is_page(exchange: Exchange, kind: Kind) -> bool:
    """Return whether a person went there: what failed may have no HTML, or no response at all."""
    destination = exchange.request_header("sec-fetch-dest")
    if destination is not None:
        return destination == "document"
    return is_navigation(Entry(0, exchange, kind)) and not is_static(exchange)
