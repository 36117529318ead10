"""Media types, as content types have them."""

from __future__ import annotations

import pytest

from pytest_loadtool.codec.media import is_html, is_json, is_xml, media_type


@pytest.mark.parametrize(
    ("content_type", "media"),
    [
        (None, ""),
        ("", ""),
        ("Text/HTML; charset=utf-8", "text/html"),
        (" application/json ;x=y", "application/json"),
    ],
)
def test_parameters_are_left_out(content_type: str | None, media: str) -> None:
    """And case does not count."""
    assert media_type(content_type) == media


@pytest.mark.parametrize(
    ("media", "kinds"),
    [
        ("text/html", {"html"}),
        ("application/xhtml+xml", {"html", "xml"}),
        ("application/json", {"json"}),
        ("text/json", {"json"}),
        ("application/problem+json", {"json"}),
        ("application/x-amz-json-1.0", {"json"}),
        ("application/json-rpc", {"json"}),
        ("application/json-seq", set()),
        ("application/x-ndjson", set()),
        ("application/xml", {"xml"}),
        ("image/svg+xml", {"xml"}),
        ("text/plain", set()),
        ("application/jsonp", set()),
    ],
)
def test_classes(media: str, kinds: set[str]) -> None:
    """Structured suffixes count (RFC 6839)."""
    tests = {"html": is_html, "json": is_json, "xml": is_xml}
    assert {name for name, test in tests.items() if test(media)} == kinds
