"""Echoes: what a response has because its own request said so. It gives nothing out."""

from __future__ import annotations

from pytest_loadtool.codec.multipart import as_template, pieces_of
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.slots import request_slots
from pytest_loadtool.model.case import Header, Request
from pytest_loadtool.model.exchange import Exchange


def said(exchange: Exchange) -> frozenset[str]:
    """The values that a request had, as it was sent."""
    headers = exchange.request_headers
    media = next((value for name, value in headers if name.lower() == "content-type"), "")
    request = Request(
        exchange.method,
        escape(exchange.url),
        tuple(Header(name, escape(value)) for name, value in headers),
        as_template(pieces_of(exchange.request_body, media)),
    )
    return frozenset(one.value for one in request_slots(request, media, 0))
