"""What a transaction is: from its response's content type, or from what the body shows."""

from __future__ import annotations

import json

from pytest_loadtool.answers.shape import JSON_STARTS, VAGUE, declared, shown
from pytest_loadtool.codec.media import media_type
from pytest_loadtool.model.case import Kind
from pytest_loadtool.model.exchange import Exchange

#: What the browser wanted (Fetch standard, request destination), where the response is silent.
_DESTINATIONS = {
    "document": Kind.HTML,
    "iframe": Kind.HTML,
    "frame": Kind.HTML,
    "image": Kind.IMAGE,
    "script": Kind.JAVASCRIPT,
    "style": Kind.CSS,
}

#: Bytes of a body that tell what it is.
_BEGINNING = 64


def kind_of(exchange: Exchange) -> Kind:
    """Return the kind of ``exchange``'s response.

    JSON with a type that says less (``text/html`` is the default of many frameworks) is JSON.
    JavaScript that a script has asked for is an answer and no resource of the page.
    """
    media = media_type(exchange.response_header("content-type"))
    start = _start(exchange.response_start(_BEGINNING))
    if media in VAGUE and start.startswith(JSON_STARTS) and is_json(exchange.response_body):
        return Kind.JSON
    kind = declared(media)
    if kind is Kind.JAVASCRIPT and exchange.by_script and not exchange.prefetched:
        return Kind.OTHER
    if kind is not Kind.OTHER:
        return kind
    if not exchange.response_size:
        return _DESTINATIONS.get(exchange.request_header("sec-fetch-dest") or "", kind)
    return shown(start) if media in VAGUE else kind


def is_json(body: bytes) -> bool:
    """Return whether ``body`` is a JSON object or array."""
    if not _start(body).startswith(JSON_STARTS):
        return False
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _start(body: bytes) -> str:
    return body[:_BEGINNING].lstrip(b"\xef\xbb\xbf \t\r\n").decode("latin-1")
