"""A cookie: how a client reads one that it is given, and which requests it goes with.

RFC 6265; what of it browsers do otherwise is in RFC 6265bis (draft 20), §5.6 and §5.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

#: When a cookie expires that lasts as long as its client.
NEVER: Final = float("inf")

#: How long name and value may be together, and an attribute's value, in characters (RFC 6265bis
#: §5.6): a longer cookie is not set, a longer attribute passed over.
_LONGEST_PAIR: Final = 4096
_LONGEST_ATTRIBUTE: Final = 1024

_SECONDS: Final = re.compile(r"-?[0-9]+")
_ADDRESS: Final = re.compile(r"[0-9.]+|.*:.*")

# The parts of a date, which may come in any order (RFC 6265 §5.1.1).
_DATE_PART: Final = re.compile(r"[^\x09\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_TIME: Final = re.compile(r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?![0-9])")
_DAY: Final = re.compile(r"[0-9]{1,2}(?![0-9])")
_YEAR: Final = re.compile(r"[0-9]{2,4}(?![0-9])")
_MONTH: Final = re.compile("jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE)
_MONTHS: Final = "janfebmaraprmayjunjulaugsepoctnovdec"


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
        """Return whether a request gets it (RFC 6265 §5.4 step 1)."""
        if self.secure and not (secure or host in ("localhost", "127.0.0.1", "::1")):
            return False  # loopback counts as secure, as in browsers
        if host != self.domain and (self.host_only or not host.endswith("." + self.domain)):
            return False
        return _path_matches(path, self.path)


def parse_cookie(line: str, host: str, target: str, now: float) -> Cookie | None:
    """Return the cookie that a response from ``host`` to ``target`` sets with this Set-Cookie line
    at ``now``, in seconds since the epoch (RFC 6265 §5.2, §5.3); what has expired by then is to be
    removed. None: the line sets none, or one of another domain. Attributes that cannot be read are
    passed over."""
    if "\r" in line or "\n" in line or "\0" in line:  # it would end the line that sends it
        return None
    pair, _, attributes = line.partition(";")
    name, equals, value = pair.partition("=")
    name, value = name.strip(), value.strip()
    if not equals or not name or len(name) + len(value) > _LONGEST_PAIR:
        return None
    domain, host_only, path, secure, expires = host, True, _default_path(target), False, NEVER
    max_age: float | None = None
    for attribute in attributes.split(";"):
        key, _, text = attribute.strip().partition("=")
        text = text.strip()
        if len(text) > _LONGEST_ATTRIBUTE:
            continue
        match key.strip().lower():
            case "domain" if text.lstrip("."):
                domain = text.lstrip(".").lower()
                host_only = False
            case "path" if text.startswith("/"):
                path = text
            case "secure":
                secure = True
            case "max-age" if _SECONDS.fullmatch(text):
                max_age = float(text)
            case "expires":
                expires = _cookie_date(text)
            case _:  # HttpOnly and SameSite bind scripts and other sites, not this client
                pass
    if max_age is not None:  # wins over Expires (RFC 6265 §5.3 step 3)
        expires = now + max_age if max_age > 0 else 0.0
    if host != domain and (_ADDRESS.fullmatch(host) or not host.endswith("." + domain)):
        return None
    return Cookie(name, value, domain, host_only, path, secure, expires)


def sent_cookies(headers: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Return name and value of each cookie that a request with these headers sends (RFC 6265
    §4.2.1), of those that have a name."""
    for header, line in headers:
        if header.lower() == "cookie":
            for pair in line.split(";"):
                name, equals, value = pair.partition("=")
                if equals and name.strip():
                    yield name.strip(), value.strip()


def set_cookies(headers: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Return name and value of each cookie that a response with these headers sets (RFC 6265 §5.2),
    whether or not a client keeps it."""
    for header, line in headers:
        if header.lower() == "set-cookie":
            name, _, value = line.partition(";")[0].partition("=")
            yield name.strip(), value.strip()


def _cookie_date(text: str) -> float:
    """Return the time, in seconds since the epoch; `NEVER` if it is none (RFC 6265 §5.1.1)."""
    time: re.Match[str] | None = None
    day = month = year = -1
    for part in _DATE_PART.findall(text):
        if time is None and (found := _TIME.match(part)):
            time = found
        elif day < 0 and (found := _DAY.match(part)):
            day = int(found[0])
        elif month < 0 and _MONTH.match(part):
            month = _MONTHS.index(part[:3].lower()) // 3 + 1
        elif year < 0 and (found := _YEAR.match(part)):
            year = int(found[0])
    if time is None:
        return NEVER
    if 0 <= year < 100:
        year += 1900 if year >= 70 else 2000
    if year < 1601:
        return NEVER
    try:
        return datetime(
            year, month, day, int(time[1]), int(time[2]), int(time[3]), tzinfo=UTC
        ).timestamp()
    except ValueError:  # there is no such day, or no such time
        return NEVER


def _default_path(target: str) -> str:
    """Return the path of a cookie that names none (RFC 6265 §5.1.4)."""
    directory = target.partition("?")[0].rpartition("/")[0]
    return directory if directory.startswith("/") else "/"


def _path_matches(path: str, cookie_path: str) -> bool:
    """Return whether a cookie of that path goes with a request to ``path`` (RFC 6265 §5.1.4)."""
    return (
        cookie_path == "/"
        or path == cookie_path
        or (
            path.startswith(cookie_path)
            and (cookie_path.endswith("/") or path[len(cookie_path)] == "/")
        )
    )
