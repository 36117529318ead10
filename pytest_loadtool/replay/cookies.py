"""A virtual user's cookies (RFC 6265).

Not ``http.cookiejar``: that one wants request objects and costs more per request than everything
else on the hot path together.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from typing import Final

__all__ = ["CookieJar"]

_NEVER: Final = float("inf")

#: How many header lines are kept: paths with an id in them are ever new.
_MOST_LINES: Final = 256


@dataclass(frozen=True, slots=True)
class _Cookie:
    name: str
    value: str
    domain: str
    host_only: bool
    path: str
    secure: bool
    expires: float  # seconds since the epoch

    def goes_to(self, host: str, path: str, secure: bool) -> bool:
        """RFC 6265 §5.4 step 1."""
        if self.secure and not (secure or host in ("localhost", "127.0.0.1", "::1")):
            return False  # loopback counts as secure, as in browsers
        if host != self.domain and (self.host_only or not host.endswith("." + self.domain)):
            return False
        return _path_matches(path, self.path)


class CookieJar:
    """Cookies by (domain, path, name), and the Cookie header that a request gets."""

    __slots__ = ("_cookies", "_headers", "_last_seen", "_next_expiry", "_rooted")

    def __init__(self) -> None:
        self._cookies: dict[tuple[str, str, str], _Cookie] = {}
        #: (host, path or "", secure) -> header line: emptied on each change.
        self._headers: dict[tuple[str, str, bool], bytes] = {}
        #: Set-Cookie lines as last stored: servers repeat them with every response.
        self._last_seen: dict[tuple[str, str], str] = {}
        self._next_expiry = _NEVER
        self._rooted = True  # every cookie's path is "/", so that a header serves the whole host

    def __len__(self) -> int:
        return len(self._cookies)

    def get(self, name: str) -> str | None:
        """The value of the newest cookie of that name."""
        values = [one.value for one in self._cookies.values() if one.name == name]
        return values[-1] if values else None

    def header(self, host: str, target: bytes, secure: bool) -> bytes:
        """``Cookie: a=1; b=2`` with its line end for a request to ``target``, or nothing."""
        if not self._cookies:
            return b""
        if self._next_expiry < _NEVER and self._next_expiry <= time.time():
            self._expire()
        path = "" if self._rooted else target.partition(b"?")[0].decode("latin-1")
        key = (host, path, secure)
        line = self._headers.get(key)
        if line is None:
            if len(self._headers) >= _MOST_LINES:
                self._headers.clear()
            line = self._headers[key] = self._line(host, path or "/", secure)
        return line

    def store(self, line: str, host: str, target: bytes) -> None:
        """Take a Set-Cookie line of a response to ``target`` (RFC 6265 §5.2, §5.3)."""
        name_part, _, attributes = line.partition(";")
        name, equals, value = name_part.partition("=")
        name = name.strip()
        if not equals or not name:
            return
        seen = (host, name)
        if self._last_seen.get(seen) == line:
            return
        cookie = _parse(name, value.strip(), attributes, host, target.decode("latin-1"))
        if cookie is None:
            return
        if cookie.expires == _NEVER:  # otherwise the same line later means a later end
            self._last_seen[seen] = line
        else:
            self._last_seen.pop(seen, None)
        key = (cookie.domain, cookie.path, name)
        if cookie.expires <= time.time():
            self._cookies.pop(key, None)
        else:
            self._cookies[key] = cookie
            self._next_expiry = min(self._next_expiry, cookie.expires)
        self._rooted = all(one.path == "/" for one in self._cookies.values())
        self._headers.clear()

    def _line(self, host: str, path: str, secure: bool) -> bytes:
        # Longer paths first, then the order in which they were set (RFC 6265 §5.4 step 2).
        found = [one for one in self._cookies.values() if one.goes_to(host, path, secure)]
        found.sort(key=lambda cookie: -len(cookie.path))
        if not found:
            return b""
        pairs = "; ".join(f"{one.name}={one.value}" for one in found)
        return f"Cookie: {pairs}\r\n".encode("latin-1")

    def _expire(self) -> None:
        now = time.time()
        self._cookies = {key: one for key, one in self._cookies.items() if one.expires > now}
        self._next_expiry = min((one.expires for one in self._cookies.values()), default=_NEVER)
        self._headers.clear()
        self._last_seen.clear()


def _parse(name: str, value: str, attributes: str, host: str, target: str) -> _Cookie | None:
    """A cookie, or None when its domain is not the host's own."""
    domain, host_only, path, secure, expires = host, True, _default_path(target), False, _NEVER
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
                expires = float(mktime_tz(parsed)) if parsed else _NEVER
            case _:  # HttpOnly and SameSite bind scripts and other sites, not this client
                pass
    if max_age is not None:  # wins over Expires (RFC 6265 §5.3 step 3)
        expires = time.time() + max_age if max_age > 0 else 0.0
    if host != domain and not host.endswith("." + domain):
        return None
    return _Cookie(name, value, domain, host_only, path, secure, expires)


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
