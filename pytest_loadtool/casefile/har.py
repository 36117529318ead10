"""`Exchange` to an entry of a HAR file and back (http://www.softwareishard.com/blog/har-12-spec/).

What HAR 1.2 has no place for stands in fields of our own, which start with "_" as the format asks
(section "Custom Fields") and are only there when needed:

* ``request.postData._encoding``: ``"base64"`` when the body is not UTF-8 text, as HAR itself has it
  for response bodies (``response.content.encoding``);
* ``response._error``: why no (whole) response came; browsers write it there too;
* ``log._troubles``: what makes the recording as a whole doubtful, such as a browser that crashed;
* ``_note``: why the exchange cannot be replayed. It stands in ``comment`` as well, where viewers
  show it.

Times are kept to the microsecond.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pytest_loadtool.model.exchange import Exchange, HeaderList

__all__ = [
    "CREATOR",
    "HEAD",
    "TROUBLES",
    "EntryError",
    "decoded",
    "encoded",
    "entry_from",
    "exchange_from",
    "started",
    "value",
]

#: ``log.creator.name`` of the files that we write.
CREATOR = "pytest-loadtool"
#: How they begin; the version follows.
HEAD = f'{{"log":{{"version":"1.2","creator":{{"name":"{CREATOR}"'.encode()


#: How the closing line begins when something made the recording as a whole doubtful.
TROUBLES = b'\n],"_troubles":'


class EntryError(ValueError):
    """An entry is not as HAR has it: ``key`` is the dotted key inside the entry."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def entry_from(
    exchange: Exchange,
    sent: tuple[str, str] | None = None,
    received: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """The HAR entry of an exchange, of JSON types.

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
    return entry


def exchange_from(entry: Any) -> Exchange:
    """The exchange that an entry of ours describes.

    Raises:
        EntryError: something is missing or of the wrong type.
    """
    return Exchange(
        started=started(value(entry, "startedDateTime", str)),
        took=_seconds(value(entry, "time", (int, float), 0)),
        **_request_to(value(entry, "request", dict)),
        **_response_to(value(entry, "response", dict)),
        note=value(entry, "_note", str, ""),
    )


def _request_to(request: Mapping[str, Any]) -> dict[str, Any]:
    with inside("request"):
        post_data = value(request, "postData", dict, {})
        return {
            "method": value(request, "method", str),
            "url": _url(value(request, "url", str)),
            "http_version": value(request, "httpVersion", str, ""),
            "request_headers": _headers(request),
            "request_body": _body(post_data, "postData", "_encoding"),
        }


def _url(text: str) -> str:
    try:
        urlsplit(text).port  # noqa: B018  it is checked when it is asked for
    except ValueError as error:
        raise EntryError("url", f"{text[:200]!r} is no URL: {error}") from None
    return text


def _response_to(response: Mapping[str, Any]) -> dict[str, Any]:
    with inside("response"):
        content = value(response, "content", dict, {})
        return {
            "status": value(response, "status", int, 0),
            "reason": value(response, "statusText", str, ""),
            "response_headers": _headers(response),
            "response_body": _body(content, "content", "encoding"),
            "error": value(response, "_error", str, ""),
        }


def _body(holder: Mapping[str, Any], name: str, encoding: str) -> bytes:
    with inside(name):
        return decoded(value(holder, "text", str, ""), value(holder, encoding, str, ""))


@contextlib.contextmanager
def inside(name: str) -> Iterator[None]:
    """Errors raised in this context are about keys inside of ``name``."""
    try:
        yield
    except EntryError as error:
        raise EntryError(f"{name}.{error.key}", str(error)) from None


_MISSING = object()


def value(table: Any, key: str, kind: type | tuple[type, ...], default: Any = _MISSING) -> Any:
    """What stands under ``key``; ``default``, if there is one, also for null.

    Raises:
        EntryError: it is missing or not of ``kind``.
    """
    if not isinstance(table, dict):
        raise EntryError("", "expected an object")
    found = table.get(key)
    if found is None and default is not _MISSING:
        return default
    if not isinstance(found, kind) or isinstance(found, bool):
        raise EntryError(key, "missing" if found is None else f"unexpected value {found!r}"[:80])
    return found


def decoded(text: str, encoding: str) -> bytes:
    """The bytes of a body, which is UTF-8 text unless ``encoding`` is base64.

    Raises:
        EntryError: the encoding is another one, or the text is not base64.
    """
    if not encoding:
        # Text from JSON may hold lone surrogates, which UTF-8 cannot.
        return text.encode("utf-8", "replace")
    if encoding.lower() != "base64":
        raise EntryError("encoding", f"unknown encoding {encoding!r}: expected 'base64'")
    try:
        return base64.b64decode(text, validate=False)
    except binascii.Error as error:
        raise EntryError("text", f"bad base64: {error}") from None


def started(text: str) -> float:
    """Seconds since the epoch of an ISO 8601 time; without an offset it counts as UTC.

    Raises:
        EntryError: it is no ISO 8601 time.
    """
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise EntryError("startedDateTime", f"expected an ISO 8601 time, got {text!r}") from None


def _seconds(milliseconds: float) -> float:
    """To the microsecond."""
    try:
        return round(milliseconds * 1000) / 1_000_000
    except (ValueError, OverflowError):
        raise EntryError("time", f"expected milliseconds, got {milliseconds!r}"[:80]) from None


def _iso(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def encoded(body: bytes) -> tuple[str, str]:
    """A body as text and its encoding, "" for UTF-8."""
    try:
        return body.decode("utf-8"), ""
    except UnicodeDecodeError:
        return base64.b64encode(body).decode(), "base64"


def _request_from(exchange: Exchange, body: tuple[str, str]) -> dict[str, Any]:
    request: dict[str, Any] = {
        "method": exchange.method,
        "url": exchange.url,
        "httpVersion": exchange.http_version,
        "cookies": [
            _pair(*one.strip().partition("=")[::2])
            for line in _all(exchange.request_headers, "cookie")
            for one in line.split(";")
            if one.strip()
        ],
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


def _headers(message: Mapping[str, Any]) -> HeaderList:
    with inside("headers"):
        return tuple(
            (value(header, "name", str), value(header, "value", str, ""))
            for header in value(message, "headers", list, [])
        )
