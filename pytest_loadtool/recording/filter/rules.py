"""Which exchanges can become transactions, and a note for each of the others."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from pytest_loadtool.answers.kinds import media_type
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.failures import subject, what_failed
from pytest_loadtool.recording.filter.background import is_background
from pytest_loadtool.recording.filter.domains import BLOCKED, OUTSIDE
from pytest_loadtool.recording.filter.expressible import why_unsayable
from pytest_loadtool.recording.filter.kinds import kind_of
from pytest_loadtool.recording.notes import (
    BACKGROUND,
    CANCELLED,
    FILTERED,
    NEGOTIATION,
    RECORDING_ERROR,
    UNREADABLE,
    UNREPLAYABLE,
    Note,
)

#: gRPC proper; gRPC-Web has its trailers in the body.
_GRPC = ("application/grpc", "application/grpc+proto", "application/grpc+json")

#: How a request is called that its own client gave up, or that the end of the recording cut off.
_GIVEN_UP = (
    "client disconnected",
    "net::err_aborted",
    "recording stopped",
    "stream reset by client",
)


def left_out(exchange: Exchange) -> Note | None:
    """Why ``exchange`` cannot become a transaction, or None if it can."""
    return next((note for rule in _RULES if (note := rule(exchange)) is not None), None)


def _unread(exchange: Exchange) -> Note | None:
    if exchange.url or not exchange.lost:
        return None
    return Note(UNREADABLE, "", exchange.lost[0])


def _filtered(exchange: Exchange) -> Note | None:
    if exchange.note not in (OUTSIDE, BLOCKED):
        return None
    return Note(FILTERED, urlsplit(exchange.url).netloc, exchange.note)


def _background(exchange: Exchange) -> Note | None:
    if not is_background(exchange):
        return None
    host = urlsplit(exchange.url).hostname or exchange.url
    return Note(BACKGROUND, host, "asked for by the browser, not by a page")


def _not_http(exchange: Exchange) -> Note | None:
    scheme = exchange.url.partition(":")[0].lower()
    if scheme in ("http", "https"):
        return None
    return Note(UNREPLAYABLE, subject(exchange), f"not HTTP ({scheme}:)")


def _tunnel(exchange: Exchange) -> Note | None:
    if exchange.method != "CONNECT":
        return None
    if 200 <= exchange.status <= 299:
        return Note(NEGOTIATION, urlsplit(exchange.url).netloc, "a tunnel through a proxy")
    reason = ": ".join(part for part in (exchange.note, exchange.error) if part)
    host = urlsplit(exchange.url).netloc
    return Note(RECORDING_ERROR, host, reason or "nothing was sent through the tunnel")


def _said_unreplayable(exchange: Exchange) -> Note | None:
    if not exchange.note:
        return None
    did = ", over which the page sent events" if exchange.events else ""
    return Note(UNREPLAYABLE, subject(exchange), exchange.note + did)


def _unsayable(exchange: Exchange) -> Note | None:
    reason = why_unsayable(exchange)
    return Note(UNREPLAYABLE, subject(exchange), reason) if reason else None


def _no_response(exchange: Exchange) -> Note | None:
    if exchange.status:
        return None
    error = exchange.error or "no reason recorded"
    if "HTTP_1_1_REQUIRED" in error:
        return Note(NEGOTIATION, subject(exchange), "the server wanted it over HTTP/1.1")
    if error.lower().startswith(_GIVEN_UP):
        return Note(CANCELLED, subject(exchange), "given up before the response ended")
    failed, serious = what_failed(exchange, kind_of(exchange))
    return Note(RECORDING_ERROR, subject(exchange), f"no response: {error}: {failed}", serious)


def _grpc(exchange: Exchange) -> Note | None:
    if media_type(exchange.request_header("content-type")) not in _GRPC:
        return None
    message = "gRPC, whose calls end with HTTP/2 trailers"
    return Note(UNREPLAYABLE, subject(exchange), message)


def _informational(exchange: Exchange) -> Note | None:
    if exchange.status >= 200:
        return None
    return Note(UNREPLAYABLE, subject(exchange), f"ended with status {exchange.status}")


#: In order: the first that knows a reason says it.
_RULES: tuple[Callable[[Exchange], Note | None], ...] = (
    _unread,
    _filtered,
    _background,
    _not_http,
    _tunnel,
    _said_unreplayable,
    _unsayable,
    _no_response,
    _grpc,
    _informational,
)
