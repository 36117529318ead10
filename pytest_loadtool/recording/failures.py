"""Responses that report a failure: how bad that is, and what it means for replay."""

from __future__ import annotations

from urllib.parse import urlsplit

from pytest_loadtool.model.case import Kind
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.validator import StatusCodes
from pytest_loadtool.recording.entry import Entry
from pytest_loadtool.recording.notes import INCOMPLETE, RECORDING_ERROR, Note

__all__ = [
    "STATIC_DESTINATIONS",
    "STATIC_SUFFIXES",
    "expected_status",
    "failure_notes",
    "is_static",
    "subject",
]

#: What browsers fetch for the sake of a page (Fetch standard, request destination).
STATIC_DESTINATIONS = frozenset(
    {"audio", "font", "image", "manifest", "script", "style", "track", "video"}
)
#: How the addresses of such files end.
STATIC_SUFFIXES = (
    ".avif", ".bmp", ".css", ".eot", ".gif", ".ico", ".jpeg", ".jpg", ".js", ".map", ".mjs",
    ".otf", ".png", ".svg", ".ttf", ".webp", ".woff", ".woff2",
)  # fmt: skip
_HTTP_AUTHENTICATION = ("basic", "digest", "negotiate", "ntlm")


def subject(exchange: Exchange) -> str:
    """What a note about ``exchange`` names."""
    return f"{exchange.method} {exchange.url}"


def is_static(exchange: Exchange) -> bool:
    """Whether a page merely looks different without it: images, styles, scripts, fonts."""
    if exchange.request_header("sec-fetch-dest") in STATIC_DESTINATIONS:
        return True
    return urlsplit(exchange.url).path.lower().endswith(STATIC_SUFFIXES)


def expected_status(entry: Entry) -> StatusCodes:
    """The Status Code validator: 200-399, or the recorded code if that lies outside.

    So a recording replays green, and a failure that was not meant is seen in its note.
    """
    status = entry.exchange.status
    default = StatusCodes()
    return default if default.accepts(status) else StatusCodes(((status, status),))


def failure_notes(entry: Entry, *, is_page: bool) -> list[Note]:
    """Notes on what is wrong with a transaction. ``is_page``: it is what a person navigated to."""
    exchange = entry.exchange
    notes = []
    if not StatusCodes().accepts(exchange.status):
        notes.append(_status_note(entry, is_page=is_page))
    if exchange.error:
        notes.append(Note(INCOMPLETE, subject(exchange), exchange.error))
    return notes


def _status_note(entry: Entry, *, is_page: bool) -> Note:
    exchange = entry.exchange
    meaning, serious = _meaning(entry, is_page=is_page)
    message = f"status {exchange.status}, which replay will expect: {meaning}"
    return Note(RECORDING_ERROR, subject(exchange), message, serious)


def _meaning(entry: Entry, *, is_page: bool) -> tuple[str, bool]:
    exchange = entry.exchange
    if exchange.status == 401 and _challenges(exchange):
        return "normal in a recording of HTTP authentication", False
    if is_page:
        return "a page failed; if that was not meant, record again", True
    if is_static(exchange):
        return "harmless, a static resource is missing", False
    if entry.kind in (Kind.JSON, Kind.XML) or exchange.method not in ("GET", "HEAD"):
        return "an API call failed; if that was not meant, record again", True
    return "a request of the page failed; if that was not meant, record again", True


def _challenges(exchange: Exchange) -> bool:
    schemes = [
        value.partition(" ")[0].lower()
        for name, value in exchange.response_headers
        if name.lower() == "www-authenticate"
    ]
    return any(scheme in _HTTP_AUTHENTICATION for scheme in schemes)
