"""Between the bytes of a virtual user and the requests and responses of httpx.

A virtual user's request is rendered as HTTP/1.1 and its response is read as HTTP/1.1, whatever goes
over the wire. httpx is told to add nothing: what goes out is what was rendered.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any

import httpx

from pytest_loadtool.replay.user.head import BROKEN_LINE
from pytest_loadtool.replay.user.origin import Origin
from pytest_loadtool.replay.user.plan import Send

#: Is told by httpcore what it does, and with what.
Trace = Callable[[str, Mapping[str, Any]], Awaitable[None]]

Headers = list[tuple[bytes, bytes]]

#: Headers about the connection, which HTTP/2 does not have (RFC 9113 §8.2.2).
_ABOUT_CONNECTIONS = frozenset(
    (b"connection", b"keep-alive", b"proxy-connection", b"transfer-encoding", b"upgrade")
)


def request_for(send: Send, trace: Trace) -> httpx.Request:
    """Return the request that ``send`` has rendered."""
    head, _, body = send.data.partition(b"\r\n\r\n")
    method, target, headers = _parsed(head)
    origin = send.step.origin
    # httpx would normalise the path of a URL; a target goes out as it is.
    extensions: dict[str, object] = {"target": target, "trace": trace}
    if origin.tls.server_name:
        extensions["sni_hostname"] = origin.tls.server_name
    request = httpx.Request(
        method,
        _url(origin),
        headers=headers,
        # With a stream of its own a request gets no header that it does not have.
        stream=httpx.ByteStream(body),
        extensions=extensions,
    )
    request.method = method  # as it was written: HTTP knows no lower case "PATCH", but fetch does
    return request


def head_of(answer: httpx.Response) -> bytes:
    """Return the head as HTTP/1.1 would have it, without the empty line at its end.

    Of HTTP/2 there is no such head: its status line reads ``HTTP/2 200``.

    Raises:
        httpx.RemoteProtocolError: a line of it has CR, LF or NUL within (RFC 9110 §5.5, RFC 9113
            §8.2.1): an application in this process may answer so.
    """
    version: bytes = answer.extensions.get("http_version", b"HTTP/1.1")
    status = b"%b %d" % (version, answer.status_code)
    if version != b"HTTP/2":
        status += b" " + answer.extensions.get("reason_phrase", _phrase(answer.status_code))
    lines = [status, *(b"%b: %b" % pair for pair in answer.headers.raw)]
    if any(len(line.translate(None, b"\r\n\0")) < len(line) for line in lines):
        raise httpx.RemoteProtocolError(BROKEN_LINE)
    return b"\r\n".join(lines)


def without_connection(headers: Headers) -> Headers:
    """Return what HTTP/2 can carry of a request's headers."""
    return [one for one in headers if one[0].lower() not in _ABOUT_CONNECTIONS]


@lru_cache(maxsize=4096)
def _parsed(head: bytes) -> tuple[str, bytes, Headers]:
    """Method, target and headers. Most requests of a test case are the same each time."""
    first, *lines = head.split(b"\r\n")
    method, target, _ = first.split(b" ", 2)
    headers = []
    for line in lines:
        name, _, value = line.partition(b":")
        headers.append((name, value.strip(b" \t")))
    return method.decode("ascii"), target, headers


@lru_cache(maxsize=256)
def _url(origin: Origin) -> httpx.URL:
    return httpx.URL(scheme=origin.scheme, host=origin.host, port=origin.port, path="/")


def _phrase(status: int) -> bytes:
    try:
        return HTTPStatus(status).phrase.encode()
    except ValueError:
        return b""
