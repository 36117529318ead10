"""The matrix: what a server wants, what a proxy before it wants, with TLS and without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["OVERHEAD", "PATHS", "Cell", "cells"]

#: How many requests each scheme adds to the first one of a connection.
OVERHEAD = {"none": 0, "basic": 1, "digest": 1, "negotiate": 2, "ntlm": 2}

#: Where the server wants each scheme.
PATHS = {
    "none": "/open",
    "basic": "/basic/one",
    "digest": "/digest",
    "negotiate": "/negotiate",
    "ntlm": "/ntlm",
}

#: Schemes that authenticate a connection.
BOUND = ("negotiate", "ntlm")


@dataclass(frozen=True, slots=True)
class Cell:
    """``proxied`` is the peer that is the proxy, which wants ``proxy``; empty: there is none."""

    scheme: str
    server: str
    proxy: str = ""
    proxied: str = ""
    transport: str = "raw"

    def __str__(self) -> str:
        way = f"{self.proxied}-{self.proxy}" if self.proxied else self.transport
        return f"{self.scheme}-{self.server}-{way}"

    @property
    def tunnelled(self) -> bool:
        return self.scheme == "https" and bool(self.proxied)

    @property
    def works(self) -> bool:
        """Whether it can: Apache as a proxy opens a connection to the server for each request, so
        there is none that a user could log in on, unless it is a tunnel (squid keeps one for each
        of the client's)."""
        return not (self.proxied == "apache" and self.server in BOUND and not self.tunnelled)


def cells() -> Iterator[Cell]:
    """Every scheme of a server, directly, over either transport, and through either proxy with
    every scheme of its own."""
    for scheme in ("http", "https"):
        for server in OVERHEAD:
            yield Cell(scheme, server)
            yield Cell(scheme, server, transport="httpx")
            for proxied in ("apache", "squid"):
                for proxy in OVERHEAD:
                    yield Cell(scheme, server, proxy, proxied)
