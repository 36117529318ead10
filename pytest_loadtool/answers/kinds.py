"""The kind of a response: from its content type, or from what the body shows."""

from __future__ import annotations

from pytest_loadtool.codec.media import is_html, is_json, is_xml
from pytest_loadtool.model.case import Kind

_TYPES = {
    "text/css": Kind.CSS,
    "text/javascript": Kind.JAVASCRIPT,
    "application/javascript": Kind.JAVASCRIPT,
    "application/x-javascript": Kind.JAVASCRIPT,
    "application/ecmascript": Kind.JAVASCRIPT,
    "text/ecmascript": Kind.JAVASCRIPT,
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


def declared(media: str) -> Kind:
    """Return what a media type says."""
    if media in _TYPES:
        return _TYPES[media]
    if media.startswith("image/"):
        return Kind.IMAGE
    if is_html(media):
        return Kind.HTML
    if is_json(media):
        return Kind.JSON
    if is_xml(media):
        return Kind.XML
    return Kind.OTHER


def shown(start: str) -> Kind:
    """Return what the beginning of a body shows that is no JSON."""
    lower = start.lower()
    return next((kind for opening, kind in _OPENINGS if lower.startswith(opening)), Kind.OTHER)
