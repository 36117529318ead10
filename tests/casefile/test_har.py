"""Exchanges as HAR entries."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from pytest_loadtool.casefile.har import EntryError, entry_from, exchange_from
from pytest_loadtool.model.exchange import Exchange
from tests.casefile.models import FILES, exchanges

EXCHANGE = Exchange(
    started=1_700_000_000.123456,
    took=0.0351,
    method="POST",
    url="http://shop.test/cart?item=7&q=a%20b&empty=",
    http_version="HTTP/1.1",
    request_headers=(
        ("Host", "shop.test"),
        ("Cookie", "sid=1; theme=dark"),
        ("Content-Type", "application/x-www-form-urlencoded"),
    ),
    request_body=b"a=1",
    status=302,
    reason="Found",
    response_headers=(
        ("Content-Type", "text/html; charset=utf-8"),
        ("Set-Cookie", "sid=2; Path=/"),
        ("Location", "/done"),
    ),
    response_body="<p>größe</p>".encode(),
)


@FILES
@given(exchanges)
def test_an_exchange_is_the_same_after_har(exchange: Exchange) -> None:
    """Any exchange, whatever its bodies and headers, survives; times to the microsecond."""
    assert exchange_from(json.loads(json.dumps(entry_from(exchange)))) == exchange


def test_an_entry_has_what_har_1_2_asks_for() -> None:
    """All fields that the format requires, in its types: what viewers rely on."""
    assert entry_from(EXCHANGE) == {
        "startedDateTime": "2023-11-14T22:13:20.123456Z",
        "time": 35.1,
        "request": {
            "method": "POST",
            "url": "http://shop.test/cart?item=7&q=a%20b&empty=",
            "httpVersion": "HTTP/1.1",
            "cookies": [{"name": "sid", "value": "1"}, {"name": "theme", "value": "dark"}],
            "headers": [{"name": n, "value": v} for n, v in EXCHANGE.request_headers],
            "queryString": [
                {"name": "item", "value": "7"},
                {"name": "q", "value": "a b"},
                {"name": "empty", "value": ""},
            ],
            "headersSize": -1,
            "bodySize": 3,
            "postData": {
                "mimeType": "application/x-www-form-urlencoded",
                "params": [],
                "text": "a=1",
            },
        },
        "response": {
            "status": 302,
            "statusText": "Found",
            "httpVersion": "HTTP/1.1",
            "cookies": [{"name": "sid", "value": "2"}],
            "headers": [{"name": n, "value": v} for n, v in EXCHANGE.response_headers],
            "content": {
                "size": 14,
                "mimeType": "text/html; charset=utf-8",
                "text": "<p>größe</p>",
            },
            "redirectURL": "/done",
            "headersSize": -1,
            "bodySize": -1,
        },
        "cache": {},
        "timings": {
            "blocked": -1,
            "dns": -1,
            "connect": -1,
            "send": 0,
            "wait": 35.1,
            "receive": 0,
            "ssl": -1,
        },
    }


def test_what_har_has_no_place_for_stands_in_fields_of_our_own() -> None:
    """A binary request body, a network error and why an exchange cannot be replayed."""
    entry = entry_from(
        replace(EXCHANGE, request_body=b"\xff", status=0, error="connection reset", note="SSE")
    )
    assert entry["request"]["postData"]["text"] == "/w=="
    assert entry["request"]["postData"]["_encoding"] == "base64"
    assert entry["response"]["_error"] == "connection reset"
    assert (entry["comment"], entry["_note"]) == ("SSE", "SSE")


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"request": None}, "request"),
        ({"startedDateTime": "yesterday"}, "startedDateTime"),
        ({"startedDateTime": 5}, "startedDateTime"),
        ({"time": "long"}, "time"),
        ({"response": {"status": True}}, "response.status"),
        ({"response": {"headers": [{"value": "x"}]}}, "response.headers.name"),
        (
            {"response": {"content": {"text": "x", "encoding": "rot13"}}},
            "response.content.encoding",
        ),
        ({"response": {"content": {"text": "AAA", "encoding": "base64"}}}, "response.content.text"),
    ],
)
def test_a_wrong_entry_says_which_key(change: dict[str, object], key: str) -> None:
    """Every way an entry can be wrong names the key."""
    with pytest.raises(EntryError) as caught:
        exchange_from({**entry_from(EXCHANGE), **change})
    assert caught.value.key == key
