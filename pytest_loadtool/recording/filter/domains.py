"""Domains that are recorded, and domains that are blocked.

*Only record domain*: whatever other domains send passes through, but is not recorded. *Blocked*
domains are not even fetched: the page goes without them. Of either, the evidence keeps that there
was a request and where to, so that it can be counted, and nothing of what it said.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Self
from urllib.parse import urlsplit

from pytest_loadtool.model.exchange import Exchange

#: `Exchange.note` of what was kept out, and why.
OUTSIDE = "outside the domains to record"
BLOCKED = "blocked domain"

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


@dataclass(frozen=True, slots=True)
class Domain:
    """A host with its subdomains, on one port or (None) on all. IP addresses have no subdomains."""

    host: str
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """The domain that a person means by ``shop.example``, ``*.shop.example``, ``shop:8000``.

        Raises:
            ValueError: it is a URL or no domain at all.
        """
        try:
            parts = urlsplit(f"//{text.removeprefix('*').removeprefix('.')}")
            host, port = _normal(parts.hostname or ""), parts.port
        except (ValueError, UnicodeError):
            raise ValueError(f"{text!r} is no domain") from None
        if not host or parts.path or parts.query or "@" in parts.netloc or " " in text:
            raise ValueError(f"expected a domain such as shop.example, got {text!r}")
        return cls(host, port)

    def holds(self, host: str, port: int | None) -> bool:
        """Whether ``host``, as `_normal` writes it, is this one or below it."""
        if self.port is not None and port != self.port:
            return False
        return host == self.host or (host.endswith(f".{self.host}") and not _is_address(self.host))

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class DomainFilter:
    """What to record and what to block. Without ``only``, every domain that is not blocked."""

    only: tuple[Domain, ...] = ()
    block: tuple[Domain, ...] = ()

    def blocks(self, host: str, port: int | None) -> bool:
        """Whether requests to ``host`` are not to be sent at all."""
        return _any_holds(self.block, host, port)

    def records(self, host: str, port: int | None) -> bool:
        """Whether traffic with ``host`` is to be in the recording."""
        if self.blocks(host, port):
            return False
        return not self.only or _any_holds(self.only, host, port)

    def kept(self, exchange: Exchange) -> Exchange:
        """``exchange``, or of one that is kept out what the evidence may hold."""
        if not self.only and not self.block:
            return exchange
        parts = urlsplit(exchange.url)
        host, port = parts.hostname or "", parts.port or _PORTS.get(parts.scheme)
        if self.records(host, port):
            return exchange
        return Exchange(
            started=exchange.started,
            took=exchange.took,
            method=exchange.method,
            url=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}",
            http_version=exchange.http_version,
            request_headers=(),
            request_body=b"",
            note=BLOCKED if self.blocks(host, port) else OUTSIDE,
        )


NO_FILTER = DomainFilter()


def _any_holds(domains: tuple[Domain, ...], host: str, port: int | None) -> bool:
    if not domains:
        return False
    try:
        host = _normal(host)
    except UnicodeError:
        return False
    return any(domain.holds(host, port) for domain in domains)


def _normal(host: str) -> str:
    """Small letters, no dot at the end, international names as they are on the wire."""
    host = host.lower().rstrip(".")
    return host if host.isascii() else host.encode("idna").decode()


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
