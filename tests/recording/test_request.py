"""Requests as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.model.case import Header
from pytest_loadtool.model.exchange import HeaderList
from pytest_loadtool.recording.request.template import draft
from pytest_loadtool.recording.request.uploads import Uploads
from tests.recording.samples import SHOP, call


def headers(*recorded: tuple[str, str], url: str = f"{SHOP}/x") -> list[tuple[str, str | None]]:
    """What becomes of these recorded headers."""
    exchange = replace(call("GET", url, 0), request_headers=recorded)
    return [(one.name, one.value) for one in draft(exchange, SHOP, Uploads("shop")).headers]


@pytest.mark.promise(21)
def test_a_request_keeps_its_method_target_headers_and_body() -> None:
    """In its own spelling and order."""
    exchange = call("PATCH", f"{SHOP}/a?b=c", 0, ("x-A", "1"), ("Content-Length", "3"), body=b"abc")
    one = draft(exchange, SHOP, Uploads("shop"))
    assert (one.method, one.target, one.body) == ("PATCH", "/a?b=c", "abc")
    assert one.headers == (
        Header("Host"),
        Header("User-Agent", "curl/7.88.1"),
        Header("Accept", "*/*"),
        Header("x-A", "1"),
        Header("Content-Length"),
    )


@pytest.mark.parametrize(
    "name",
    [":authority", "Proxy-Connection", "proxy-authorization", "Transfer-Encoding", "Expect"],
)
def test_what_is_about_the_connection_is_left_out(name: str) -> None:
    """Replay has connections of its own."""
    assert headers(("A", "1"), (name, "x"), ("B", "2")) == [("A", "1"), ("B", "2")]


def test_computed_headers_become_places() -> None:
    """Once each, even where HTTP/2 sent Cookie in pieces."""
    recorded = (("host", "127.0.0.1:8000"), ("cookie", "a=1"), ("x", "1"), ("cookie", "b=2"))
    assert headers(*recorded) == [("host", None), ("cookie", None), ("x", "1")]


@pytest.mark.parametrize(
    ("url", "host", "value"),
    [
        (f"{SHOP}/", "127.0.0.1:8000", None),
        ("http://Shop.Example:80/", "shop.example", None),
        ("https://[::1]:8443/", "[::1]:8443", None),
        (f"{SHOP}/", "virtual.example", "virtual.example"),
        ("http://shop.example/", "shop.example:80", "shop.example:80"),
    ],
)
def test_a_host_that_is_not_that_of_the_url_was_meant(
    url: str, host: str, value: str | None
) -> None:
    """It is kept; the ordinary one is computed, so that it follows the server."""
    assert headers(("Host", host), url=url) == [("Host", value)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", None),
        (b"text", "text"),
        ("gr\u00fcn \u2713\r\n".encode(), "gr\u00fcn \u2713\r\n"),
        (b"cost: ${x}", "cost: $${x}"),
        (b"\x1f\x8b\x08\x00", b"\x1f\x8b\x08\x00"),
        (b"gr\xfcn", b"gr\xfcn"),
    ],
)
def test_bodies_are_text_where_they_can_be(body: bytes, expected: str | bytes | None) -> None:
    """UTF-8 is text, with placeholders escaped; anything else stays bytes."""
    assert draft(call("POST", f"{SHOP}/x", 0, body=body), SHOP, Uploads("shop")).body == expected


def test_bytes_beyond_ascii_are_sent_as_they_were() -> None:
    """Exchanges hold bytes as latin-1 text, templates go out as UTF-8: the bytes stay the same."""
    utf8 = "gr\u00fcn".encode()
    recorded: HeaderList = (("X-Name", utf8.decode("latin-1")),)
    exchange = replace(call("GET", f"{SHOP}/{utf8.decode('latin-1')}", 0), request_headers=recorded)
    one = draft(exchange, SHOP, Uploads("shop"))
    assert one.target.encode() == b"/" + utf8
    assert (one.headers[0].value or "").encode() == utf8
    # Text from a HAR file may hold characters that no byte stands for.
    assert headers(("X-Name", "\u2713")) == [("X-Name", "\u2713")]
