"""Makes exchanges for tests, as a recorder would."""

from __future__ import annotations

import json
from typing import Any

from pytest_loadtool.model.exchange import Exchange, HeaderList

__all__ = ["exchange", "html", "json_body"]


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
    received = (("Content-Type", "application/json"),)
    return exchange(received=received, answer=json.dumps(value).encode())
