"""A server that wants NTLM, checked by pyspnego: gss-ntlmssp, and so Apache, cannot read the first
message of Chromium and curl, which has no version in it ([MS-NLMP] 2.2.1.1 allows that)."""

from __future__ import annotations

import base64
import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast
from unittest.mock import patch

import spnego
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import RequestReceived
from spnego import ContextProxy
from spnego.exceptions import SpnegoError

from tests.listening import listening

__all__ = ["NtlmServer", "ntlm_server"]

_ASKS: tuple[str, ...] = ("WWW-Authenticate: NTLM",)


@dataclass(slots=True)
class NtlmServer:
    """``requests`` are (connection, target, status, user), in the order in which they came."""

    port: int
    pages: Path
    tls: ssl.SSLContext | None
    connections: int = 0
    requests: list[tuple[int, str, int, str]] = field(default_factory=list)

    @property
    def origin(self) -> str:
        """``http://127.0.0.1:PORT``."""
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}"

    def talk(self, number: int, connection: socket.socket) -> None:
        """Answer requests on one connection, which somebody may authenticate."""
        if self.tls is None:
            self._talk(number, connection)
            return
        with self.tls.wrap_socket(connection, server_side=True) as secure:
            if secure.selected_alpn_protocol() == "h2":
                _refuse(secure)
            else:
                self._talk(number, secure)

    def _talk(self, number: int, connection: socket.socket) -> None:
        context: ContextProxy | None = None
        user = ""
        stream = cast(BinaryIO, connection.makefile("rwb"))
        while line := stream.readline():
            target = line.split()[1].decode()
            scheme, token = _credentials(stream)
            status, headers, body = 401, _ASKS, b""
            if token[8:9] == b"\x01":
                context, user = spnego.server(protocol="ntlm"), ""
            if token and context is not None:
                try:
                    reply = context.step(token)
                except SpnegoError:
                    context = None
                else:
                    user = str(context.client_principal) if context.complete else ""
                    encoded = base64.b64encode(reply or b"").decode()
                    headers = (f"WWW-Authenticate: {scheme} {encoded}",)
            if user:
                file = self.pages / target.partition("?")[0].lstrip("/")
                status, headers, body = 200, (), file.read_bytes()
            self.requests.append((number, target, status, user))
            lines = (f"HTTP/1.1 {status} .", *headers, f"Content-Length: {len(body)}", "", "")
            stream.write("\r\n".join(lines).encode() + body)
            stream.flush()


def _refuse(connection: ssl.SSLSocket) -> None:
    """Want HTTP/1.1 for whatever is asked over HTTP/2 (RFC 9113 §7), as IIS does for NTLM."""
    http2 = H2Connection(H2Configuration(client_side=False))
    http2.initiate_connection()
    connection.sendall(http2.data_to_send())
    while data := connection.recv(65536):
        for event in http2.receive_data(data):
            if isinstance(event, RequestReceived):
                http2.reset_stream(event.stream_id, ErrorCodes.HTTP_1_1_REQUIRED)
        connection.sendall(http2.data_to_send())


def _credentials(stream: BinaryIO) -> tuple[str, bytes]:
    """Scheme and token of the head that comes, which nothing follows."""
    scheme, token = "", b""
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode().partition(":")
        if name.lower() == "authorization":
            scheme, _, text = value.strip().partition(" ")
            token = base64.b64decode(text)
    return scheme, token


@contextmanager
def ntlm_server(
    pages: Path, accounts: Path, certificate: Path | None = None
) -> Iterator[NtlmServer]:
    """Serve the files in ``pages`` to who is in the file ``accounts``; over TLS if there is a
    ``certificate``, and then with HTTP/2 for those who want it, over which nothing is served."""
    tls = None
    if certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate)
        tls.set_alpn_protocols(["h2", "http/1.1"])
    with (
        patch.dict(os.environ, NTLM_USER_FILE=str(accounts)),
        listening(lambda port: NtlmServer(port, pages, tls), NtlmServer.talk) as server,
    ):
        yield server
