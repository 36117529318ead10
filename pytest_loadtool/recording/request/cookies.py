"""Cookies that no response sets: a script does, or the browser has them from before the recording.

The evidence only shows which cookies each request had. What browsers do is done again here with the
recorded responses; what is sent and was not set, or not so, a script must have set, and what is no
longer sent although nothing removed it, a script must have removed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from math import inf
from urllib.parse import SplitResult, urlsplit

from pytest_loadtool.codec.cookie import NEVER, Cookie, parse_cookie, sent_cookies
from pytest_loadtool.codec.template import escape
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.request.template import as_sent

#: Cookies in which analytics scripts count what they see: their first value says all of them.
_COUNTING = re.compile(
    r"_ga(?:_.*)?|_gid|_gat.*|_gcl_.*|__utm.|_fbp|_hj.*|_pk_.*|_clck|_clsk|_uet.*|__hs.*|ajs_.*"
    r"|amp_.*|mp_.*_mixpanel"
)

#: How many requests tell the path of a cookie.
_MOST_FOLLOWING = 500
#: How deep the path of such a cookie may be.
_MOST_FOLDERS = 50

#: How long a cookie may be for Chromium: name and value together.
_MOST_BYTES = 4096

_Key = tuple[str, str, str]  # domain, path, name


@dataclass(frozen=True, slots=True)
class _Sent:
    """A request that replay sends, and the cookies it had; ``telling``: a cookie that it had not,
    the browser did not have for its address."""

    index: int
    exchange: Exchange
    url: SplitResult
    cookies: tuple[tuple[str, str], ...]
    telling: bool

    @property
    def host(self) -> str:
        return self.url.hostname or ""

    @property
    def path(self) -> str:
        return self.url.path or "/"


def script_cookies(
    exchanges: Sequence[Exchange], order: Sequence[int]
) -> dict[int, tuple[str, ...]]:
    """Return by the index of an exchange what has to be set before its request is sent, each a
    template as scripts write it to ``document.cookie``, for the whole host where it names no path.

    ``order`` are the indexes of the exchanges that are replayed, in the order of replay.
    """
    requests = [_sent(index, exchanges[index]) for index in _in_time(exchanges, order)]
    if not any(one.cookies for one in requests):
        return {}
    browser = _Browser(requests, exchanges)
    found = {one.index: tuple(browser.sets(at, one)) for at, one in enumerate(requests)}
    return {index: lines for index, lines in found.items() if lines}


def _in_time(exchanges: Sequence[Exchange], order: Sequence[int]) -> list[int]:
    """Return those that replay sends when the browser did. What a page loaded late, when another
    page was open already, has that one's cookies, and is sent before it."""
    kept: list[int] = []
    next_start = inf
    for index in reversed(order):
        started = exchanges[index].started
        if started <= next_start:
            kept.append(index)
            next_start = started
    return kept[::-1]


def _sent(index: int, exchange: Exchange) -> _Sent:
    headers = {name.lower(): value for name, value in exchange.request_headers}
    # Scripts may ask without cookies, and other sites' pages do not get all of them (SameSite).
    with_some = "cookie" in headers or headers.get("sec-fetch-mode") == "navigate"
    telling = with_some and headers.get("sec-fetch-site") != "cross-site"
    return _Sent(
        index,
        exchange,
        urlsplit(exchange.url),
        tuple(sent_cookies(exchange.request_headers)),
        telling,
    )


class _Browser:
    """The browser that was recorded, as far as its cookies go."""

    def __init__(self, requests: Sequence[_Sent], exchanges: Sequence[Exchange]) -> None:
        self._requests = requests
        replayed = {one.index for one in requests}
        self._others = sorted(
            (one for index, one in enumerate(exchanges) if index not in replayed),
            key=lambda one: one.started,
        )[::-1]
        self._jar: dict[_Key, Cookie] = {}
        #: What scripts have set, of what is in the jar.
        self._own: set[_Key] = set()
        #: What the browser surely took, of what is in the jar.
        self._taken: set[_Key] = set()
        #: By name and value: the domains of responses that have set it.
        self._served: dict[tuple[str, str], set[str]] = {}
        #: Responses that are under way, by their end.
        self._coming: list[tuple[float, int, Exchange]] = []
        self._count = 0
        #: By host and name: where requests have such a cookie.
        self._uses: dict[tuple[str, str], list[int]] = {}
        for at, one in enumerate(requests):
            for name, _ in one.cookies:
                self._uses.setdefault((one.host, name), []).append(at)

    def sets(self, at: int, sent: _Sent) -> Iterator[str]:
        """Yield what scripts have set before the request at ``at``."""
        self._receive(sent.exchange.started)
        secure = sent.url.scheme == "https"
        waiting = {
            key: one
            for key, one in self._jar.items()
            if one.goes_to(sent.host, sent.path, secure) and one.expires > sent.exchange.started
        }
        unknown: list[tuple[str, str]] = []
        for pair in sent.cookies:
            key = next((k for k, one in waiting.items() if (one.name, one.value) == pair), None)
            if key is None:
                unknown.append(pair)
            else:
                self._taken.add(key)
                del waiting[key]
        for name, value in unknown:
            key = max((k for k in waiting if k[2] == name), key=lambda k: len(k[1]), default=None)
            old = waiting.pop(key) if key is not None else None
            if old is not None and key in self._own and _COUNTING.fullmatch(name):
                continue
            if key not in self._own and self._was_served(sent.host, name, value):
                continue  # by a response that came while the request was made
            yield self._set(at, sent, name, value, old)
        if sent.telling:
            for key, one in waiting.items():
                if key in self._taken and self._is_gone(at, sent, one):
                    yield self._remove(key)
        self._send(sent.exchange)

    def _receive(self, until: float) -> None:
        while self._others and self._others[-1].started <= until:
            self._send(self._others.pop())
        while self._coming and self._coming[0][0] <= until:
            _, _, exchange = heappop(self._coming)
            url = urlsplit(exchange.url)
            for cookie in _set_by(exchange, url):
                key = cookie.domain, cookie.path, cookie.name
                self._own.discard(key)
                if cookie.expires <= exchange.started:
                    self._jar.pop(key, None)
                    self._taken.discard(key)
                else:
                    self._jar[key] = cookie
                    if _is_kept(exchange, cookie):
                        self._taken.add(key)

    def _send(self, exchange: Exchange) -> None:
        url = urlsplit(exchange.url)
        cookies = list(_set_by(exchange, url))
        for one in cookies:
            self._served.setdefault((one.name, one.value), set()).add(one.domain)
        if cookies:
            self._count += 1
            heappush(self._coming, (exchange.started + exchange.took, self._count, exchange))

    def _was_served(self, host: str, name: str, value: str) -> bool:
        domains = self._served.get((name, value), ())
        return any(host == one or host.endswith(f".{one}") for one in domains)

    def _set(self, at: int, sent: _Sent, name: str, value: str, old: Cookie | None) -> str:
        if old is None:
            path = self._path(at, sent, name)
            cookie = Cookie(name, value, sent.host, True, path, False, NEVER)
        else:
            cookie = replace(old, value=value, expires=NEVER)
        key = cookie.domain, cookie.path, name
        self._jar[key] = cookie
        self._own.add(key)
        self._taken.add(key)
        return _line(cookie)

    def _remove(self, key: _Key) -> str:
        cookie = self._jar.pop(key)
        self._own.discard(key)
        self._taken.discard(key)
        return _line(replace(cookie, value="", expires=0))

    def _is_gone(self, at: int, sent: _Sent, cookie: Cookie) -> bool:
        """Return whether no later request has it; it may have another one of the name."""
        uses = self._uses.get((sent.host, cookie.name), [])
        position = bisect_right(uses, at)
        if position == len(uses):
            return True
        return (cookie.name, cookie.value) not in self._requests[uses[position]].cookies

    def _path(self, at: int, sent: _Sent, name: str) -> str:
        """Return the shortest path by which the requests that follow had the cookie or not; if
        there is none, it was removed later, and only those count that follow until then."""
        last = self._uses[sent.host, name][-1] + 1
        following = [
            (one.path, any(name == other for other, _ in one.cookies), number < last)
            for number, one in enumerate(self._requests[at : at + _MOST_FOLLOWING], at)
            if one.telling and one.host == sent.host
        ]
        folders = sent.path.split("/")[1:-1][:_MOST_FOLDERS]
        paths = ["/" + "/".join(folders[:depth]) for depth in range(len(folders) + 1)]
        for until_removed in (False, True):
            for path in paths:
                cookie = Cookie(name, "", sent.host, True, path, False, NEVER)
                if all(
                    cookie.goes_to(sent.host, other, True) == had
                    for other, had, before in following
                    if before or not until_removed
                ):
                    return path
        return "/"


def _is_kept(exchange: Exchange, cookie: Cookie) -> bool:
    """Return whether a browser keeps what this response sets: not all of what other sites set, nor
    what is too long (RFC 6265 §6.1)."""
    asked_from = exchange.request_header("sec-fetch-site")
    own_site = asked_from in ("same-origin", "same-site", "none")
    return own_site and len(cookie.name) + len(cookie.value) <= _MOST_BYTES


def _set_by(exchange: Exchange, url: SplitResult) -> Iterator[Cookie]:
    target = url.path or "/"
    for name, line in exchange.response_headers:
        if name.lower() == "set-cookie":
            cookie = parse_cookie(line, url.hostname or "", target, exchange.started)
            if cookie is not None:
                yield cookie


def _line(cookie: Cookie) -> str:
    path = f"; Path={cookie.path}" if cookie.path != "/" else ""
    domain = "" if cookie.host_only else f"; Domain={cookie.domain}"
    end = "" if cookie.expires else "; Max-Age=0"
    return escape(as_sent(f"{cookie.name}={cookie.value}{path}{domain}{end}"))
