"""Failures of the network, in words that are equal for equal causes and for every transport."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from collections.abc import Callable
from typing import Any

from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.failures import OUT_OF_MEMORY

CLOSED_EARLY = Failure("reset", "connection closed by the server before a response came")
CLOSED_MIDWAY = Failure("reset", "connection closed by the server in the middle of a response")
CLOSED_AS_SENT = Failure(
    "reset",
    "connection closed by the server as the request was sent, which may have had its effect",
)
CLOSED_IN_NEGOTIATION = Failure(
    "auth",
    "connection closed in the middle of its authentication (NTLM, Negotiate), which belongs to the "
    "connection: does the server keep connections open?",
)
NO_CONNECTION = Failure("timeout", "no connection in time")
NO_HANDSHAKE = Failure("timeout", "no TLS handshake in time")
NO_TUNNEL = Failure("timeout", "no tunnel through the proxy in time")
NO_RESPONSE = Failure("timeout", "no response in time")
NO_END = Failure("timeout", "the response began, but was not complete in time")


class HandshakeCutError(ConnectionError):
    """The server closed the connection instead of finishing the TLS handshake."""


class ProxyError(ConnectionError):
    """An error: there is no way through the proxy; ``failure`` says why."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)


def of_proxy(proxy: object, failure: Failure) -> ProxyError:
    """Return ``failure`` as that of the ``proxy``, not of the server behind it."""
    return ProxyError(Failure(failure.cause, f"proxy {proxy}: {failure.message}"))


def not_http(why: object) -> Failure:
    """Return what came is no HTTP response."""
    return Failure("protocol", f"not HTTP: {why}")


SWITCHED = not_http("the server switched protocols, which cannot be replayed")


def failure_of(error: Exception) -> Failure:
    """Return why there is no connection, or no longer one."""
    for kind, describe in _BY_ERROR:
        if isinstance(error, kind):
            return describe(error)
    code = (error.errno or 0) if isinstance(error, OSError) else 0
    why = os.strerror(code) if code else type(error).__name__
    return Failure("connect", f"no connection: {why}{_REMEDIES.get(code, '')}")


def _untrusted(error: ssl.SSLCertVerificationError) -> Failure:
    why = error.verify_message.rstrip(".")
    _, mismatch, of_whom = why.partition("certificate is not valid for")
    if mismatch:
        return Failure("tls", mismatch + of_whom)
    remedy = _FOR_CERTIFICATES.get(error.verify_code, "[tls] in the test case can name its ca")
    return Failure("tls", f"certificate not trusted: {why}; {remedy}")


def _handshake(error: ssl.SSLError) -> Failure:
    reason = error.reason or "the connection was closed"
    return Failure("tls", f"TLS handshake failed: {reason}{_HINTS.get(reason, '')}")


_REMEDIES = {
    errno.EMFILE: ": raise the limit ('ulimit -n') or use more workers",
    errno.EADDRNOTAVAIL: ": no local port is left; keep connections open, or use fewer users",
}

#: What to do about certificates that no authority helps, by OpenSSL's number (x509_vfy.h).
_FOR_CERTIFICATES = {
    9: "is the clock of this machine right, and that of who made it?",  # not yet valid
    10: "renew it on the server; until then verify = false in [tls] of the test case does without",
}

_PLAIN = ": does the server speak TLS on this port?"

#: What to do about some reasons that OpenSSL gives.
_HINTS = {
    "WRONG_VERSION_NUMBER": _PLAIN,
    "PACKET_LENGTH_TOO_LONG": _PLAIN,
    "RECORD_LAYER_FAILURE": _PLAIN,
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": ": the server wants a client certificate ([tls] in the "
    "test case)",
    "SSLV3_ALERT_HANDSHAKE_FAILURE": ": no common version, or a client certificate is wanted",
}

_BY_ERROR: tuple[tuple[type[Exception], Callable[[Any], Failure]], ...] = (
    (MemoryError, lambda _: OUT_OF_MEMORY),
    (ProxyError, lambda error: error.failure),
    (socket.gaierror, lambda error: Failure("dns", f"host name not found: {error.args[-1]}")),
    (UnicodeError, lambda _: Failure("dns", "host name not found: it is no valid name")),
    (ssl.SSLCertVerificationError, _untrusted),
    (ssl.SSLError, _handshake),
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
