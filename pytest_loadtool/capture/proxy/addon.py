"""The mitmproxy addon: reports every exchange, and keeps the proxy out of what it forwards.

Blocked domains are refused here, before anything is sent to them; what is not recorded is forwarded
without a copy.

Three things would make the recording differ from what a browser without a proxy sends and gets:

1. Headers that are for the proxy (Proxy-Connection, Proxy-Authorization, upgrades to cleartext
   HTTP/2, which is hop by hop). They are not forwarded.
2. Responses, and uploads, held back until they are complete. They stream, while a collector keeps a
   copy.
3. Error pages that the proxy makes up when the server cannot be reached. They are reported as what
   they are: no response, and why.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from ssl import get_default_verify_paths
from typing import Any

from mitmproxy.connection import Client
from mitmproxy.http import Headers, HTTPFlow, Response
from mitmproxy.proxy.server_hooks import ServerConnectionHookData
from mitmproxy.tcp import TCPFlow
from mitmproxy.tls import TlsData
from OpenSSL import SSL

from pytest_loadtool.capture.proxy.body import Collector
from pytest_loadtool.capture.proxy.exchange import endless, from_flow, from_tunnel, leave_out_own
from pytest_loadtool.capture.proxy.upstream import Upstream
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.websocket import is_event
from pytest_loadtool.recording.filter.domains import DomainFilter

STOPPED = "recording stopped before the response ended"

#: How mitmproxy says that the client was gone before its handshake was over.
_HUNG_UP = ("connection closed", "The client disconnected during the handshake")

#: Bytes of a request that is not held in memory until it is complete.
_UPLOAD = 1024 * 1024


def trusted_certificates() -> dict[str, str | None]:
    """Return mitmproxy options: servers are judged by what Python's ``ssl``, and so replay,
    trusts."""
    paths = get_default_verify_paths()
    return {
        "ssl_verify_upstream_trusted_ca": paths.cafile,
        "ssl_verify_upstream_trusted_confdir": paths.capath,
    }


class ExchangeReporter:
    """Calls ``report`` with each exchange as it ends, and once for each that never could.

    Of those that ``domains`` keeps out, with no more than that they were.
    """

    name = "loadtool"

    def __init__(
        self,
        report: Callable[[Exchange], None],
        domains: DomainFilter,
        upstream: Upstream | None = None,
    ) -> None:
        self._report: Callable[[Exchange], None] = lambda exchange: report(domains.kept(exchange))
        self._domains = domains
        self._upstream = upstream
        self._open: dict[str, HTTPFlow] = {}
        self._collectors: dict[str, Collector] = {}
        self._uploads: dict[str, Collector] = {}
        self._events: Counter[str] = Counter()
        self._failed_handshakes: dict[str, list[Exchange]] = {}
        self._broken_off: dict[tuple[str, int], Exchange] = {}
        self._trusting: set[tuple[str, int]] = set()
        self._stopped = False
        self.own_address: tuple[str, int] | None = None
        self.directory: Path | None = None
        """Where large bodies are kept while they come; None for the system's temporary files."""
        self.unverified: dict[str, str] = {}
        """Hosts whose certificate does not verify, and why."""

    @property
    def in_flight(self) -> int:
        """Return how many exchanges have begun and not ended; WebSockets, which stay open, are
        none."""
        return sum(flow.websocket is None for flow in self._open.values())

    def cut(self) -> None:
        """Report what is still open, as broken off here; what begins later is reported as ever."""
        for flow in list(self._open.values()):
            self._end(flow, STOPPED if flow.websocket is None else "")
        for client in list(self._failed_handshakes):
            self._report_handshakes(client)
        for address, exchange in self._broken_off.items():
            if address not in self._trusting:
                self._report(exchange)
        self._broken_off.clear()

    def stop(self) -> None:
        """Report what is still open, and nothing from now on."""
        self.cut()
        self._stopped = True

    def refused(self, address: tuple[str, int], reason: str) -> None:
        """Report a client that may not use the proxy at ``address``."""
        self._tunnel(address, time.time(), reason, "")

    # -- HTTP ----------------------------------------------------------------------------------

    def requestheaders(self, flow: HTTPFlow) -> None:
        """A request begins: from now on it is reported, whatever becomes of it."""
        leave_out_own(flow.request.headers)
        if self._domains.blocks(flow.request.host, flow.request.port):
            flow.response = _refusal(flow.request.host)
            if not self._stopped:
                self._report(from_flow(flow, None))
            return
        self._open[flow.id] = flow
        if not _is_upload(flow.request.headers):
            return
        if self._domains.records(flow.request.host, flow.request.port):
            self._uploads[flow.id] = upload = Collector(self.directory, what="request")
            flow.request.stream = upload
        else:
            flow.request.stream = True

    def responseheaders(self, flow: HTTPFlow) -> None:
        """A response begins: it streams to the client, and a copy is collected."""
        host, port = flow.request.host, flow.request.port
        # A refusal is no response of a server.
        if flow.response is None or self._domains.blocks(host, port):
            return
        if _needs_no_body(flow.response.status_code):
            return
        if flow.id in self._open and self._domains.records(host, port):
            self._collectors[flow.id] = collector = Collector(self.directory)
            flow.response.stream = collector
        else:
            flow.response.stream = True

    def response(self, flow: HTTPFlow) -> None:
        """A response is complete."""
        refused = self._upstream.refusal(flow.response) if self._upstream else ""
        if refused:
            flow.response = None  # it is no response of the server
        if flow.websocket is None:
            self._end(flow, refused)
        if refused:  # the client has nothing to answer to a proxy that it does not know
            flow.response = Response.make(502, f"{refused}\n", {"Content-Type": "text/plain"})

    def error(self, flow: HTTPFlow) -> None:
        """Note that there will be no response, or no more of it."""
        message = self._plain(flow.error.msg if flow.error else "no response")
        if flow.response is not None and endless(flow.response.headers):
            message = ""  # hanging up is how such a response ends
        # A failed handshake with the server shows up here too, with the request that needed it.
        self._failed_handshakes.pop(flow.client_conn.id, None)
        self._end(flow, message)

    def websocket_message(self, flow: HTTPFlow) -> None:
        """Count what the page does, and forget what was forwarded: the upgrade is reported when
        the socket is closed, its messages are not."""
        if flow.websocket is None:
            return
        if flow.id in self._open:
            self._events[flow.id] += sum(
                one.from_client and is_event(one.content) for one in flow.websocket.messages
            )
        flow.websocket.messages.clear()

    def websocket_end(self, flow: HTTPFlow) -> None:
        """A WebSocket is closed."""
        self._end(flow, "")

    # -- what is not HTTP ----------------------------------------------------------------------

    def http_connect(self, flow: HTTPFlow) -> None:
        """A client wants a tunnel: to a blocked domain it gets none."""
        if self._domains.blocks(flow.request.host, flow.request.port):
            flow.response = _refusal(flow.request.host)

    def http_connect_error(self, flow: HTTPFlow) -> None:
        """The server of an HTTPS request cannot be reached, or may not."""
        address = (flow.request.host, flow.request.port)
        reason = self._plain(flow.server_conn.error or "connection failed")
        self._tunnel(address, flow.request.timestamp_start, reason, "connection failed")

    def tcp_start(self, flow: TCPFlow) -> None:
        """A tunnel carries something that is neither TLS nor HTTP."""
        if flow.server_conn.address is not None:
            address = (flow.server_conn.address[0], flow.server_conn.address[1])
            self._tunnel(address, flow.timestamp_created, "", "not HTTP")

    def tcp_message(self, flow: TCPFlow) -> None:
        """Forget what was forwarded."""
        flow.messages.clear()

    def tls_established_client(self, data: TlsData) -> None:
        """The client accepts our certificate for this server."""
        self._trusting.add(_address(data))

    def tls_failed_client(self, data: TlsData) -> None:
        """The client does not accept our certificate, or hung up during the handshake.

        Chromium opens two connections and hangs up on the second when the first speaks HTTP/2. That
        is worth a word only if no connection to that server ever came about.
        """
        note = "TLS handshake with the client failed"
        if (data.conn.error or "").startswith(_HUNG_UP):
            self._broken_off[_address(data)] = _handshake(data, note)
        else:
            self._handshake_failed(data, note)

    def tls_failed_server(self, data: TlsData) -> None:
        """The server and we cannot agree on TLS."""
        self._handshake_failed(data, "TLS handshake with the server failed")

    def tls_established_server(self, data: TlsData) -> None:
        """Note whether the server's certificate would have verified (see `Recorder.unverified`)."""
        assert data.ssl_conn is not None
        assert data.context.server.address is not None
        # pyOpenSSL has no public name for these two.
        openssl: Any = SSL
        result = openssl._lib.SSL_get_verify_result(data.ssl_conn._ssl)
        if result != 0:
            reason = openssl._ffi.string(openssl._lib.X509_verify_cert_error_string(result))
            self.unverified[data.context.server.address[0]] = reason.decode()

    def client_disconnected(self, client: Client) -> None:
        """A connection ended: report a failed handshake that no request has shown."""
        if not self._stopped:
            self._report_handshakes(client.id)

    def server_connect(self, data: ServerConnectionHookData) -> None:
        """Refuse to be our own server: a request to the proxy's port would go round for ever."""
        if data.server.address is None or self.own_address is None:
            return
        host, port = data.server.address[0], data.server.address[1]
        if port == self.own_address[1] and host in ("127.0.0.1", "localhost", "::1"):
            data.server.error = "this is the recorder itself"

    # ------------------------------------------------------------------------------------------

    def _end(self, flow: HTTPFlow, error: str) -> None:
        collector = self._collectors.pop(flow.id, None)
        upload = self._uploads.pop(flow.id, None)
        if self._open.pop(flow.id, None) is not None and not self._stopped:
            events = self._events.pop(flow.id, 0)
            self._report(from_flow(flow, collector, error, self.directory, upload, events))

    def _plain(self, error: str) -> str:
        return self._upstream.plain(error) if self._upstream else error

    def _handshake_failed(self, data: TlsData, note: str) -> None:
        waiting = self._failed_handshakes.setdefault(data.context.client.id, [])
        waiting.append(_handshake(data, note))

    def _report_handshakes(self, client: str) -> None:
        for exchange in self._failed_handshakes.pop(client, ()):
            self._report(exchange)

    def _tunnel(self, address: tuple[str, int], started: float, error: str, note: str) -> None:
        if not self._stopped:
            self._report(from_tunnel(address, started or time.time(), error, note))


def _needs_no_body(status: int) -> bool:
    """Return whether a client may hang up when it has seen the head.

    Chromium does, on forwards and challenges, if the connection is not kept alive. Such a response
    is not streamed: the client gets nothing before all of it is here.
    """
    return status == 101 or 300 <= status <= 399 or status in (401, 407)


def _is_upload(headers: Headers) -> bool:
    """Return whether the body of a request is large, or may be."""
    length = headers.get("content-length", "0")
    chunked = "transfer-encoding" in headers
    return chunked or (length.isdecimal() and int(length) > _UPLOAD)


def _refusal(host: str) -> Response:
    """Return what the client gets from a blocked domain: a word to whoever reads it, without a
    retry."""
    return Response.make(
        403, f"{host} is blocked by the recorder.\n", {"Content-Type": "text/plain"}
    )


def _address(data: TlsData) -> tuple[str, int]:
    # Without a tunnel it is the recorder itself that a client wants to speak TLS to.
    address = data.context.server.address or data.context.client.sockname
    return address[0], address[1]


def _handshake(data: TlsData, note: str) -> Exchange:
    error = data.conn.error or "handshake failed"
    return from_tunnel(_address(data), data.context.client.timestamp_start, error, note)
