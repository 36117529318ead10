"""An exchange on its way into the test case."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from pytest_loadtool.model.case import Kind
from pytest_loadtool.model.exchange import Exchange

_DEFAULT_PORTS = {"http": 80, "https": 443}

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
        """Its URL, in the form in which URLs are compared."""
        return normal_url(self.exchange.url)

    @property
    def began(self) -> float:
        """When its client first asked for it, in seconds since the epoch."""
        return self.exchange.started - self.negotiated

    @property
    def ended(self) -> float:
        """When the last byte of its response came, in seconds since the epoch."""
        return self.exchange.started + self.exchange.took

    @property
    def forward(self) -> str | None:
        """Where a redirect leads to, in the form in which URLs are compared; None for others."""
        location = self.exchange.response_header("location")
        if location is None or not 300 <= self.exchange.status <= 399:
            return None
        return joined(self.exchange.url, location.strip())


def origin(url: str) -> str:
    """``scheme://host``, with ``:port`` if that is not the scheme's own; empty if it has none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if port is None or port == _DEFAULT_PORTS.get(parts.scheme):
        return f"{parts.scheme}://{host}"
    return f"{parts.scheme}://{host}:{port}"


def joined(base: str, reference: str) -> str:
    """The URL that a reference in ``base`` leads to, as `normal_url`; the reference itself if that
    cannot be."""
    try:
        return normal_url(urljoin(base, reference))
    except ValueError:
        return reference


def normal_url(url: str) -> str:
    """``url`` without its fragment, and with one spelling of what has several."""
    url = url.partition("#")[0]
    start = origin(url)
    if not start:
        return url
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return start + quote((parts.path or "/") + query, safe=_URL_CHARACTERS)
