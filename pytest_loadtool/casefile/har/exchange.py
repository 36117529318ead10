"""`Exchange` to an entry of a HAR file and back (http://www.softwareishard.com/blog/har-12-spec/).

What HAR 1.2 has no place for stands in fields of our own, which start with "_" as the format asks
(section "Custom Fields") and are only there when needed:

* ``request.postData._encoding``: ``"base64"`` when the body is not UTF-8 text, as HAR itself has it
  for response bodies (``response.content.encoding``);
* ``response._error``: why no (whole) response came; browsers write it there too;
* ``log._troubles``: what makes the recording as a whole doubtful, such as a browser that crashed;
* ``_note``: why the exchange cannot be replayed. It stands in ``comment`` as well, where viewers
  show it;
* ``_events``: how many messages a page sent over a WebSocket that may have done something;
* ``_lost``: what the file that the exchange comes from had of it, and could not be read.

Times are kept to the microsecond.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pytest_loadtool.casefile.har.table import EntryError, HarTable
from pytest_loadtool.codec.cookie import sent_cookies
from pytest_loadtool.model.exchange import Exchange, HeaderList

#: ``log.creator.name`` of the files that we write.
CREATOR = "pytest-loadtool"
#: How they begin; the version follows.
HEAD = f'{{"log":{{"version":"1.2","creator":{{"name":"{CREATOR}"'.encode()


#: How the closing line begins when something made the recording as a whole doubtful.
TROUBLES = b'\n],"_troubles":'
#: Seconds since the epoch, the year 2200: no recording is of a later time, or of one before it.
_LATEST = 7_258_118_400
_LAST_STATUS = 999
#: Milliseconds, about thirty years: what is longer is no duration of a request.
_LONGEST = 1e12


def entry_from(
    exchange: Exchange,
    sent: tuple[str, str] | None = None,
    received: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """Return the HAR entry of an exchange, of JSON types.

    ``sent`` and ``received`` stand for its bodies, if given: the text and its encoding, "" for
    UTF-8.
    """
    took = round(exchange.took * 1_000_000) / 1000
    entry = {
        "startedDateTime": _iso(exchange.started),
        "time": took,
        "request": _request_from(exchange, sent or encoded(exchange.request_body)),
        "response": _response_from(exchange, received or encoded(exchange.response_body)),
        "cache": {},
        "timings": {
            "blocked": -1,
            "dns": -1,
            "connect": -1,
            "send": 0,
            "wait": took,
            "receive": 0,
            "ssl": -1,
        },
    }
    if exchange.note:
        entry["comment"] = entry["_note"] = exchange.note
    if exchange.events:
        entry["_events"] = exchange.events
    if exchange.lost:
        entry["_lost"] = list(exchange.lost)
    return entry


def exchange_from(entry: Any) -> Exchange:
    """Return the exchange that an entry of ours describes. What of it is not as it should be is
    left out, and named in ``lost``. Without a start that can be read, ``started`` is not a number.

    Raises:
        EntryError: there is no request, or not even its method and URL.
    """
    table = HarTable.of(entry)
    exchange = without_bodies(table)
    return replace(
        exchange,
        took=seconds(table.get("time", (int, float), 0)),
        request_body=_body(table.table("request").table("postData"), "_encoding"),
        response_body=_body(table.table("response").table("content"), "encoding"),
        note=table.get("_note", str, ""),
        events=table.get("_events", int, 0),
        lost=(*filter(_is_text, table.get("_lost", list, [])), *table.lost),
    )


def without_bodies(entry: HarTable) -> Exchange:
    """Return what every program writes in the same way.

    Raises:
        EntryError: as `exchange_from`.
    """
    request, response = entry.needed_table("request"), entry.table("response")
    return Exchange(
        started=_started(entry),
        took=0.0,
        method=request.needed("method", str),
        url=_url(request.needed("url", str)),
        http_version=request.get("httpVersion", str, ""),
        request_headers=_headers(request),
        status=_status(response),
        reason=response.get("statusText", str, ""),
        response_headers=_headers(response),
        error=response.get("_error", str, ""),
    )


def _status(response: HarTable) -> int:
    """Return the status: 0 also for -1 and the like, with which some programs say that there was no
    response."""
    status: int = response.get("status", int, 0)
    if status <= _LAST_STATUS:
        return max(0, status)
    response.drop("status", f"expected three digits, got {status!r}"[:80])
    return 0


def _is_text(found: object) -> bool:
    return isinstance(found, str)


def _url(text: str) -> str:
    try:
        urlsplit(text).port  # noqa: B018  it is checked when it is asked for
    except ValueError as error:
        raise EntryError("request.url", f"{text[:200]!r} is no URL: {error}") from None
    return text


def _body(holder: HarTable, encoding: str) -> bytes:
    return decoded(holder, holder.get("text", str, ""), holder.get(encoding, str, ""))


def decoded(holder: HarTable, text: str, encoding: str) -> bytes:
    """Return the bytes of a body, which is UTF-8 text unless ``encoding`` is base64; none, with a
    line in what ``holder`` has lost, if it is neither. Padding may be missing, as browsers have it
    (WHATWG Infra, forgiving-base64)."""
    if not encoding:
        # Text from JSON may hold lone surrogates, which UTF-8 cannot.
        return text.encode("utf-8", "replace")
    if encoding.lower() != "base64":
        holder.drop("encoding", f"unknown encoding {encoding[:40]!r}: expected 'base64'")
        return b""
    packed = "".join(text.split())
    try:
        return base64.b64decode(packed + "=" * (-len(packed) % 4))
    except ValueError as error:
        holder.drop("text", f"bad base64: {error}")
        return b""


def _started(entry: HarTable) -> float:
    """Return seconds since the epoch of an ISO 8601 time; without an offset it counts as UTC."""
    text: Any = entry.members.get("startedDateTime")
    try:
        moment = datetime.fromisoformat(text)
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        if 0 <= seconds < _LATEST:
            return seconds
    except (TypeError, ValueError, OverflowError):
        pass
    reason = f"expected an ISO 8601 time, got {text!r}"[:80]
    entry.drop("startedDateTime", "missing" if text is None else reason)
    return math.nan


def seconds(milliseconds: float) -> float:
    """Return a duration in seconds, to the microsecond; 0 for what cannot be the duration of a
    request."""
    return round(milliseconds * 1000) / 1_000_000 if 0 < milliseconds < _LONGEST else 0.0


def _iso(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def encoded(body: bytes) -> tuple[str, str]:
    """Return a body as text and its encoding, "" for UTF-8."""
    try:
        return body.decode("utf-8"), ""
    except UnicodeDecodeError:
        return base64.b64encode(body).decode(), "base64"


def _request_from(exchange: Exchange, body: tuple[str, str]) -> dict[str, Any]:
    request: dict[str, Any] = {
        "method": exchange.method,
        "url": exchange.url,
        "httpVersion": exchange.http_version,
        "cookies": [_pair(*cookie) for cookie in sent_cookies(exchange.request_headers)],
        "headers": [_pair(*header) for header in exchange.request_headers],
        "queryString": [_pair(*one) for one in _query(exchange.url)],
        "headersSize": -1,
        "bodySize": exchange.request_size,
    }
    if exchange.request_size:
        text, encoding = body
        request["postData"] = {
            "mimeType": exchange.request_header("Content-Type") or "",
            "params": [],
            "text": text,
        }
        if encoding:
            request["postData"]["_encoding"] = encoding
    return request


def _response_from(exchange: Exchange, body: tuple[str, str]) -> dict[str, Any]:
    text, encoding = body
    content = {
        "size": exchange.response_size,
        "mimeType": exchange.response_header("Content-Type") or "",
        "text": text,
    }
    if encoding:
        content["encoding"] = encoding
    response = {
        "status": exchange.status,
        "statusText": exchange.reason,
        "httpVersion": exchange.http_version,
        "cookies": [
            _pair(*line.partition(";")[0].partition("=")[::2])
            for line in _all(exchange.response_headers, "set-cookie")
        ],
        "headers": [_pair(*header) for header in exchange.response_headers],
        "content": content,
        "redirectURL": exchange.response_header("Location") or "",
        "headersSize": -1,
        "bodySize": -1,  # the size as sent is not known: the body is kept decoded
    }
    if exchange.error:
        response["_error"] = exchange.error
    return response


def _pair(name: str, text: str) -> dict[str, str]:
    return {"name": name, "value": text}


def _all(headers: HeaderList, name: str) -> Iterable[str]:
    return (text for key, text in headers if key.lower() == name)


def _query(url: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(urlsplit(url).query, keep_blank_values=True)
    except ValueError:  # no URL that Python could split; the viewers show it whole anyway
        return []


def _headers(message: HarTable) -> HeaderList:
    return tuple(
        (name, header.get("value", str, ""))
        for header in message.tables("headers")
        if (name := header.get("name", str, None)) is not None
    )
