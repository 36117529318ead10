"""Exchanges as HAR entries."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from pytest_loadtool.casefile.har.exchange import entry_from, exchange_from
from pytest_loadtool.casefile.har.table import EntryError
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


def changed(**changes: Any) -> dict[str, Any]:
    """The entry with other members, or others in its parts: ``response__status``."""
    entry = entry_from(EXCHANGE)
    for path, value in changes.items():
        *parts, name = path.split("__")
        table = entry
        for part in parts:
            table = table[part]
        table[name] = value
    return entry


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({"request": None}, "request", "missing"),
        ({"request": [1]}, "request", "unexpected value [1]"),
        ({"request__method": 7}, "request.method", "unexpected value 7"),
        ({"request__url": None}, "request.url", "missing"),
        (
            {"request__url": "http://a:99999/"},
            "request.url",
            "'http://a:99999/' is no URL: Port out of range 0-65535",
        ),
    ],
)
def test_without_a_request_nothing_can_be_kept(
    changes: dict[str, Any], key: str, message: str
) -> None:
    """What was not asked for has no answer either; the key is named."""
    with pytest.raises(EntryError) as caught:
        exchange_from(changed(**changes))
    assert (caught.value.key, str(caught.value)) == (key, message)


@pytest.mark.parametrize(
    ("changes", "left", "lost"),
    [
        ({"time": "long"}, {"took": 0.0}, "time: unexpected value 'long'"),
        ({"request__headers": 5}, {"request_headers": ()}, "request.headers: unexpected value 5"),
        (
            {"request__headers": [7, {"name": "A", "value": "b"}]},
            {"request_headers": (("A", "b"),)},
            "request.headers[0]: unexpected value 7",
        ),
        (
            {"response__headers": [{"name": ["x"]}, {"name": "A"}]},
            {"response_headers": (("A", ""),)},
            "response.headers[0].name: unexpected value ['x']",
        ),
        (
            {"request__postData": "a=1"},
            {"request_body": b""},
            "request.postData: unexpected value 'a=1'",
        ),
        ({"response__status": True}, {"status": 0}, "response.status: unexpected value True"),
        (
            {"response__status": 1000},
            {"status": 0},
            "response.status: expected three digits, got 1000",
        ),
        (
            {"response__content": {"text": "x", "encoding": "rot13"}},
            {"response_body": b""},
            "response.content.encoding: unknown encoding 'rot13': expected 'base64'",
        ),
        (
            {"response__content": {"text": "AAAAA", "encoding": "base64"}},
            {"response_body": b""},
            "response.content.text: bad base64: Invalid base64-encoded string: number of data "
            "characters (5) cannot be 1 more than a multiple of 4",
        ),
        (
            {"response___error": {"code": "ECONNRESET"}},
            {},
            "response._error: unexpected value {'code': 'ECONNRESET'}",
        ),
    ],
)
def test_what_cannot_be_read_is_left_out_and_named(
    changes: dict[str, Any], left: dict[str, Any], lost: str
) -> None:
    """All else of the entry stays as it is."""
    assert exchange_from(changed(**changes)) == replace(EXCHANGE, **left, lost=(lost,))


@pytest.mark.parametrize("start", ["yesterday", "0001-01-01T00:00:00Z", "9999-01-01", 5, None])
def test_a_start_that_cannot_be_read_is_no_number(start: Any) -> None:
    """Nor one of a time at which nothing was recorded, as .NET writes it for none."""
    exchange = exchange_from(changed(startedDateTime=start))
    assert math.isnan(exchange.started)
    (lost,) = exchange.lost
    assert lost.startswith("startedDateTime: ")


def test_base64_may_lack_its_padding() -> None:
    """Chrome's developer tools have exported such bodies; nothing of them is missing."""
    entry = changed(response__content={"text": "/w", "encoding": "base64"})
    assert exchange_from(entry) == replace(EXCHANGE, response_body=b"\xff")


def test_what_was_lost_is_kept_with_the_rest() -> None:
    """A file that is written again says it, too."""
    exchange = replace(EXCHANGE, lost=("response.content.text: bad base64: Incorrect padding",))
    assert exchange_from(json.loads(json.dumps(entry_from(exchange)))) == exchange
