"""A virtual user's cookies (RFC 6265).

Not ``http.cookiejar``: that one wants request objects and costs more per request than everything
else on the hot path together.
"""

from __future__ import annotations

import time
from typing import Final

from pytest_loadtool.codec.cookie import NEVER, Cookie, parse_cookie

#: How many header lines are kept: paths with an id in them are ever new.
_MOST_LINES: Final = 256

#: How many cookies a domain has, as in Chromium and Firefox: the oldest go.
_MOST_OF_DOMAIN: Final = 180


class CookieJar:
    """Cookies by (domain, path, name), and the Cookie header that a request gets."""

    __slots__ = ("_beyond_root", "_cookies", "_headers", "_last_seen", "_next_expiry")

    def __init__(self) -> None:
        self._cookies: dict[tuple[str, str, str], Cookie] = {}
        #: (host, path or "", secure) -> header line: emptied on each change.
        self._headers: dict[tuple[str, str, bool], bytes] = {}
        #: Set-Cookie lines as last stored: servers repeat them with every response.
        self._last_seen: dict[tuple[str, str], str] = {}
        self._next_expiry = NEVER
        self._beyond_root = 0
        """How many have another path than "/": without any, a header serves the whole host."""

    def __len__(self) -> int:
        return len(self._cookies)

    @property
    def cookies(self) -> tuple[Cookie, ...]:
        """Return all cookies, in the order in which they were set first."""
        return tuple(self._cookies.values())

    def get(self, name: str) -> str | None:
        """Return the value of the newest cookie of that name."""
        values = [one.value for one in self._cookies.values() if one.name == name]
        return values[-1] if values else None

    def header(self, host: str, target: bytes, secure: bool) -> bytes:
        """Return ``Cookie: a=1; b=2`` with its line end for a request to ``target``, or nothing."""
        if not self._cookies:
            return b""
        if self._next_expiry < NEVER and self._next_expiry <= time.time():
            self._expire()
        path = target.partition(b"?")[0].decode("latin-1") if self._beyond_root else ""
        key = (host, path, secure)
        line = self._headers.get(key)
        if line is None:
            if len(self._headers) >= _MOST_LINES:
                self._headers.clear()
            line = self._headers[key] = self._line(host, path or "/", secure)
        return line

    def store(self, line: str, host: str, target: bytes) -> None:
        """Take a Set-Cookie line of a response to ``target`` (RFC 6265 §5.2, §5.3)."""
        seen = (host, line.partition("=")[0].strip())
        if self._last_seen.get(seen) == line:
            return
        now = time.time()
        cookie = parse_cookie(line, host, target.decode("latin-1"), now)
        if cookie is None:
            return
        if cookie.expires == NEVER:  # otherwise the same line later means a later end
            self._last_seen[seen] = line
        else:
            self._last_seen.pop(seen, None)
        key = (cookie.domain, cookie.path, cookie.name)
        if cookie.expires <= now:
            self._remove(key)
        else:
            if key not in self._cookies:
                self._beyond_root += cookie.path != "/"
            self._cookies[key] = cookie
            self._next_expiry = min(self._next_expiry, cookie.expires)
            if len(self._cookies) > _MOST_OF_DOMAIN:
                self._make_room(cookie.domain)
        self._headers.clear()

    def _remove(self, key: tuple[str, str, str]) -> None:
        if self._cookies.pop(key, None) is not None:
            self._beyond_root -= key[1] != "/"

    def _make_room(self, domain: str) -> None:
        """Forget the domain's oldest cookie if it has too many."""
        keys = [one for one in self._cookies if one[0] == domain]
        if len(keys) > _MOST_OF_DOMAIN:
            self._remove(keys[0])
            self._last_seen.clear()  # the server may set it once more

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
        for key in [key for key, one in self._cookies.items() if one.expires <= now]:
            self._remove(key)
        self._next_expiry = min((one.expires for one in self._cookies.values()), default=NEVER)
        self._headers.clear()
        self._last_seen.clear()
