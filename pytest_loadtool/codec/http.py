"""What RFC 9110 says of methods, ports and authorities."""

from __future__ import annotations

from types import MappingProxyType

#: Of the schemes that are replayed (RFC 9110 §4.2).
DEFAULT_PORTS = MappingProxyType({"http": 80, "https": 443})

#: Methods that change nothing (RFC 9110 §9.2.1, and IANA's registry of methods).
SAFE_METHODS = frozenset(
    {"GET", "HEAD", "OPTIONS", "PROPFIND", "QUERY", "REPORT", "SEARCH", "TRACE"}
)
#: Those that may be sent again when nobody knows whether they arrived (RFC 9110 §9.2.2).
IDEMPOTENT_METHODS = SAFE_METHODS | {"PUT", "DELETE"}


def authority(host: str, port: int | None = None, scheme: str = "") -> str:
    """``host:port`` as URLs and Host headers have it (RFC 9110 §7.2), without a port that is the
    scheme's own. An IPv6 address stands in brackets."""
    host = f"[{host}]" if ":" in host else host
    return host if port is None or port == DEFAULT_PORTS.get(scheme) else f"{host}:{port}"
