"""What was sent and received, without its secrets."""

from __future__ import annotations

from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.exchange import Exchange, HeaderList


def without_secrets(exchange: Exchange, mask: Mask) -> Exchange:
    """Return the exchange with its secrets cut as ``mask`` cuts them. A body that is no text stays
    as it is."""
    return exchange.changed(
        url=mask.text(exchange.url),
        request_headers=_headers(exchange.request_headers, mask),
        request_body=_body(exchange.request_body, mask),
        response_headers=_headers(exchange.response_headers, mask),
        response_body=_body(exchange.response_body, mask),
        error=mask.text(exchange.error),
    )


def _headers(headers: HeaderList, mask: Mask) -> HeaderList:
    return tuple((name, mask.header(name, value)) for name, value in headers)


def _body(body: bytes, mask: Mask) -> bytes:
    try:
        return mask.text(body.decode()).encode()
    except UnicodeDecodeError:
        return body
