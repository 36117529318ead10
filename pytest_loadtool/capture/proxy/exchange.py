"""From mitmproxy's flow to an `Exchange`: what the server received and what it answered.

Header names and values are latin-1 text, so that every byte survives.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache
from pathlib import Path

from mitmproxy.http import Headers, HTTPFlow, Request

from pytest_loadtool.capture.proxy.body import Collector, decoded
from pytest_loadtool.codec.http import authority
from pytest_loadtool.codec.media import media_type
from pytest_loadtool.codec.request_coding import uncoded
from pytest_loadtool.model.exchange import UNENDED, Body, Exchange, HeaderList
from pytest_loadtool.model.websocket import WEBSOCKET

#: Responses that a server may go on sending until somebody hangs up.
_ENDLESS = {
    "text/event-stream": UNENDED,
    "multipart/x-mixed-replace": "endless response (multipart/x-mixed-replace)",
}

#: How the operating system's errors begin; the number means nothing to the user.
_ERROR_NUMBER = re.compile(r"^\[Errno -?\d+\] ")

_HTTP_VERSIONS = {b"HTTP/2.0": "HTTP/2"}


def endless(headers: Headers) -> str:
    """Return why a response with these headers cannot be waited for if it had no end; empty for the
    ordinary ones."""
    media = media_type(headers.get("content-type"))
    return _ENDLESS.get(media, "")


def from_flow(
    flow: HTTPFlow,
    collector: Collector | None,
    error: str = "",
    directory: Path | None = None,
    upload: Collector | None = None,
    events: int = 0,
) -> Exchange:
    """Return the exchange of a flow that has ended: with its response, or with ``error`` if that is
    given. ``directory`` is for a large body; ``upload`` has that of the request if it was streamed,
    and ``events`` counts those that were sent over a WebSocket.

    A response that broke off counts as none (status 0), unless it was endless: then what came is
    all there could be. What came of its body is kept in either case.
    """
    request, response = flow.request, flow.response
    status, reason, headers = 0, "", ()  # type: tuple[int, str, HeaderList]
    body: bytes | Body = b""
    note = ""
    if response is not None:
        headers = _header_list(response.headers)
        raw = collector.body if collector is not None else response.data.content or b""
        codings = ",".join(response.headers.get_all("content-encoding"))
        body, loss = decoded(raw, codings, directory)
        status, reason = response.status_code, response.data.reason.decode("latin-1")
        cut = bool(error) or flow.error is not None
        note = _upgrade(flow) or (endless(response.headers) if cut else "")
        if error and not note:
            error = f"{error} (the response had begun with status {status})"
            status, reason = 0, ""
        elif not error and collector is not None:
            error = collector.loss or loss
    if upload is not None:
        error = error or upload.loss or _unsent(request, upload)
    return Exchange(
        started=request.timestamp_start,
        took=max(0.0, _ended(flow) - request.timestamp_start),
        method=request.data.method.decode("latin-1"),
        url=_url(request),
        http_version=_version(request),
        request_headers=_request_headers(request),
        request_body=_request_body(request, upload),
        status=status,
        reason=reason,
        response_headers=headers,
        response_body=body,
        error=_plain(error),
        note=note,
        events=events,
    )


def from_tunnel(address: tuple[str, int], started: float, error: str, note: str) -> Exchange:
    """Return a tunnel (CONNECT) through which no HTTP came, and why."""
    host, port = address
    return Exchange(
        started=started,
        took=max(0.0, time.time() - started),
        method="CONNECT",
        url=f"https://{authority(host, port, 'https')}/",
        http_version="HTTP/1.1",
        request_headers=(("Host", authority(host, port)),),
        request_body=b"",
        error=_plain(error),
        note=note,
    )


def _request_body(request: Request, upload: Collector | None) -> bytes | Body:
    if upload is not None:
        return upload.body
    return uncoded(request.data.content or b"", _header_list(request.headers))


def _unsent(request: Request, upload: Collector) -> str:
    """Return what a server did not wait for, as a sentence; empty when it did."""
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or upload.size >= int(length):
        return ""
    return f"answered after {upload.size} of {length} bytes of the request body"


def _plain(error: str) -> str:
    return _ERROR_NUMBER.sub("", error).rstrip(".")


def _ended(flow: HTTPFlow) -> float:
    if flow.response is not None and flow.response.timestamp_end is not None:
        return flow.response.timestamp_end
    return time.time()


def _version(request: Request) -> str:
    raw = request.data.http_version
    return _HTTP_VERSIONS.get(raw, raw.decode("latin-1"))


def _url(request: Request) -> str:
    server = authority(request.host, request.port, request.scheme)
    path = request.data.path.decode("latin-1")
    return f"{request.scheme}://{server}{'/' if path == '*' else path}"


def _request_headers(request: Request) -> HeaderList:
    # What is left of these is the recorder's own, for the proxy that it goes through.
    own = "proxy-authorization"
    headers = tuple(one for one in _header_list(request.headers) if one[0].lower() != own)
    said = request.data.authority.decode("latin-1")
    # HTTP/2 (RFC 9113 §8.3.1) says in :authority what HTTP/1.1 says in Host.
    if said and not any(name.lower() == "host" for name, _ in headers):
        return (("Host", said), *headers)
    return headers


def _header_list(headers: Headers) -> HeaderList:
    return tuple(_header(name, value) for name, value in headers.fields)


@lru_cache(maxsize=4096)
def _header(name: bytes, value: bytes) -> tuple[str, str]:
    """Return one header as text. Most are in every request of a recording, and are then one
    object."""
    return name.decode("latin-1"), value.decode("latin-1")


def _upgrade(flow: HTTPFlow) -> str:
    if flow.response is None or flow.response.status_code != 101:
        return ""
    protocol = flow.response.headers.get("upgrade", "unknown protocol")
    return WEBSOCKET if protocol.lower() == "websocket" else f"upgrade to {protocol}"


_CREDENTIALS = ("proxy-authorization", "proxy-authenticate")


def leave_out_own(headers: Headers) -> None:
    """Remove what is meant for the proxy, so that the server gets what it would get without one."""
    for name in _CREDENTIALS:
        headers.pop(name, None)
    if "proxy-connection" in headers:
        # Chromium writes Proxy-Connection in the very place of its Connection header; other clients
        # (curl) add it to what they send anyway.
        browser = headers.get("user-agent", "").startswith("Mozilla/")
        replace = browser and "connection" not in headers
        headers.fields = tuple(
            (b"Connection" if name.lower() == b"proxy-connection" else name, value)
            for name, value in headers.fields
            if replace or name.lower() != b"proxy-connection"
        )
    if headers.get("upgrade", "").lower() == "h2c":
        for name in ("upgrade", "connection", "http2-settings"):
            headers.pop(name, None)
