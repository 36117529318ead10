"""Entries of HAR files that others wrote: browsers' developer tools, mitmproxy's hardump.

Each of these is known from such a file:

* HTTP/2 pseudo-headers (``:authority``) among the headers, and headers of the same name joined with
  a line feed (Chromium);
* a body only as ``postData.params``, for multipart forms (Firefox, Chromium), or ``text`` null;
* text that was decoded from the charset of the response, not UTF-8;
* ``time``, ``content``, ``httpVersion`` or the whole response missing; status 0 or -1, with or
  without ``_error`` (blocked, cancelled);
* methods in small letters;
* WebSockets (``_webSocketMessages``, ``ws:`` URLs) and event streams, which cannot be replayed;
* URLs that are no HTTP (``data:``, ``blob:``, ``chrome-extension:``).

``comment`` is the other tool's own and says nothing to us.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from pytest_loadtool.casefile.har.exchange import decoded, seconds, without_bodies
from pytest_loadtool.casefile.har.table import HarTable
from pytest_loadtool.codec.http import other_case
from pytest_loadtool.codec.media import declared_charset, media_type
from pytest_loadtool.codec.multipart import boundary_of, is_multipart
from pytest_loadtool.codec.places import encode
from pytest_loadtool.codec.request_coding import uncoded
from pytest_loadtool.model.exchange import UNENDED, Exchange, HeaderList
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.websocket import WEBSOCKET, is_event

_VERSIONS = {
    "": "HTTP/1.1",
    "unknown": "HTTP/1.1",
    "http/1.0": "HTTP/1.0",
    "http/1.1": "HTTP/1.1",
    "h2": "HTTP/2.0",
    "http/2": "HTTP/2.0",
    "http/2.0": "HTTP/2.0",
    "h3": "HTTP/3",
    "http/3": "HTTP/3",
    "http/3.0": "HTTP/3",
}
_HTML_CHARSET = re.compile(r"<meta[^>]+charset=['\"]?([^'\">]+)", re.IGNORECASE)
_CSS_CHARSET = re.compile(r'@charset "([^"]+)";', re.IGNORECASE)


#: The charset that a text was decoded from: by its content type, and the text itself.
Charset = Callable[[str, str], str]


def named_charset(mime: str, _text: str) -> str:
    """Return what the content type says, else UTF-8."""
    return declared_charset(mime) or "utf-8"


def mitmproxy_charset(mime: str, text: str) -> str:
    """Return what mitmproxy guesses: without a charset it takes for latin-1 what need not be
    UTF-8."""
    if declared_charset(mime) or "json" in mime:
        return named_charset(mime, text)
    inside = None
    if "html" in mime:
        inside = _HTML_CHARSET.search(text)
    elif "text/css" in mime:
        inside = _CSS_CHARSET.match(text)
    return inside[1] if inside else "latin-1"


def mitmproxy_exchange(entry: Any) -> Exchange:
    """Return the exchange that an entry of mitmproxy's hardump describes.

    Raises:
        EntryError: as `foreign_exchange`.
    """
    return foreign_exchange(entry, mitmproxy_charset)


def foreign_exchange(entry: Any, charset: Charset = named_charset) -> Exchange:
    """Return the exchange that an entry describes, as far as it can be known.

    Raises:
        EntryError: as `exchange_from`.
    """
    table = HarTable.of(entry)
    raw = without_bodies(table)
    request, response = table.table("request"), table.table("response")
    exchange = replace(
        raw,
        took=_took(table),
        http_version=_VERSIONS.get(raw.http_version.lower(), raw.http_version),
        request_headers=_wire_headers(raw.request_headers),
        method=other_case(raw.method),
        response_headers=_wire_headers(raw.response_headers),
        request_body=_request_body(request.table("postData"), raw, charset),
        response_body=_response_body(response.table("content"), raw, charset),
        note=_note(table, raw),
        events=_events(table),
    )
    if exchange.status == 0 and not exchange.error:
        error = table.get("_error", str, "") or "no response recorded"
        exchange = replace(exchange, error=error)
    return replace(exchange, lost=tuple(table.lost))


def _wire_headers(headers: HeaderList) -> HeaderList:
    return tuple(
        (name, one)
        for name, lines in headers
        if not name.startswith(":")
        for one in lines.split("\n")
    )


def _took(entry: HarTable) -> float:
    """Return ``time``, else the sum of the timings, in seconds; ``ssl`` counts within
    ``connect``."""
    total = entry.get("time", (int, float), None)
    if total is None:
        parts = entry.table("timings").members.items()
        counted = (one for name, one in parts if name not in ("ssl", "comment"))
        total = sum(one for one in counted if isinstance(one, int | float) and one > 0)
    return seconds(total)


def _request_body(post_data: HarTable, exchange: Exchange, charset: Charset) -> bytes:
    mime = post_data.get("mimeType", str, "")
    text = post_data.get("text", str, "")
    encoding = post_data.get("_encoding", str, "") or post_data.get("encoding", str, "")
    params = [] if text else list(post_data.tables("params"))
    if not params:
        body = _bytes(post_data, text, encoding, charset(mime, text))
        return uncoded(body, exchange.request_headers)
    if is_multipart(mime):
        return _multipart(params, exchange.request_header("Content-Type") or mime)
    return urlencode(
        [(one.get("name", str, ""), one.get("value", str, "")) for one in params]
    ).encode()


def _response_body(content: HarTable, exchange: Exchange, charset: Charset) -> bytes:
    mime = exchange.response_header("Content-Type") or content.get("mimeType", str, "")
    text = content.get("text", str, "")
    return _bytes(content, text, content.get("encoding", str, ""), charset(mime, text))


def _bytes(holder: HarTable, text: str, encoding: str, charset: str) -> bytes:
    """Return a body's bytes: base64, or text in that charset, if it can be."""
    if encoding.lower() == "base64":
        return decoded(holder, text, encoding)
    try:
        return text.encode(charset)
    except (LookupError, UnicodeError):
        # No charset after all, or one that this text was not decoded from.
        return decoded(holder, text, "")


def _multipart(params: list[HarTable], content_type: str) -> bytes:
    """Return the form in RFC 7578 shape. Files are as long as the HAR has them, which is often
    empty."""
    boundary = boundary_of(content_type)
    if not boundary:
        return b""
    parts = []
    for param in params:
        name = encode(Place.FILE_NAME, param.get("name", str, ""))
        head = f'Content-Disposition: form-data; name="{name}"'
        file_name = param.get("fileName", str, None)
        if file_name is not None:
            head += f'; filename="{encode(Place.FILE_NAME, file_name)}"'
        kind = param.get("contentType", str, "")
        if kind:
            head += f"\r\nContent-Type: {kind}"
        parts.append(f"--{boundary}\r\n{head}\r\n\r\n{param.get('value', str, '')}\r\n")
    return ("".join(parts) + f"--{boundary}--\r\n").encode("utf-8", "replace")


def _events(entry: HarTable) -> int:
    """Return how many events the page sent over the WebSocket, as Chromium and mitmproxy list
    them."""
    messages = entry.members.get("_webSocketMessages")
    return sum(
        isinstance(one, dict)
        and one.get("type") == "send"
        and isinstance(one.get("data"), str)
        and is_event(one["data"])
        for one in (messages if isinstance(messages, list) else ())
    )


def _note(entry: HarTable, exchange: Exchange) -> str:
    """Return why the exchange cannot be replayed; "" if it can."""
    scheme = exchange.url.partition(":")[0].lower()
    kind = entry.get("_resourceType", str, "").lower()
    mime = media_type(exchange.response_header("Content-Type"))
    if (
        scheme in ("ws", "wss")
        or kind == "websocket"
        or "_webSocketMessages" in entry.members
        or exchange.status == 101
    ):
        return WEBSOCKET
    if kind == "eventsource" or mime == "text/event-stream":
        # Of a stream that was open yet, no browser exports a body.
        ended = exchange.status and entry.table("response").table("content").get("text", str, "")
        return "" if ended else UNENDED
    if scheme not in ("http", "https"):
        return f"not an HTTP request, but {scheme}:"
    if exchange.method == "CONNECT":
        return "proxy tunnel"
    return ""
