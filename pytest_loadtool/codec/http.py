"""What RFC 9110 says of methods, ports and authorities.

It also has what a request over HTTP/1.1 can hold (RFC 9110, RFC 9112), and so what a test case can.
"""

from __future__ import annotations

import re
from types import MappingProxyType

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 §5.6.2
#: A lone surrogate is no character, and has no bytes in UTF-8.
_HEADER_BREAK = re.compile(r"[\r\n\0\ud800-\udfff]")  # RFC 9110 §5.5
_TARGET_BREAK = re.compile(r"[\s\x00-\x20\x7f\ud800-\udfff]")
#: The pattern of a host name or address, and the port in its group.
HOST_AND_PORT = r"(?:\[[0-9a-f:.%]+\]|[\w.~-]+)(?::(\d{1,5}))?"
#: Methods that clients always send in capitals. Not PATCH: `fetch` sends it as the script wrote it.
_CAPITAL_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")


def is_token(text: str) -> bool:
    """Return whether it can be a header's name or a method."""
    return _TOKEN.fullmatch(text) is not None


def is_method(text: str) -> bool:
    """Return whether a request can have it as its method."""
    return is_token(text) and other_case(text) == text


def other_case(method: str) -> str:
    """Return the method as clients send it: ``GET`` for ``get``."""
    return method.upper() if method.upper() in _CAPITAL_METHODS else method


def is_header_value(text: str) -> bool:
    """Return whether a header can have it as its value."""
    return _HEADER_BREAK.search(text) is None


def is_target(text: str) -> bool:
    """Return whether it has nothing in it that ends a request's target."""
    return _TARGET_BREAK.search(text) is None


#: Of the schemes that are replayed (RFC 9110 §4.2).
DEFAULT_PORTS = MappingProxyType({"http": 80, "https": 443})

#: Methods that change nothing (RFC 9110 §9.2.1, and IANA's registry of methods).
SAFE_METHODS = frozenset(
    {"GET", "HEAD", "OPTIONS", "PROPFIND", "QUERY", "REPORT", "SEARCH", "TRACE"}
)
#: Those that may be sent again when nobody knows whether they arrived (RFC 9110 §9.2.2).
IDEMPOTENT_METHODS = SAFE_METHODS | {"PUT", "DELETE"}


def authority(host: str, port: int | None = None, scheme: str = "") -> str:
    """Return ``host:port`` as URLs and Host headers have it (RFC 9110 §7.2), without a port that is
    the scheme's own. An IPv6 address stands in brackets."""
    host = f"[{host}]" if ":" in host else host
    return host if port is None or port == DEFAULT_PORTS.get(scheme) else f"{host}:{port}"
