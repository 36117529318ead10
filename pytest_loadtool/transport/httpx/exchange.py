"""One request over httpx, from its rendered bytes to its response.

It also stands between the bytes of a virtual user and the requests and responses of httpx.

A virtual user's request is rendered as HTTP/1.1 and its response is read as HTTP/1.1, whatever goes
over the wire. httpx is told to add nothing: what goes out is what was rendered.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from http import HTTPStatus
from time import perf_counter
from typing import Any

from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.exchange import Response, Send
from pytest_loadtool.replay.user.head import BROKEN_LINE
from pytest_loadtool.replay.user.origin import Origin
from pytest_loadtool.transport.connections.network import NetworkObserver
from pytest_loadtool.transport.http_library import httpx
from pytest_loadtool.transport.httpx.failures import httpx_failure
from pytest_loadtool.transport.wire.failures import (
    CLOSED_AS_SENT,
    CLOSED_EARLY,
    CLOSED_IN_NEGOTIATION,
    NO_CONNECTION,
    NO_END,
    NO_RESPONSE,
    SWITCHED,
)

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
    """Return method, target and headers. Most requests of a test case are the same each time."""
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


class _ElsewhereError(Exception):
    """An error: what belongs to a connection would have to go out on another one."""


class HttpxRequest:
    """A request on its way, and what is known of it so far. Fills in ``response``, whose body is
    kept up to ``body_limit`` bytes."""

    def __init__(
        self,
        response: Response,
        transport: httpx.AsyncBaseTransport,
        observer: NetworkObserver,
        body_limit: int,
    ) -> None:
        self.response = response
        self._body_limit = body_limit
        self._transport = transport
        self._observer = observer
        self._reused = True  # whether it goes over a connection that has carried another
        self._connecting = False
        self._sent = self._answered = False
        self._begun = self._connected = 0.0
        response.sent = perf_counter()

    @property
    def overdue(self) -> Failure:
        """Return what failed if it took too long."""
        if self._answered:
            return NO_END
        return NO_CONNECTION if self._connecting else NO_RESPONSE

    async def run(self) -> None:
        """Send it until there is a response, or a reason why there is none.

        That is once, unless it meets an idle connection that the server has closed, and cannot do
        anything twice (RFC 9112 §9.3.1).
        """
        while True:
            self._reused, self._sent, self._answered = True, False, False
            self.response.sent = perf_counter()
            try:
                failure = await self._attempt()
            except _ElsewhereError:
                failure = CLOSED_IN_NEGOTIATION
            except Exception as error:  # whatever it is, it is why this request failed
                failure = httpx_failure(error, sent=self._sent, answered=self._answered)
            if failure is CLOSED_EARLY and self._reused:
                if self.response.send.repeatable:
                    self._observer.retried()
                    continue
                failure = CLOSED_AS_SENT
            self.end(failure)
            return

    def end(self, failure: Failure | None) -> None:
        """End the exchange."""
        self.response.finished = perf_counter()
        if failure is not None:
            self.response.failure = failure
            self.response.status = 0

    async def _attempt(self) -> Failure | None:
        response = self.response
        request = request_for(response.send, self._note)
        answer = await self._transport.handle_async_request(request)
        self._answered = True
        response.first_byte = answer.extensions.get("first_byte", perf_counter())
        response.status = answer.status_code
        response.head = head_of(answer)
        response.received = len(response.head) + len(b"\r\n\r\n")
        if answer.status_code == 101:
            await answer.aclose()
            return SWITCHED
        parts, longest = [], response.received + self._body_limit
        async for part in answer.aiter_raw():
            response.received += len(part)
            if response.received <= longest:
                parts.append(part)
            else:
                parts.clear()
                response.unkept = self._body_limit
        response.body = b"".join(parts)
        return None

    async def _note(self, event: str, info: Mapping[str, Any]) -> None:
        """httpcore tells what it does."""
        now = perf_counter()
        match event:
            case "connection.connect_tcp.started" if self.response.send.bound:
                raise _ElsewhereError
            case "connection.connect_tcp.started":
                self._reused = False
                self._connecting = True
                self._begun = now
            case "connection.connect_tcp.complete":
                self._connected = now
            case "connection.start_tls.complete":
                self._connecting = False
                self._observer.opened(self._connected - self._begun, now - self._connected)
            case "http11.send_request_headers.started":
                if self._connecting:  # and there was no TLS
                    self._connecting = False
                    self._observer.opened(self._connected - self._begun, None)
                self.response.sent = now
            case "http2.send_request_headers.started":
                self.response.sent = now
                # Only now is it known which protocol the server has chosen.
                info["request"].headers[:] = without_connection(info["request"].headers)
            case (
                "http11.receive_response_headers.started" | "http2.receive_response_headers.started"
            ):
                self._sent = True
            case _:
                pass
