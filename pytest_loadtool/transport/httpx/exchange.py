"""One request over httpx, from its rendered bytes to its response."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import httpx

from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.plan import Response
from pytest_loadtool.transport.connections.network import NetworkObserver
from pytest_loadtool.transport.httpx.failures import httpx_failure
from pytest_loadtool.transport.httpx.messages import head_of, request_for, without_connection
from pytest_loadtool.transport.wire.failures import (
    CLOSED_AS_SENT,
    CLOSED_EARLY,
    CLOSED_IN_NEGOTIATION,
    NO_CONNECTION,
    NO_END,
    NO_RESPONSE,
    SWITCHED,
)


class _ElsewhereError(Exception):
    """What belongs to a connection would have to go out on another one."""


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
        """It is over."""
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
