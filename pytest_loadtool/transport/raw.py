"""The raw transport: one HTTP/1.1 connection of one virtual user (RFC 9112).

Written for the hot path: the protocol's own callbacks feed the virtual user, with no task, future
or client object per request.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from time import perf_counter
from typing import Any, Protocol, cast

import httptools

from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.exchange import Response, Send

__all__ = ["Connection", "Owner", "failure_of", "tls_context"]

_CLOSED_EARLY = Failure("reset", "connection closed by the server before a response came")
_CLOSED_MIDWAY = Failure("reset", "connection closed by the server in the middle of a response")
_TIMEOUT = Failure("timeout", "no complete response in time")
_UPGRADED = Failure("protocol", "the server switched protocols, which cannot be replayed")


class Owner(Protocol):
    """Who a connection works for: a driver's view of one virtual user."""

    def received(self, response: Response) -> None:
        """A response has come, or failed to."""

    def reconnect(self, send: Send) -> None:
        """The server had closed the idle connection just as ``send`` went out: use a fresh one."""


class Connection(asyncio.Protocol):
    """A connection and the request it carries, one at a time."""

    __slots__ = (
        "_chunks", "_complete", "_fresh", "_head", "_interim", "_keep_alive", "_owner", "_parser",
        "_response", "_transport",
    )  # fmt: skip

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._response: Response | None = None
        self._chunks: list[bytes] = []
        self._complete = False
        self._keep_alive = False
        self._head = b""  # what came so far of a head that is not complete
        self._interim = 0  # interim responses (1xx) in it
        self._fresh = True  # nothing has been sent on it yet

    @property
    def response(self) -> Response | None:
        """The response under way, or None when idle."""
        return self._response

    @property
    def usable(self) -> bool:
        """Whether a request can be written at once."""
        return self._transport is not None and not self._transport.is_closing()

    def expect(self, send: Send) -> None:
        """A request will go out as soon as the connection is open."""
        self._response = Response(send)

    def request(self, send: Send) -> None:
        """Write a request. The connection is open and idle."""
        response = self._response = Response(send)
        response.sent = perf_counter()
        assert self._transport is not None
        self._transport.write(send.data)

    def fail(self, failure: Failure) -> None:
        """End the request under way, if any, as failed, and the connection with it."""
        response, self._response = self._response, None
        self.close()
        if response is not None:
            response.failure = failure
            response.status = 0
            response.finished = perf_counter()
            self._owner.received(response)

    def time_out(self) -> None:
        """No complete response in time."""
        self.fail(_TIMEOUT)

    def close(self) -> None:
        """Close without waiting; nothing is reported any more."""
        self._response = None
        self._abandon()

    def _abandon(self) -> None:
        if self._transport is not None:
            self._transport.abort()
            self._transport = None

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Write the request that waited for the connection."""
        self._transport = cast("asyncio.Transport", transport)
        response = self._response
        if response is None:  # given up while connecting
            self.close()
            return
        response.sent = perf_counter()
        self._transport.write(response.send.data)

    def data_received(self, data: bytes) -> None:
        """Feed the parser; a complete response goes to the owner."""
        now = perf_counter()
        response = self._response
        if response is None:
            if self._transport is not None:  # bytes that nobody asked for: RFC 9112 §9.2
                self.close()
            return
        if not response.received:
            response.first_byte = now
        response.received += len(data)
        if not response.head:
            self._head += data
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self.fail(_UPGRADED)
            return
        except httptools.HttpParserError as error:
            if not self._complete:
                self.fail(Failure("protocol", f"not HTTP: {error}"))
                return
            self._abandon()  # the response is whole; what follows it belongs to no request
        if not response.head and response.status:
            response.head = self._head.split(b"\r\n\r\n", self._interim + 1)[self._interim]
            self._head = b""
            self._interim = 0
        if self._complete:
            self._finish(response, now)

    def eof_received(self) -> None:
        """Nothing to do: `connection_lost` follows, and knows whether the response was complete."""

    def connection_lost(self, _error: Exception | None) -> None:
        """The server closed. That ends a body without a length, and breaks any other response."""
        self._transport = None
        response = self._response
        if response is None:
            return
        if response.status and self._ends_with_connection(response):
            self._finish(response, perf_counter())
        elif response.received:
            self.fail(_CLOSED_MIDWAY)
        elif self._fresh:
            self.fail(_CLOSED_EARLY)
        else:
            self._response = None
            self._owner.reconnect(response.send)

    # httptools callbacks

    def on_headers_complete(self) -> None:
        """The head is complete; a response to HEAD has no body (RFC 9112 §6.3)."""
        response = self._response
        assert response is not None
        response.status = self._parser.get_status_code()
        if response.send.step.transaction.request.method == "HEAD" and response.status >= 200:
            self._complete = True

    def on_body(self, data: bytes) -> None:
        """Keep a piece of the body."""
        self._chunks.append(data)

    def on_message_complete(self) -> None:
        """The response is complete, unless it was an interim one (RFC 9110 §15.2)."""
        response = self._response
        assert response is not None
        if response.status < 200 and response.status != 101:
            response.status = 0
            self._interim += 1
            return
        self._complete = True
        self._keep_alive = self._parser.should_keep_alive()

    def _finish(self, response: Response, now: float) -> None:
        chunks = self._chunks
        if chunks:
            response.body = chunks[0] if len(chunks) == 1 else b"".join(chunks)
            chunks.clear()
        response.finished = now
        self._complete = False
        self._fresh = False
        self._response = None
        if response.send.step.transaction.request.method == "HEAD":
            self._parser = httptools.HttpResponseParser(self)  # the old one waits for a body
            if "close" in (response.header("connection") or "").lower():
                self.close()
        elif not self._keep_alive:
            self.close()
        self._owner.received(response)

    @staticmethod
    def _ends_with_connection(response: Response) -> bool:
        framed = response.header("content-length") or response.header("transfer-encoding")
        return framed is None


def tls_context(verify: bool) -> ssl.SSLContext:
    """The TLS settings of a client: HTTP/1.1 by ALPN, certificates verified if asked."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def failure_of(error: Exception) -> Failure:
    """Why a connection could not be opened, in words that are equal for equal causes."""
    for kind, describe in _CONNECT_FAILURES:
        if isinstance(error, kind):
            return describe(error)
    return Failure("connect", f"{type(error).__name__}: {error}")


_CONNECT_FAILURES: tuple[tuple[type[Exception], Callable[[Any], Failure]], ...] = (
    (socket.gaierror, lambda error: Failure("dns", f"host name not found: {error.args[-1]}")),
    (
        ssl.SSLCertVerificationError,
        lambda error: Failure("tls", f"certificate not trusted: {error.verify_message}"),
    ),
    (ssl.SSLError, lambda error: Failure("tls", f"TLS handshake failed: {error.reason}")),
    (TimeoutError, lambda _: Failure("timeout", "no connection in time")),
    (
        ConnectionRefusedError,
        lambda _: Failure("connect", "connection refused: is the server running?"),
    ),
    (ConnectionResetError, lambda _: Failure("reset", "connection reset while connecting")),
)
