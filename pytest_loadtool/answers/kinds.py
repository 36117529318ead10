"""The kind of a response: from its content type, or from what the body shows."""

from __future__ import annotations

from pytest_loadtool.model.case import Kind

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
VAGUE = frozenset({"", "text/html", "text/plain", "text/javascript", "application/octet-stream"})

#: How the text of an object or an array begins.
JSON_STARTS = ("{", "[")

_OPENINGS = (
    ("<!doctype html", Kind.HTML),
    ("<html", Kind.HTML),
    ("<?xml", Kind.XML),
)


def media_type(content_type: str | None) -> str:
    """``text/html`` of ``Text/HTML; charset=utf-8``; empty for None."""
    return (content_type or "").partition(";")[0].strip().lower()


def declared(media: str) -> Kind:
    """What a media type says."""
    if media in _TYPES:
        return _TYPES[media]
    if media.startswith("image/"):
        return Kind.IMAGE
    if media.endswith("+json"):
        return Kind.JSON
    if media.endswith("+xml"):
        return Kind.XML
    return Kind.OTHER


def shown(start: str) -> Kind:
    """What the beginning of a body shows that is no JSON."""
    lower = start.lower()
    return next((kind for opening, kind in _OPENINGS if lower.startswith(opening)), Kind.OTHER)
