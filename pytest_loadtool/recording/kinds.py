"""What a transaction is: from its response's content type, or from what the body shows."""

from __future__ import annotations

import json

from pytest_loadtool.model.case import Kind
from pytest_loadtool.model.exchange import Exchange

__all__ = ["is_json", "kind_of", "media_type"]

_TYPES = {
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.HTML,
    "text/css": Kind.CSS,
    "text/javascript": Kind.JAVASCRIPT,
    "application/javascript": Kind.JAVASCRIPT,
    "application/x-javascript": Kind.JAVASCRIPT,
    "application/ecmascript": Kind.JAVASCRIPT,
    "text/ecmascript": Kind.JAVASCRIPT,
    "application/json": Kind.JSON,
    "text/json": Kind.JSON,
    "application/xml": Kind.XML,
    "text/xml": Kind.XML,
}

#: What a response of a telling type is not checked for: only these lie often.
_VAGUE = frozenset({"", "text/html", "text/plain", "text/javascript", "application/octet-stream"})

#: What the browser wanted (Fetch standard, request destination), where the response is silent.
_DESTINATIONS = {
    "document": Kind.HTML,
    "iframe": Kind.HTML,
    "frame": Kind.HTML,
    "image": Kind.IMAGE,
    "script": Kind.JAVASCRIPT,
    "style": Kind.CSS,
}

_OPENINGS = (
    (b"<!doctype html", Kind.HTML),
    (b"<html", Kind.HTML),
    (b"<?xml", Kind.XML),
)


_JSON = (b"{", b"[")

#: Bytes of a body that tell what it is.
_BEGINNING = 64


def media_type(content_type: str | None) -> str:
    """``text/html`` of ``Text/HTML; charset=utf-8``; empty for None."""
    return (content_type or "").partition(";")[0].strip().lower()


def kind_of(exchange: Exchange) -> Kind:
    """The kind of ``exchange``'s response.

    JSON with a type that says less (``text/html`` is the default of many frameworks) is JSON.
    JavaScript that a script has asked for is an answer and no resource of the page.
    """
    media = media_type(exchange.response_header("content-type"))
    start = _start(exchange.response_start(_BEGINNING))
    if media in _VAGUE and start[:1] in _JSON and is_json(exchange.response_body):
        return Kind.JSON
    declared = _declared(media)
    if declared is Kind.JAVASCRIPT and exchange.by_script:
        return Kind.OTHER
    if declared is not Kind.OTHER:
        return declared
    if not exchange.response_size:
        return _DESTINATIONS.get(exchange.request_header("sec-fetch-dest") or "", declared)
    shown = next(
        (kind for opening, kind in _OPENINGS if start.lower().startswith(opening)), declared
    )
    return shown if media in _VAGUE else declared


def is_json(body: bytes) -> bool:
    """Whether ``body`` is a JSON object or array."""
    if _start(body)[:1] not in _JSON:
        return False
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _start(body: bytes) -> bytes:
    return body[:_BEGINNING].lstrip(b"\xef\xbb\xbf \t\r\n")


def _declared(media: str) -> Kind:
    if media in _TYPES:
        return _TYPES[media]
    if media.startswith("image/"):
        return Kind.IMAGE
    if media.endswith("+json"):
        return Kind.JSON
    if media.endswith("+xml"):
        return Kind.XML
    return Kind.OTHER
