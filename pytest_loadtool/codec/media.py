"""Media types (RFC 9110 §8.3.1), of which most functions take the essence: see `media_type`."""

from __future__ import annotations

FORM = "application/x-www-form-urlencoded"

_HTML = ("text/html", "application/xhtml+xml")
_JSON = ("application/json", "text/json")
_XML = ("application/xml", "text/xml")


def media_type(content_type: str | None) -> str:
    """``text/html`` of ``Text/HTML; charset=utf-8``; empty for None."""
    return (content_type or "").partition(";")[0].strip().lower()


def is_html(media: str) -> bool:
    """Return whether it says that it is a page."""
    return media in _HTML


def is_json(media: str) -> bool:
    """Return whether it says that it is JSON (RFC 6839 §3.1)."""
    return media in _JSON or media.endswith("+json")


def is_xml(media: str) -> bool:
    """Return whether it says that it is XML (RFC 7303), be it a page."""
    return media in _XML or media.endswith("+xml")
