"""Kinds of transactions."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.case import Kind
from pytest_loadtool.recording.filter.kinds import kind_of
from tests.recording.samples import SHOP, load

pytestmark = pytest.mark.promise(22)


@pytest.mark.parametrize(
    ("content_type", "content", "kind"),
    [
        ("text/html; charset=utf-8", b"<p>", Kind.HTML),
        ("Application/XHTML+XML", b"<html/>", Kind.HTML),
        ("image/png", b"\x89PNG", Kind.IMAGE),
        ("image/svg+xml", b"<svg/>", Kind.IMAGE),
        ("text/css", b"p {}", Kind.CSS),
        ("text/javascript", b"let a = {}", Kind.JAVASCRIPT),
        ("application/javascript", b"[]", Kind.JAVASCRIPT),
        ("application/json", b"{}", Kind.JSON),
        ("application/problem+json", b"{}", Kind.JSON),
        ("text/xml", b"<a/>", Kind.XML),
        ("application/soap+xml; charset=utf-8", b"<a/>", Kind.XML),
        ("application/pdf", b"%PDF", Kind.OTHER),
        ("text/plain", b"plain", Kind.OTHER),
    ],
)
def test_the_content_type_tells(content_type: str, content: bytes, kind: Kind) -> None:
    """Parameters and case do not matter, nor does a structured suffix hide what it is."""
    assert kind_of(load(f"{SHOP}/x", 0, content_type, content, dest="script")) is kind


@pytest.mark.parametrize(
    ("content_type", "content", "kind"),
    [
        ("text/html", b' {"token": "abc"}', Kind.JSON),
        ("text/plain", b"[1, 2]", Kind.JSON),
        ("text/javascript", b'{"a": 1}', Kind.JSON),
        ("", b'\xef\xbb\xbf{"a": 1}', Kind.JSON),
        ("text/html", b"{not json}", Kind.HTML),
        ("application/octet-stream", b"<!DOCTYPE html><p>", Kind.HTML),
        ("", b"\n<html><p>", Kind.HTML),
        ("text/plain", b"<?xml version='1.0'?><a/>", Kind.XML),
        ("", b"[" * 100_000, Kind.OTHER),
    ],
)
def test_a_content_type_that_lies_is_seen_through(
    content_type: str, content: bytes, kind: Kind
) -> None:
    """JSON above all: many servers send it under a type that says less."""
    assert kind_of(load(f"{SHOP}/x", 0, content_type, content)) is kind


@pytest.mark.parametrize(("dest", "kind"), [("style", Kind.CSS), ("empty", Kind.OTHER)])
def test_where_the_response_is_silent_the_request_tells(dest: str, kind: Kind) -> None:
    """A 304 has neither type nor body; the browser said what it wanted."""
    assert kind_of(load(f"{SHOP}/x", 0, "", b"", dest=dest, status=304)) is kind


@pytest.mark.parametrize(("dest", "kind"), [("script", Kind.JAVASCRIPT), ("empty", Kind.OTHER)])
def test_a_script_that_a_script_asks_for_is_an_answer(dest: str, kind: Kind) -> None:
    """WordPress's admin-ajax.php answers a check of its token so; Rails sends RJS."""
    one = load(f"{SHOP}/x", 0, "application/javascript; charset=UTF-8", b"-1", dest=dest)
    assert kind_of(one) is kind


def test_a_script_that_a_page_fetches_early_is_a_script() -> None:
    """``<link rel="prefetch" as="script">``, which Chromium sends with the destination of a
    script's own request: the names that builds give to files are no answers."""
    one = load(f"{SHOP}/_nuxt/B2A7qJhs.js", 0, "text/javascript", b"export {}", dest="empty")
    early = (*one.request_headers, ("Sec-Purpose", "prefetch"))
    assert kind_of(one.changed(request_headers=early)) is Kind.JAVASCRIPT
