"""What no request of a test case can say: odd methods, targets and headers.

Files of other programs have them (WebPageTest lists the request line among the headers), and
clients that write their requests themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_loadtool.model.exchange import Exchange, HeaderList
from pytest_loadtool.model.wire import (
    HOST_AND_PORT,
    is_header_value,
    is_method,
    is_target,
    is_token,
)
from pytest_loadtool.recording.entry import origin

_ORIGIN = re.compile(rf"\w+://{HOST_AND_PORT}")


def why_unsayable(exchange: Exchange) -> str:
    """Why no test case can have the request; empty if it can."""
    if not is_method(exchange.method):
        return "its method is none of HTTP"
    if not _ORIGIN.fullmatch(origin(exchange.url)):
        return "its URL names no host that can be asked"
    if not is_target(exchange.url.partition("#")[0]):
        return "its URL holds a space or what is no character"
    return ""


def left_out_headers(exchange: Exchange) -> Iterator[str]:
    """The lines among the request's headers that are none."""
    for name, value in exchange.request_headers:
        if not name.startswith(":") and not _is_header(name, value):
            yield f"{name}: {value}" if is_token(name) else name


def sayable(exchange: Exchange) -> Exchange:
    """The exchange without the lines among its headers that are none."""
    return exchange.changed(
        request_headers=_headers(exchange.request_headers),
        response_headers=_headers(exchange.response_headers),
    )


def _headers(headers: HeaderList) -> HeaderList:
    return tuple(header for header in headers if _is_header(*header))


def _is_header(name: str, value: str) -> bool:
    return is_token(name) and is_header_value(value)
