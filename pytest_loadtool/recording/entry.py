"""An exchange on its way into the test case, without what no request of one can say.

Files of other programs have odd methods, targets and headers (WebPageTest lists the request line
among the headers), and so have clients that write their requests themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from pytest_loadtool.codec.http import (
    HOST_AND_PORT,
    authority,
    is_header_value,
    is_method,
    is_target,
    is_token,
)
from pytest_loadtool.model.case import Kind
from pytest_loadtool.model.exchange import Exchange, HeaderList

#: What a URL may hold besides letters and digits; "%" because it is encoded already.
_URL_CHARACTERS = "-._~!$&'()*+,;=:@/?#[]%|"


@dataclass(frozen=True, slots=True)
class Entry:
    """An exchange that becomes a transaction. ``index`` is its position in the evidence.

    ``negotiation`` are the positions of those in which credentials were negotiated for it, and
    ``negotiated`` is how long that took before it was sent, in seconds: a person may have typed a
    password.
    """

    index: int
    exchange: Exchange
    kind: Kind
    negotiation: tuple[int, ...] = ()
    negotiated: float = 0.0

    @property
    def url(self) -> str:
        """Return its URL, in the form in which URLs are compared."""
        return normal_url(self.exchange.url)

    @property
    def began(self) -> float:
        """Return when its client first asked for it, in seconds since the epoch."""
        return self.exchange.started - self.negotiated

    @property
    def ended(self) -> float:
        """Return when the last byte of its response came, in seconds since the epoch."""
        return self.exchange.started + self.exchange.took

    @property
    def forward(self) -> str | None:
        """Return where a redirect leads to, in the form in which URLs are compared; None for
        others."""
        location = self.exchange.response_header("location")
        if location is None or not 300 <= self.exchange.status <= 399:
            return None
        return joined(self.exchange.url, location.strip())


def origin(url: str) -> str:
    """Return ``scheme://host``, with ``:port`` if that is not the scheme's own; empty if it has
    none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if not parts.hostname:
        return ""
    return f"{parts.scheme}://{authority(parts.hostname, port, parts.scheme)}"


def joined(base: str, reference: str) -> str:
    """Return the URL that a reference in ``base`` leads to, as `normal_url`; the reference itself
    if that cannot be."""
    try:
        return normal_url(urljoin(base, reference))
    except ValueError:
        return reference


def normal_url(url: str) -> str:
    """Return ``url`` without its fragment, and with one spelling of what has several."""
    url = url.partition("#")[0]
    start = origin(url)
    if not start:
        return url
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return start + quote((parts.path or "/") + query, safe=_URL_CHARACTERS)


_ORIGIN = re.compile(rf"\w+://{HOST_AND_PORT}")


def why_unsayable(exchange: Exchange) -> str:
    """Return why no test case can have the request; empty if it can."""
    if not is_method(exchange.method):
        return "its method is none of HTTP"
    if not _ORIGIN.fullmatch(origin(exchange.url)):
        return "its URL names no host that can be asked"
    if not is_target(exchange.url.partition("#")[0]):
        return "its URL holds a space or what is no character"
    return ""


def left_out_headers(exchange: Exchange) -> Iterator[str]:
    """Yield the lines among the request's headers that are none."""
    for name, value in exchange.request_headers:
        if not name.startswith(":") and not _is_header(name, value):
            yield f"{name}: {value}" if is_token(name) else name


def sayable(exchange: Exchange) -> Exchange:
    """Return the exchange without the lines among its headers that are none."""
    return exchange.changed(
        request_headers=_headers(exchange.request_headers),
        response_headers=_headers(exchange.response_headers),
    )


def _headers(headers: HeaderList) -> HeaderList:
    return tuple(header for header in headers if _is_header(*header))


def _is_header(name: str, value: str) -> bool:
    return is_token(name) and is_header_value(value)
