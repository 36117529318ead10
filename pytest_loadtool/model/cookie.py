"""A cookie: how a client reads one that it is given, and which requests it goes with (RFC 6265)."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from typing import Final

__all__ = ["NEVER", "Cookie", "parse_cookie"]

#: When a cookie expires that lasts as long as its client.
NEVER: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie as a client keeps it. ``expires`` is in seconds since the epoch, or `NEVER`;
    ``host_only``: it does not go to hosts below its domain."""

    name: str
    value: str
    domain: str
    host_only: bool
    path: str
    secure: bool
    expires: float

    def goes_to(self, host: str, path: str, secure: bool) -> bool:
        """Whether a request gets it (RFC 6265 §5.4 step 1)."""
        if self.secure and not (secure or host in ("localhost", "127.0.0.1", "::1")):
            return False  # loopback counts as secure, as in browsers
        if host != self.domain and (self.host_only or not host.endswith("." + self.domain)):
            return False
        return _path_matches(path, self.path)


def parse_cookie(line: str, host: str, target: str, now: float) -> Cookie | None:
    """The cookie that a response from ``host`` to ``target`` sets with this Set-Cookie line at
    ``now``, in seconds since the epoch (RFC 6265 §5.2, §5.3); what has expired by then is to be
    removed. None: the line sets none, or one of another domain."""
    pair, _, attributes = line.partition(";")
    name, equals, value = pair.partition("=")
    name = name.strip()
    if not equals or not name:
        return None
    domain, host_only, path, secure, expires = host, True, _default_path(target), False, NEVER
    max_age: float | None = None
    for attribute in attributes.split(";"):
        key, _, text = attribute.strip().partition("=")
        text = text.strip()
        match key.lower():
            case "domain" if text.lstrip("."):
                domain = text.lstrip(".").lower()
                host_only = False
            case "path" if text.startswith("/"):
                path = text
            case "secure":
                secure = True
            case "max-age" if text.lstrip("-").isdigit():
                max_age = float(text)
            case "expires":
                parsed = parsedate_tz(text)
                expires = float(mktime_tz(parsed)) if parsed else NEVER
            case _:  # HttpOnly and SameSite bind scripts and other sites, not this client
                pass
    if max_age is not None:  # wins over Expires (RFC 6265 §5.3 step 3)
        expires = now + max_age if max_age > 0 else 0.0
    if host != domain and not host.endswith("." + domain):
        return None
    return Cookie(name, value.strip(), domain, host_only, path, secure, expires)


def _default_path(target: str) -> str:
    """RFC 6265 §5.1.4."""
    directory = target.partition("?")[0].rpartition("/")[0]
    return directory if directory.startswith("/") else "/"


def _path_matches(path: str, cookie_path: str) -> bool:
    """RFC 6265 §5.1.4."""
    return (
        cookie_path == "/"
        or path == cookie_path
        or (
            path.startswith(cookie_path)
            and (cookie_path.endswith("/") or path[len(cookie_path)] == "/")
        )
    )
