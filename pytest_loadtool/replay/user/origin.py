"""Where requests go: to which server, through which proxy, as whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_loadtool.codec.http import DEFAULT_PORTS, authority
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.tls import USUAL_TLS, TlsSettings

if TYPE_CHECKING:
    from pytest_loadtool.auth.credentials import Credentials
    from pytest_loadtool.model.authentication import ProxyMethod


@dataclass(frozen=True, slots=True, eq=False)  # hashed on every request: by identity, it is quick
class Origin:
    """The end of connections: scheme ``http`` or ``https``, host (without brackets) and port.

    There is one object for each that a plan names: `origin_of` makes them.
    """

    scheme: str
    host: str
    port: int
    tls: TlsSettings = USUAL_TLS
    via: ProxyRoute | None = None
    """The proxy that it is reached through; None: directly."""

    @property
    def authority(self) -> str:
        """``host`` or ``host:port`` as in a Host header (RFC 9110 §7.2)."""
        return authority(self.host, self.port, self.scheme)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"


@dataclass(frozen=True, slots=True, eq=False)
class ProxyRoute:
    """An HTTP proxy: where it listens, and who a virtual user is to it.

    Requests for http go to it in absolute form (RFC 9112 §3.2.2), those for https through a tunnel
    that CONNECT opens (RFC 9110 §9.3.6).
    """

    server: Origin
    account: Account | None
    """None: a virtual user has nothing to log in with."""
    method: ProxyMethod = ""
    """The only scheme in which it answers; empty: the one that the proxy prefers."""
    remedy: str = "set username and password in [proxy] of the test case"
    """Where to say who it is, if nobody has."""


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """An identity as compiled: who a virtual user is, in one realm or in all."""

    realm: str
    ahead: bool
    credentials: Callable[[list[str]], Credentials]
    """The user's values to what it logs in with."""
    name: str
    """How messages call it, unless it comes from datasets."""
    rows: tuple[tuple[str, str], ...]
    """The names and the files of those."""


def origin_of(url: str, tls: TlsSettings = USUAL_TLS) -> Origin:
    """Return the one object for the origin of an absolute URL: of those that a plan names.

    Raises:
        ReplayError: as `parse_origin`.
    """
    one = parse_origin(url, tls)
    return _only(one.scheme, one.host, one.port, one.tls)


@cache
def _only(scheme: str, host: str, port: int, tls: TlsSettings) -> Origin:
    return Origin(scheme, host, port, tls)


def parse_origin(url: str, tls: TlsSettings = USUAL_TLS) -> Origin:
    """Return the origin of an absolute URL, which may be anybody's: nothing of it is kept.

    Raises:
        ReplayError: it is not an http or https URL with a host.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
    except (KeyError, ValueError):
        parts, port = urlsplit(""), 0
    if not parts.hostname or not port:
        raise ReplayError(
            f"{url!r} is not a server to talk to: expected http://host:port or https://host"
        )
    return Origin(parts.scheme, parts.hostname, port, tls)
