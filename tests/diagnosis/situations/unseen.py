"""Failures that no rule was written for: they were brought about when the rules were done."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from tests.diagnosis.situations.bench import Situation, Stage, asserting, in_the_shop
from tests.diagnosis.situations.sessions import by_links, by_pages, by_time
from tests.diagnosis.situations.shop import Answer, Shop

_Odd = Callable[[str, str, Mapping[str, str], Answer], Answer]


def odd(
    change: _Odd, spoil: Callable[[str], str] = str, session: Callable[..., None] = by_pages
) -> Stage:
    """A shop whose answers are changed on their way."""

    def arrange(shop: Shop) -> None:
        shop.odd = change

    def back(shop: Shop) -> None:
        shop.odd = None

    return in_the_shop(session, spoil=spoil, arrange=arrange, back=back)


def _balanced() -> _Odd:
    """Each second request goes to another server, which does not know the session."""
    count = 0

    def odd(_method: str, path: str, headers: Mapping[str, str], answer: Answer) -> Answer:
        nonlocal count
        count += 1
        if "sid=" in headers.get("cookie", "") and count % 2:
            return Answer(401, "<p>Please log in.</p>", (("X-Served-By", "b"),), "Unauthorized")
        return replace(answer, headers=(*answer.headers, ("X-Served-By", "a")))

    return odd


def _zipped(_method: str, path: str, _headers: Mapping[str, str], answer: Answer) -> Answer:
    if path != "/account":
        return answer
    return replace(answer, headers=(*answer.headers, ("Content-Encoding", "gzip")))


def _secure(_method: str, _path: str, _headers: Mapping[str, str], answer: Answer) -> Answer:
    headers = tuple(
        (name, f"{value}; Secure; Domain=shop.example" if name == "Set-Cookie" else value)
        for name, value in answer.headers
    )
    return replace(answer, headers=headers)


def _to_https(_method: str, path: str, headers: Mapping[str, str], _answer: Answer) -> Answer:
    return Answer(301, "", (("Location", f"https://{headers['host']}{path}"),))


def _down(_method: str, _path: str, _headers: Mapping[str, str], _answer: Answer) -> Answer:
    return Answer(200, "<p>We are back at noon.</p>", title="Down for maintenance")


def _latin(_method: str, path: str, _headers: Mapping[str, str], answer: Answer) -> Answer:
    if path != "/about/team":
        return answer
    text = "<html><head><title>Team</title></head><body><p>That is us, Jürgen and Zoë.</p></body>"
    media = ("Content-Type", "text/html; charset=utf-8")
    return Answer(200, text.encode("latin-1"), (media,))


def _cut(_method: str, path: str, _headers: Mapping[str, str], answer: Answer) -> Answer:
    if path != "/account":
        return answer
    return replace(answer, headers=(*answer.headers, ("Content-Length", "5000")))


def _deleted(method: str, path: str, _headers: Mapping[str, str], answer: Answer) -> Answer:
    if method != "GET" or not path.startswith("/orders/"):
        return answer
    return Answer(200, "<p>This order was deleted.</p>", title="Orders")


def _by_name(_method: str, _path: str, headers: Mapping[str, str], answer: Answer) -> Answer:
    if headers["host"].startswith("localhost"):
        return Answer(421, "<p>No such virtual host.</p>", title="Misdirected Request")
    return answer


def _at_localhost(text: str) -> str:
    return re.sub(r'^server = "http://127\.0\.0\.1', 'server = "http://localhost', text, flags=re.M)


UNSEEN: tuple[Situation, ...] = (
    Situation(
        "the server's clock is wrong, for a request with its time",
        in_the_shop(by_time, "clock"),
        "GET /signed",
        "clock|time of the request|too large",
        mended="server",
    ),
    Situation(
        "a load balancer that sends a session to another server",
        odd(_balanced()),
        "401",
        "balanc|another server|not every server",
        mended="server",
    ),
    Situation(
        "gzip that is none, of a middlebox",
        odd(_zipped),
        "GET /account",
        "not in the coding",
        mended="server",
        outside="(?i)content-encoding: gzip|exit (23|61)",
    ),
    Situation(
        "a cookie that is Secure, and for another domain",
        odd(_secure),
        "POST /login",
        "cookie sid was not sent, though",
        mended="server",
        outside="Secure",
    ),
    Situation(
        "all is redirected to https, where nobody is",
        odd(_to_https),
        "GET /login",
        "https",
        mended="server",
    ),
    Situation(
        "a maintenance page with 200 for all",
        odd(_down),
        "GET /login",
        "maintenance|another page|passed before, but not as recorded",
        mended="server",
        outside="Down for maintenance",
    ),
    Situation(
        "another character set than is said",
        odd(_latin, asserting("GET /about/team", '{ text = "Jürgen and Zoë" }'), by_links),
        "GET /about/team",
        "character set|charset|encoding|not in UTF-8",
        mended="server",
        outside="That is us, J\ufffdrgen",
    ),
    Situation(
        "a body that is cut off",
        odd(_cut),
        "GET /account",
        "cut off|ended the connection|before its end",
        mended="server",
        outside="exit 18",
    ),
    Situation(
        "what was made is deleted at once, softly",
        odd(_deleted),
        "POST /order",
        "did not take effect",
        mended="server",
        outside="was deleted",
    ),
    Situation(
        "another name than the virtual host has",
        odd(_by_name, _at_localhost),
        "GET /login",
        "virtual host|Host|another server",
    ),
)
