"""A recorded request as text that replay sends byte for byte the same."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_loadtool.auth.negotiation import is_http_credentials
from pytest_loadtool.codec.multipart import Content, charset_of, pieces_of
from pytest_loadtool.codec.template import Reference
from pytest_loadtool.model.case import COMPUTED_HEADERS, Header
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.entry import origin
from pytest_loadtool.recording.request.server import body_text, header_text, target_text
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
    """``exchange``'s request, with ``${server}`` where the server's URL stood, and without the
    credentials of HTTP authentication, which are a virtual user's own. What is in its body and is
    no text becomes one of ``uploads``."""
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
    """Text whose UTF-8 bytes are those that were sent.

    Exchanges hold bytes as latin-1 text; templates are sent as UTF-8. Bytes that are not UTF-8 have
    no such text: they are kept as the characters they stand for.
    """
    try:
        return text.encode("latin-1").decode()
    except (UnicodeEncodeError, UnicodeDecodeError):
        return text
