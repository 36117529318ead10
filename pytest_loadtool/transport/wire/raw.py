"""The raw transport: one HTTP/1.1 connection of one virtual user (RFC 9112).

Written for the hot path: the protocol's own callbacks feed the virtual user, with no task, future
or client object per request.
"""

from __future__ import annotations

import asyncio
import ssl
from time import perf_counter
from typing import Final, Protocol, cast

from pytest_loadtool.model.load import BODY_LIMIT
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.exchange import Response, Send
from pytest_loadtool.replay.user.failures import internal_failure
from pytest_loadtool.replay.user.head import Heads
from pytest_loadtool.transport.wire.failures import (
    CLOSED_AS_SENT,
    CLOSED_EARLY,
    CLOSED_MIDWAY,
    NO_CONNECTION,
    NO_END,
    NO_RESPONSE,
    failure_of,
    not_http,
)
from pytest_loadtool.transport.wire.http1 import ProtocolError, ResponseReader

#: How long a request (bytes) may be so that a proxy which challenges it has surely read all of it.
#: squid 5 leaves the rest of a longer one where it is, and the next request on that connection is
#: never answered.
READ_BY_PROXIES: Final = 32_768


class Owner(Protocol):
    """The owner of a connection: a driver's view of one virtual user."""

    def received(self, response: Response) -> None:
        """A response has come, or failed to."""

    def reconnect(self, send: Send) -> None:
        """The server had closed the idle connection just as ``send`` went out: use a fresh one."""


class Connection:
    """A connection and the request it carries, one at a time.

    An `asyncio.Protocol` in all but name: a compiled class cannot inherit from it.
    """

    __slots__ = (
        "_owner", "_reader", "_response", "_sending", "_transport", "fresh", "opening", "overdue",
    )  # fmt: skip

    def __init__(
        self, owner: Owner, body_limit: int = BODY_LIMIT, heads: Heads | None = None
    ) -> None:
        self._owner = owner
        self._reader = ResponseReader(body_limit, heads)
        self._transport: asyncio.Transport | None = None
        self._response: Response | None = None
        self._sending = False  # much of the request has still to go out
        self.fresh = True
        """Whether no response has come on it yet."""
        self.opening: asyncio.Task[None] | None = None
        """What opens it, until it is open; ended when nobody waits for it any more."""
        self.overdue = NO_CONNECTION
        """What has failed if it is not open in time."""

    @property
    def response(self) -> Response | None:
        """The response under way, or None when idle."""
        return self._response

    @property
    def usable(self) -> bool:
        """Return whether a request can be written at once."""
        return self._transport is not None and not self._transport.is_closing()

    def expect(self, send: Send) -> None:
        """A request will go out as soon as the connection is open."""
        response = self._response = Response(send)
        response.sent = perf_counter()

    def request(self, send: Send) -> None:
        """Write a request. The connection is open and idle."""
        response = self._response = Response(send)
        transport = self._transport
        assert transport is not None
        self._reader.begin(send.step.without_body)
        response.sent = perf_counter()
        transport.write(send.data)

    def fail(self, failure: Failure) -> None:
        """End the request under way, if any, as failed, and the connection with it."""
        response = self._response
        self.close()
        self._reader.drop()
        if response is not None:
            response.failure = failure
            response.status = 0
            response.finished = perf_counter()
            self._owner.received(response)

    def time_out(self) -> None:
        """Fail for lack of a complete response in time."""
        response = self._response
        if self._transport is None:
            self.fail(self.overdue)
        else:
            self.fail(NO_END if response is not None and response.received else NO_RESPONSE)

    def close(self) -> None:
        """Close without waiting; nothing is reported any more."""
        self._response = None
        transport = self._transport
        if transport is not None:
            self._transport = None
            transport.abort()
        elif self.opening is not None:
            self.opening.cancel()

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Write the request that waited for the connection."""
        self.opening = None
        self._transport = cast("asyncio.Transport", transport)
        response = self._response
        if response is None:  # given up while connecting
            self.close()
        else:
            self.request(response.send)

    def data_received(self, data: bytes) -> None:
        """Feed the reader; a complete response goes to the owner."""
        response = self._response
        if response is None:
            self.close()  # bytes that nobody asked for (RFC 9112 §9.2)
            return
        now = perf_counter()
        if not response.received:
            response.first_byte = now
        response.received += len(data)
        try:
            complete = self._reader.feed(data)
        except ProtocolError as broken:
            self.fail(not_http(broken))
            return
        except Exception as error:  # event loops swallow what a callback raises
            self.fail(internal_failure(error))
            return
        if complete:
            self._finish(response, now)

    def eof_received(self) -> None:
        """Do nothing: `connection_lost` follows, and knows whether the response was complete."""

    def pause_writing(self) -> None:
        """A large request is still on its way."""
        self._sending = True

    def resume_writing(self) -> None:
        """Most of it has gone out."""
        self._sending = False

    def connection_lost(self, error: Exception | None) -> None:
        """The server closed. That ends a body without a length, and breaks any other response.

        A request that met an idle connection which the server was just closing is sent once more,
        if that cannot do anything twice (RFC 9112 §9.3.1): nothing was received, and its method is
        idempotent, or it only negotiates.
        """
        self._transport = None
        response = self._response
        if response is None:
            return
        if isinstance(error, ssl.SSLError | MemoryError):
            self.fail(failure_of(error))
        elif error is None and self._reader.end():
            self._finish(response, perf_counter())
        elif response.received:
            self.fail(CLOSED_MIDWAY)
        elif self.fresh:
            self.fail(CLOSED_EARLY)
        elif not response.send.repeatable:
            self.fail(CLOSED_AS_SENT)
        else:
            self._response = None
            self._owner.reconnect(response.send)

    def _finish(self, response: Response, now: float) -> None:
        reader = self._reader
        head = reader.head
        assert head is not None
        response.begin(reader.head_bytes, head)
        response.body = reader.body
        response.unkept = reader.unkept
        response.finished = now
        self.fresh = False
        self._response = None
        left_unread = head.status == 407 and len(response.send.data) > READ_BY_PROXIES
        if reader.excess or self._sending or left_unread or not reader.keep_alive:
            self.close()
        self._owner.received(response)
