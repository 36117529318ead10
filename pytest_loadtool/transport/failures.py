"""Failures of the network, in words that are equal for equal causes and for every transport."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from typing import Any

from pytest_loadtool.model.result import Failure

__all__ = [
    "CLOSED_EARLY",
    "CLOSED_MIDWAY",
    "CLOSED_UNDER_IT",
    "NO_CONNECTION",
    "NO_END",
    "NO_HANDSHAKE",
    "NO_RESPONSE",
    "SWITCHED",
    "HandshakeCutError",
    "failure_of",
    "not_http",
]

CLOSED_EARLY = Failure("reset", "connection closed by the server before a response came")
CLOSED_MIDWAY = Failure("reset", "connection closed by the server in the middle of a response")
CLOSED_UNDER_IT = Failure(
    "reset",
    "connection closed by the server as the request was sent; it may have been worked on, so it is "
    "not sent again",
)
NO_CONNECTION = Failure("timeout", "no connection in time")
NO_HANDSHAKE = Failure("timeout", "no TLS handshake in time")
NO_RESPONSE = Failure("timeout", "no byte of a response in time")
NO_END = Failure("timeout", "no complete response in time")


class HandshakeCutError(OSError):
    """The server closed the connection instead of finishing the TLS handshake."""


def not_http(why: object) -> Failure:
    """What came is no HTTP response."""
    return Failure("protocol", f"not HTTP: {why}")


SWITCHED = not_http("the server switched protocols, which cannot be replayed")


def failure_of(error: Exception) -> Failure:
    """Why there is no connection, or no longer one."""
    for kind, describe in _BY_ERROR:
        if isinstance(error, kind):
            return describe(error)
    return Failure("connect", f"{type(error).__name__}: {error}")


def _untrusted(error: ssl.SSLCertVerificationError) -> Failure:
    # OpenSSL says which name or address was expected; "not trusted" would be the wrong track.
    why = error.verify_message.rstrip(".")
    mismatch = "certificate is not valid for" in why
    return Failure(
        "tls", why[why.index("certificate is") :] if mismatch else f"{_NOT_TRUSTED}{why}"
    )


_NOT_TRUSTED = "certificate not trusted: "

#: What OpenSSL meets when plain text answers its hello.
_NO_TLS_AT_ALL = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG")


def _tls(error: ssl.SSLError) -> Failure:
    reason = error.reason or "the connection was closed"
    if reason in _NO_TLS_AT_ALL:
        return Failure(
            "tls", f"TLS handshake failed: {reason}; does the server speak TLS on this port?"
        )
    words = reason.replace("_", " ").lower()
    if "certificate" in words:
        return Failure("tls", f"the server refused the client's certificate, or had none: {reason}")
    return Failure("tls", f"TLS handshake failed: {reason}")


_BY_ERROR: tuple[tuple[type[Exception], Callable[[Any], Failure]], ...] = (
    (socket.gaierror, lambda error: Failure("dns", f"host name not found: {error.args[-1]}")),
    (UnicodeError, lambda _: Failure("dns", "host name not found: it cannot be one")),
    (ssl.SSLCertVerificationError, _untrusted),
    (ssl.SSLError, _tls),
    (
        HandshakeCutError,
        lambda _: Failure("tls", "TLS handshake failed: connection closed by the server"),
    ),
    (TimeoutError, lambda _: NO_CONNECTION),
    (
        ConnectionRefusedError,
        lambda _: Failure("connect", "connection refused: is the server running?"),
    ),
    (ConnectionResetError, lambda _: Failure("reset", "connection reset while connecting")),
)
