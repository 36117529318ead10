"""A transaction gets its recorded request back."""

from __future__ import annotations

from dataclasses import replace

from pytest_loadtool.model.case import Header
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import Uploads, build_case, restored

HEADERS = (("Host", "127.0.0.1:8000"), ("Content-Type", "application/json"), ("X-Key", "k"))


def _exchange(method: str, path: str, body: bytes = b"") -> Exchange:
    return Exchange(
        started=0.0,
        took=0.1,
        method=method,
        url=f"http://127.0.0.1:8000{path}",
        http_version="HTTP/1.1",
        request_headers=HEADERS,
        request_body=body,
        status=200,
        reason="OK",
        response_headers=(("Content-Type", "application/json"),),
        response_body=b"{}",
    )


def test_all_of_it_comes_back() -> None:
    """Method, address, headers and body; what is expected of the response stays, and so do the
    other transactions."""
    exchanges = (_exchange("POST", "/orders?a=1", b'{"name": "Kettle"}'), _exchange("GET", "/"))
    case = build_case(exchanges, name="shop").case
    first, second = case.transactions()
    broken = replace(
        first,
        name="Order",
        request=replace(
            first.request,
            method="PUT",
            target="/order",
            headers=(Header("X-Other", "1"),),
            body="{",
        ),
    )
    edited = with_transactions(case, (broken, second))
    again = list(restored(edited, 0, exchanges[0], Uploads("shop")).transactions())
    assert again[0].name == "Order"
    assert (again[0].request.method, again[0].request.target) == ("POST", "/orders?a=1")
    assert again[0].request.body == '{"name": "Kettle"}'
    assert case.wire_headers(again[0].request) == case.wire_headers(first.request)
    assert again[1] == second


def test_what_was_not_edited_stays() -> None:
    """Then it is the same test case."""
    exchanges = (_exchange("POST", "/orders", b'{"name": "Kettle"}'), _exchange("GET", "/"))
    case = build_case(exchanges, name="shop").case
    assert restored(case, 0, exchanges[0], Uploads("shop")) == case
