"""Recordings of applications that ask for HTTP authentication."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool.model.exchange import Exchange
from tests.auth.negotiated import ASKS, BASIC, basic, exchange, ntlm_tokens

__all__ = ["SHOP", "two_users", "with_basic", "with_ntlm"]

SHOP = "http://shop.test"


def with_basic(server: str = SHOP, user: str = "alice:secret1") -> tuple[Exchange, ...]:
    """Two pages; the browser was asked for the first one."""
    first, second = f"{server}/", f"{server}/next"
    return (
        exchange(0, 401, "", BASIC, url=first),
        exchange(1, 200, basic(user), url=first),
        exchange(5, 200, basic(user), url=second),
    )


def with_ntlm(folder: Path, server: str = SHOP) -> tuple[Exchange, ...]:
    """Two pages over one connection, as EXAMPLE\\alice."""
    one, two, three = ntlm_tokens(folder, "EXAMPLE", "alice", "secret1")
    first = f"{server}/"
    return (
        exchange(0, 401, "", *ASKS, url=first),
        exchange(1, 401, f"NTLM {one}", f"NTLM {two}", url=first),
        exchange(2, 200, f"NTLM {three}", url=first),
        exchange(5, 200, url=f"{server}/next"),
    )


def two_users() -> tuple[Exchange, ...]:
    """Two realms of one server, with a user each."""
    office = f"{SHOP}/office"
    return (
        *with_basic(),
        exchange(8, 401, "", 'Basic realm="office"', url=office),
        exchange(9, 200, basic("bob:secret2"), url=office),
    )
