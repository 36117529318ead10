"""What an answer looks like, be it recorded or replayed.

It also has the kind of a response: from its content type, or from what the body shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from urllib.parse import SplitResult, urljoin, urlsplit

from pytest_loadtool.answers.documents import RESULTS, document, document_of, element, spelled
from pytest_loadtool.answers.pages import page
from pytest_loadtool.codec.batches import MIXED
from pytest_loadtool.codec.http import DEFAULT_PORTS, SAFE_METHODS
from pytest_loadtool.codec.media import decoded, is_html, is_json, is_xml, media_type
from pytest_loadtool.codec.names import words_of
from pytest_loadtool.model.answer import Answer
from pytest_loadtool.model.case import Kind, Recorded
from pytest_loadtool.model.exchange import Exchange

_TYPES = {
    "text/css": Kind.CSS,
    "text/javascript": Kind.JAVASCRIPT,
    "application/javascript": Kind.JAVASCRIPT,
    "application/x-javascript": Kind.JAVASCRIPT,
    "application/ecmascript": Kind.JAVASCRIPT,
    "text/ecmascript": Kind.JAVASCRIPT,
}

#: What a response of a telling type is not checked for: only these lie often.
VAGUE = frozenset(
    {
        *("", "text/html", "text/plain", "text/javascript", "application/x-javascript"),
        "application/octet-stream",
    }
)

#: How the text of an object or an array begins.
JSON_STARTS = ("{", "[")

_OPENINGS = (
    ("<!doctype html", Kind.HTML),
    ("<html", Kind.HTML),
    ("<?xml", Kind.XML),
)


def declared(media: str) -> Kind:
    """Return what a media type says."""
    if media in _TYPES:
        return _TYPES[media]
    if media.startswith("image/"):
        return Kind.IMAGE
    if is_html(media):
        return Kind.HTML
    if is_json(media) or media == MIXED:  # of which the list of answers is read
        return Kind.JSON
    if is_xml(media):
        return Kind.XML
    return Kind.OTHER


def shown(start: str) -> Kind:
    """Return what the beginning of a body shows that is no JSON."""
    lower = start.lower()
    return next((kind for opening, kind in _OPENINGS if lower.startswith(opening)), Kind.OTHER)


LONGEST_READ = 1 << 18
"""The most bytes that a body may have, as received and decoded, to be read; of a longer one its
size and type are known."""

#: What makes a client go elsewhere (RFC 9110 §15.4); 304 does not.
REDIRECTS = frozenset({301, 302, 303, 307, 308})

#: Where a page to log in is, by its address.
LOGIN_PLACE = re.compile(
    r"(?<![a-z])(?:log[-_]?in|log[-_]?on|sign[-_]?in|sso|auth|authenticate|authorize"
    r"|sessions?/new)(?![a-z])",
    re.IGNORECASE,
)

#: The kinds of which more is known than their size.
READ: Mapping[Kind, Callable[[str], Answer]] = {
    Kind.HTML: page,
    Kind.JSON: document,
    Kind.XML: element,
}
#: The first field of its query or fragment that is called an error, and its value.
_TAIL = re.compile(
    r"[?&;#](?:error|errors|err|error_?code|error_?message|error_description|failed|failure)"
    r"(?:=([^&;#]+)|(?=[&;#]|\Z)())",
    re.IGNORECASE,
)
#: A word with digits in it.
_CODE = re.compile(r"(?=[A-Za-z_-]*\d)[\w-]{6,}")
_OF_A_RESOURCE = re.compile(r"\d|.{24}")
#: What a header is called that tells of an error: ``X-Error``, ``X-Error-Message``; and what it
#: says if there is none.
_ERROR_WORDS = frozenset({"error", "errors"})
_NO_ERROR = frozenset({"", "0", "false", "no", "none", "null", "ok"})


def shape_of(
    kind: Kind,
    text: str,
    size: int,
    location: str = "",
    headers: Iterable[tuple[str, str]] = (),
    asked: str = "",
) -> Answer:
    """Return what an answer looks like that is ``size`` bytes long and redirects from the address
    that was ``asked`` for to ``location``."""
    read = READ.get(kind)
    found = read(text) if read is not None and text and size <= LONGEST_READ else Answer()
    failed = found.failed or ("redirect to an error" if leads_to_error(location) else "")
    failed = failed or _error_header(headers)
    return replace(found, size=size, location=place_of(location, asked), failed=failed)


def _error_header(headers: Iterable[tuple[str, str]]) -> str:
    """Return the first header that tells of an error; empty if none does."""
    return next(
        (
            f"the header {name}"
            for name, value in headers
            if not _ERROR_WORDS.isdisjoint(words_of(name)) and value.lower() not in _NO_ERROR
        ),
        "",
    )


def leads_to_error(location: str) -> bool:
    """Return whether the query or the fragment of a redirect says that something failed:
    ``/orders?error=locked``, ``/orders#error``."""
    tail = _TAIL.search(location)
    return tail is not None and tail[1].lower() not in ("0", "false", "none", "null")


def place_of(location: str, asked: str = "") -> str:
    """Return the path that a redirect leads to, from the address that was ``asked`` for, with ``*``
    for each segment that is of a resource; and what says behind it that one has to log in. The root
    of another server, which is called as any other's, has its name."""
    try:
        whole = urlsplit(urljoin(asked, location))
        host = _other_host(asked, whole)
    except ValueError:
        return ""
    path, query, tail = whole[2:]
    if host and path in ("", "/"):
        path = f"//{host}/"
    place = path if host and path.startswith("//") else _starred(path)
    marks = (("?", query.partition("=")[0]), ("#", tail.partition("?")[0]))
    marked = (mark + text for mark, text in marks if LOGIN_PLACE.search(text))
    return (place or "/") + next(marked, "") if location else ""


def _starred(path: str) -> str:
    return "/".join("*" if _OF_A_RESOURCE.search(one) else one for one in path.split("/"))


def _other_host(asked: str, to: SplitResult) -> str:
    """Return the server that a redirect leads to, if that is another one than was asked. The same
    host by TLS is no other.

    Raises:
        ValueError: there is no such port.
    """
    own = urlsplit(asked)
    if not own.hostname or not to.hostname:
        return ""
    ports = {one.port or DEFAULT_PORTS.get(one.scheme) for one in (own, to)}
    if own.hostname == to.hostname and (own.scheme != to.scheme or len(ports) == 1):
        return ""
    return to.netloc.rpartition("@")[2].lower()


def kind_now(content_type: str, text: str) -> Kind:
    """Return the kind of a response, told as that of a recorded one is."""
    media = media_type(content_type)
    start = text[:64].lstrip("\ufeff \t\r\n")
    if media in VAGUE and start.startswith(JSON_STARTS):
        try:
            document_of(text)
        except ValueError:
            pass
        else:
            return Kind.JSON
    kind = declared(media)
    return shown(start) if kind is Kind.OTHER and media in VAGUE else kind


def answer_of(recorded: Recorded, exchange: Exchange) -> Answer | None:
    """Return what the recording shows of an answer; None if its body is not in the recording."""
    length = exchange.response_header("content-length")
    is_missing = not exchange.response_size and length not in (None, "0")
    if exchange.error or not exchange.status or (is_missing and exchange.method != "HEAD"):
        return None
    size = exchange.response_size
    text = ""
    if recorded.kind in READ and size <= LONGEST_READ:
        text = decoded(exchange.response_body, exchange.response_header("content-type") or "")
    location = exchange.response_header("location") if exchange.status in REDIRECTS else None
    found = shape_of(
        recorded.kind, text, size, location or "", exchange.response_headers, exchange.url
    )
    said = (one for one in found.said if _is_of_use(one[1]) and _counts(*one, exchange))
    return replace(found, said=tuple(said))


def _counts(key: str, said: str | int | bool, exchange: Exchange) -> bool:
    """Return whether what was said can be held against a replay: of any name, what is true, and a
    message, only of the answer to a change, and no text that the client has sent, or that has a
    code in it, which may be a secret."""
    if spelled(key) in RESULTS:
        return True
    if exchange.method.upper() in SAFE_METHODS or said is False:
        return False
    text = str(said)
    return said is True or (
        text.encode() not in exchange.request_body and _CODE.search(text) is None
    )


def _is_of_use(said: str | int | bool) -> bool:
    """Return whether it can be expected again: other numbers may be anything, a code that was sent
    by mail for instance, and do not belong into a test case."""
    number = str(said)
    return not number.lstrip("-").isdecimal() or int(number) in (0, 1) or len(number) == 3
