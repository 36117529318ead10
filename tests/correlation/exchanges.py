"""Makes exchanges for tests, as a recorder would."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import Any

from pytest_loadtool.codec.template import escape
from pytest_loadtool.model.case import Header, Page, Recorded, Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange, HeaderList
from pytest_loadtool.recording.filter.kinds import kind_of

__all__ = ["FORM", "JSON", "SERVER", "answered", "case_of", "exchange", "html", "json_body"]

SERVER = "http://shop.test"
FORM = ("Content-Type", "application/x-www-form-urlencoded")
JSON = ("Content-Type", "application/json")


def exchange(
    method: str = "GET",
    url: str = "http://shop.test/",
    *,
    status: int = 200,
    sent: HeaderList = (),
    body: bytes = b"",
    received: HeaderList = (),
    answer: bytes = b"",
) -> Exchange:
    """An exchange; ``sent`` and ``received`` are headers, ``body`` and ``answer`` bodies."""
    return Exchange(
        started=0.0,
        took=0.0,
        method=method,
        url=url,
        http_version="HTTP/1.1",
        request_headers=sent,
        request_body=body,
        status=status,
        response_headers=received,
        response_body=answer,
    )


def html(text: str, *headers: tuple[str, str]) -> Exchange:
    """A page."""
    received = (("Content-Type", "text/html; charset=utf-8"), *headers)
    return exchange(received=received, answer=text.encode())


def json_body(value: Any) -> Exchange:
    """A JSON response."""
    return exchange(received=(JSON,), answer=json.dumps(value).encode())


def answered(method: str, target: str, answer: Exchange, **request: Any) -> Exchange:
    """A request to the server with the response of ``answer``; the rest as `exchange`."""
    url = target if "://" in target else SERVER + target
    return replace(
        exchange(method, url, **request),
        status=request.get("status", 200),
        response_headers=(*request.get("received", ()), *answer.response_headers),
        response_body=answer.response_body,
    )


def case_of(*exchanges: Exchange) -> TestCase:
    """A test case of one page that sends what was recorded from ``http://shop.test``."""
    return TestCase(
        name="case",
        server=SERVER,
        pages=(Page("page", tuple(map(_transaction, range(len(exchanges)), exchanges))),),
    )


def _transaction(entry: int, recorded: Exchange) -> Transaction:
    body: str | bytes | None = recorded.request_body or None
    with contextlib.suppress(UnicodeDecodeError):
        body = escape(recorded.request_body.decode()) or None
    headers = tuple(Header(name, escape(value)) for name, value in recorded.request_headers)
    target = escape(recorded.url.removeprefix(SERVER))
    return Transaction(
        Request(recorded.method, target, headers, body),
        recorded=Recorded(recorded.status, kind=kind_of(recorded), entry=entry),
    )
