"""From the exceptions of httpx to the failures that the raw transport reports."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator

from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.failures import OUT_OF_MEMORY
from pytest_loadtool.transport.http_library import httpx
from pytest_loadtool.transport.wire.failures import (
    CLOSED_EARLY,
    CLOSED_MIDWAY,
    SWITCHED,
    failure_of,
    not_http,
)

#: What lies at the bottom of a failed connection. httpx wraps it several times.
_ROOTS = (MemoryError, socket.gaierror, ssl.SSLError, ConnectionError, TimeoutError)

#: How httpcore says that the server hung up, on HTTP/1.1 and HTTP/2: it has no type for it.
_HUNG_UP = ("Server disconnected", "peer closed connection", "<ConnectionTerminated")

#: How it says that a response's stream was reset, which says nothing about the connection.
_STREAM_RESET = "<StreamReset"

#: How h11 says that the server answers 101 to a request that has not asked for it.
_UNASKED_SWITCH = "_SWITCH_"


def httpx_failure(error: Exception, *, sent: bool, answered: bool) -> Failure:
    """Return why there is no whole response to a request that was ``sent``, or not even that.

    ``answered``: the head of a response had come.
    """
    closed = CLOSED_MIDWAY if answered else CLOSED_EARLY
    if isinstance(next(_roots(error), None), MemoryError):
        return OUT_OF_MEMORY
    match error:
        case httpx.RemoteProtocolError() if str(error).startswith(_HUNG_UP):
            return closed
        case httpx.RemoteProtocolError() if str(error).startswith(_STREAM_RESET):
            return Failure("reset", "HTTP/2 stream reset by the server")
        case httpx.RemoteProtocolError() if _UNASKED_SWITCH in str(error):
            return SWITCHED
        case httpx.RemoteProtocolError():
            return not_http(error)
        case httpx.LocalProtocolError() if sent:  # h2 blames us for what it does not like to read
            return not_http(error)
        case httpx.LocalProtocolError():
            return Failure("protocol", f"HTTP cannot carry the request: {error}")
        case httpx.ReadError() | httpx.WriteError() | httpx.CloseError():
            return closed
        case _:
            return failure_of(next(_roots(error), error))


def _roots(error: BaseException | None) -> Iterator[Exception]:
    """Yield the errors below ``error`` that say something, outermost first."""
    while error is not None:
        if isinstance(error, _ROOTS):
            yield error
        if isinstance(error, BaseExceptionGroup):  # one for each address that was tried
            for one in error.exceptions:
                yield from _roots(one)
        error = error.__cause__ or error.__context__
