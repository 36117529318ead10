"""A recorded request as text that replay sends byte for byte the same, with ``${server}`` where the
URL of the test case's server stood.

A text is changed only if replay, with the recorded server, would send the very bytes that were
recorded: the same places and encoders decide (`pytest_loadtool.model.place`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from pytest_loadtool.auth.negotiation import is_http_credentials
from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.multipart import Content, charset_of, pieces_of
from pytest_loadtool.codec.places import (
    body_places,
    body_syntax,
    encode,
    header_places,
    target_places,
)
from pytest_loadtool.codec.template import Reference, Template, escape
from pytest_loadtool.model.case import COMPUTED_HEADERS, Header
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.place import Place
from pytest_loadtool.recording.entry import origin
from pytest_loadtool.recording.pages.common import Group
from pytest_loadtool.recording.request.uploads import Uploads

#: Headers that say how a message travels, not what it is: replay frames its messages itself, and
#: what is for a proxy is for that proxy.
NOT_REPLAYED = frozenset(
    {
        "expect",
        "http2-settings",
        "proxy-authorization",
        "proxy-connection",
        "transfer-encoding",
    }
)


#: The longest body that is no text and stands in the test case, in bytes.
_LONGEST_BASE64 = 4096


@dataclass(frozen=True, slots=True)
class Draft:
    """A request whose headers are not shared yet: all of them, computed ones as places."""

    method: str
    target: str
    headers: tuple[Header, ...]
    body: str | bytes | None
    charset: str = ""


def draft(exchange: Exchange, server: str, uploads: Uploads) -> Draft:
    """Return ``exchange``'s request, with ``${server}`` where the server's URL stood, and without
    the credentials of HTTP authentication, which are a virtual user's own. What is in its body and
    is no text becomes one of ``uploads``."""
    return Draft(
        method=exchange.method,
        target=target_text(as_sent(exchange.url), server),
        headers=_headers(exchange, server),
        body=_body(exchange, server, uploads),
        charset=charset_of(exchange.request_body, exchange.request_header("content-type") or ""),
    )


def _headers(exchange: Exchange, server: str) -> tuple[Header, ...]:
    host = origin(exchange.url).partition("://")[2]
    result: list[Header] = []
    placed: set[str] = set()
    for name, value in exchange.request_headers:
        lower = name.lower()
        if lower in NOT_REPLAYED or name.startswith(":") or is_http_credentials(name, value):
            continue
        # A Host that is not the one in the URL was meant: it is kept as a value.
        if lower in COMPUTED_HEADERS and not (lower == "host" and value.lower() != host):
            # HTTP/2 may split Cookie into several fields (RFC 9113 §8.2.3); it has one place.
            if lower not in placed:
                result.append(Header(name))
                placed.add(lower)
        else:
            result.append(Header(name, header_text(as_sent(value), server)))
    return tuple(result)


def _body(exchange: Exchange, server: str, uploads: Uploads) -> str | bytes | None:
    raw = exchange.request_body
    content_type = exchange.request_header("content-type") or ""
    pieces = pieces_of(raw, content_type)
    if not pieces:
        return None
    if len(raw) <= _LONGEST_BASE64 and pieces == (Content(0, len(raw)),):
        return raw
    return "".join(
        body_text(piece, content_type, server)
        if isinstance(piece, str)
        else str(Reference.to_file(uploads.path_of(exchange, piece)))
        for piece in pieces
    )


def as_sent(text: str) -> str:
    """Return text whose UTF-8 bytes are those that were sent.

    Exchanges hold bytes as latin-1 text; templates are sent as UTF-8. Bytes that are not UTF-8 have
    no such text: they are kept as the characters they stand for.
    """
    try:
        return text.encode("latin-1").decode()
    except (UnicodeEncodeError, UnicodeDecodeError):
        return text


#: Not within a word, unless that is an encoded character, nor after "$": that would escape it.
_BEFORE = r"(?:(?<![\w$])|(?<=%[0-9A-Fa-f][0-9A-Fa-f]))"
#: Not where the host name or the port goes on.
_AFTER = r"(?![\w.:-]|%3[Aa]\d)"


def server_of(groups: Sequence[Group]) -> str:
    """Return the origin of the first navigation, else the most used one; empty without requests."""
    for page in groups:
        if page.navigated:
            return origin(page.entries[0].exchange.url)
    counts = Counter(origin(entry.exchange.url) for page in groups for entry in page.entries)
    return counts.most_common(1)[0][0] if counts else ""


def target_text(url: str, server: str) -> str:
    """Return the target of a request as a template: relative on ``server``, else the absolute
    URL."""
    url = url.partition("#")[0]
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if "?" in url else "")
    target = path if origin(url) == server else f"{parts.scheme}://{parts.netloc}{path}"
    before, mark, query = target.partition("?")
    marked = escape(before) + mark + _marked(query, {encode(Place.QUERY, server): "${server}"})
    return _if_equal(marked, target, server, target_places)


def header_text(value: str, server: str) -> str:
    """Return a header's value as a template: also where a Referer has the URL in its query."""
    wanted = {server: "${server}", encode(Place.QUERY, server): "${server|url}"}
    return _if_equal(_marked(value, wanted), value, server, header_places)


def body_text(body: str, content_type: str, server: str) -> str:
    """Return a text body as a template."""
    is_form = body_syntax(Template.parse(escape(body)), content_type) is Place.FORM
    wanted = encode(Place.FORM, server) if is_form else server
    return _if_equal(
        _marked(body, {wanted: "${server}"}),
        body,
        server,
        lambda template: body_places(template, content_type),
    )


def _marked(text: str, wanted: Mapping[str, str]) -> str:
    """Return ``text`` as a template, with these placeholders for what is ``wanted`` and a whole
    origin."""
    escaped = escape(text)
    if "" in wanted:  # there is no server
        return escaped
    origins = "|".join(map(re.escape, wanted))
    return re.sub(f"{_BEFORE}(?:{origins}){_AFTER}", lambda found: wanted[found[0]], escaped)


def _if_equal(
    marked: str, text: str, server: str, places: Callable[[Template], tuple[Place, ...]]
) -> str:
    """Return ``marked`` if replay sends ``text`` for it, else ``text`` without placeholders."""
    template = Template.parse(marked)
    upcoming = iter(places(template))
    sent = template.filled(lambda one: encode(next(upcoming), filtered(server, one.filters)))
    return marked if sent == text else escape(text)
