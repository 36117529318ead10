"""The recording proxy: mitmproxy inside the running event loop, on a free loopback port.

Certificates of servers are checked but never refused. The client sees the recorder's certificate
and not the server's, so it has no way to ask the person at it whether to go on; and what is
recorded against is most often a development or staging server with a certificate of its own. The
result of the check is not lost: `Recorder.unverified` names each host that did not pass and the
reason, so that the user is told and the test case made from it does not check what cannot be.
"""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from mitmproxy.addons.next_layer import NextLayer
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.addons.tlsconfig import TlsConfig
from mitmproxy.log import MitmLogHandler
from mitmproxy.master import Master
from mitmproxy.options import CONF_BASENAME, Options
from mitmproxy.proxy.mode_servers import ServerInstance
from mitmproxy.proxy.mode_specs import ProxyMode

from pytest_loadtool.capture.proxy.addon import ExchangeReporter, trusted_certificates
from pytest_loadtool.capture.proxy.http1 import leave_out_trailers
from pytest_loadtool.capture.proxy.http2 import PassOn
from pytest_loadtool.capture.proxy.neighbours import GONE, is_ours, is_told, name_of, owner
from pytest_loadtool.capture.proxy.upstream import Upstream
from pytest_loadtool.capture.tempdir import Scratch
from pytest_loadtool.errors import RecordingError
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.filter.domains import NO_FILTER, DomainFilter
from pytest_loadtool.replay.compile.proxies import ProxyUrl

#: Loopback only: the proxy forwards to anywhere, so it must not be reachable from anywhere.
_HOST = "127.0.0.1"

#: Seconds that connections get to close before their tasks are abandoned.
_CLOSING_TIME = 5.0


class Recorder:
    """An HTTP proxy that calls ``on_exchange`` with each exchange when it ends, in that order.

    Use it as an asynchronous context manager; it listens while entered. ``port`` 0 takes a free
    one. One recorder at a time can run in a process (mitmproxy keeps global state).

    When the ``async with`` block is left, exchanges still in flight are reported with an error and
    connections are closed. If ``on_exchange`` raised, nothing more is reported, and leaving the
    block raises that exception: a recording that could not be written must not look complete.
    ``domains`` says what is not recorded, and what is refused. ``upstream`` is the proxy that the
    recorder goes through itself, one that asks for nothing (`Upstream`). Where the system tells
    whose process a connection is of (Linux), those of other users are refused, and each user is
    reported once, unless ``any_user``; root's are taken.

    Raises:
        RecordingError: on entering, when the port is taken or another recorder is running.
    """

    _running: Recorder | None = None

    def __init__(
        self,
        on_exchange: Callable[[Exchange], None],
        port: int = 0,
        domains: DomainFilter = NO_FILTER,
        upstream: ProxyUrl | None = None,
        *,
        any_user: bool = False,
    ) -> None:
        self._on_exchange = on_exchange
        self._wanted_port = port
        self._upstream = None if upstream is None else Upstream(upstream)
        self._reporter = ExchangeReporter(self._report, domains, self._upstream)
        self._any_user = any_user
        self._refused: set[int] = set()
        self._log = QuietLog("mitmproxy")
        self._connections: set[asyncio.Task[None]] = set()
        self._failure: Exception | None = None
        self._port = 0

    @property
    def port(self) -> int:
        """The port it listens on, at 127.0.0.1."""
        return self._port

    @property
    def ca_certificate(self) -> Path:
        """The PEM file of the certificate that signs what clients see; gone after recording."""
        return self._scratch.path / f"{CONF_BASENAME}-ca-cert.pem"

    @property
    def unverified(self) -> Mapping[str, str]:
        """Hosts whose certificate did not verify, and why. It grows while recording."""
        return MappingProxyType(self._reporter.unverified)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what mitmproxy warned of, the latest last: for a diagnosis, not for every user."""
        return tuple(self._log.messages)

    @property
    def in_flight(self) -> int:
        """Return how many exchanges have begun and not ended."""
        return self._reporter.in_flight

    def cut(self) -> None:
        """End a recording and go on with the next: exchanges in flight are reported with an error.

        Connections stay open. What still comes of those exchanges is forwarded, and not reported.
        """
        self._reporter.cut()

    async def __aenter__(self) -> Self:
        if Recorder._running is not None:
            raise RecordingError("a recorder is already running in this process: stop it first")
        Recorder._running = self
        self._scratch = Scratch("recorder")
        self._reporter.directory = self._scratch.path
        self._log.install()
        try:
            await self._start()
        except BaseException:
            self._clean_up()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            await self._stop()
        finally:
            self._clean_up()
        if self._failure is not None and error is None:
            raise self._failure

    async def _start(self) -> None:
        # Where warnings are errors (as in pytest), those of mitmproxy would end its connections.
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="mitmproxy")
        self._master = master = Master(Options())
        # Its compatibility handler would send every log record of the process to addons of old.
        self._log.remove_root_handlers()
        leave_out_trailers()
        self._proxy = Proxyserver()  # type: ignore[no-untyped-call]
        addons = (self._reporter, self._proxy, NextLayer(), PassOn(), TlsConfig())
        master.addons.add(*addons)  # type: ignore[no-untyped-call]
        master.options.update(  # type: ignore[no-untyped-call]
            confdir=str(self._scratch.path),
            server=False,
            ssl_insecure=True,
            # Odd headers are for the client and the server to judge, not for the recorder.
            validate_inbound_headers=False,
            **trusted_certificates(),
        )
        await master.running()
        mode = "regular" if self._upstream is None else self._upstream.mode
        self._serving: ServerInstance[ProxyMode] = ServerInstance.make(mode, self._proxy)
        try:
            self._server = await asyncio.start_server(self._serve, _HOST, self._wanted_port)
        except OSError as error:
            raise RecordingError(
                f"cannot listen on {_HOST}:{self._wanted_port}: {error.strerror or error}; "
                "choose another port, or 0 for a free one"
            ) from error
        self._port = self._server.sockets[0].getsockname()[1]
        self._reporter.own_address = (_HOST, self._port)
        self._any_user = self._any_user or not is_told((_HOST, self._port))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if self._any_user or await self._may(reader, writer):
                await self._serving.handle_stream(reader, writer)
            else:
                writer.transport.abort()
        finally:
            self._connections.discard(task)

    async def _may(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Return whether the client is of a user who may use the proxy; another is reported
        once."""
        here = writer.get_extra_info("sockname")
        user = await asyncio.to_thread(owner, here, writer.get_extra_info("peername"))
        if is_ours(user):
            return True
        if user == GONE:
            with suppress(OSError):  # who asks for nothing, looks whether the port is open
                if await reader.read(1):
                    self._reporter.refused(here, "a client hung up before it was known whose it is")
        elif user not in self._refused:
            self._refused.add(user)
            reason = f"a process of user {name_of(user)} tried to use the proxy: refused"
            self._reporter.refused(here, reason)
        return False

    async def _stop(self) -> None:
        self._server.close()
        self._reporter.stop()
        for connection in list(self._proxy.connections.values()):
            for transport in list(connection.transports.values()):
                if transport.handler is not None:
                    transport.handler.cancel("recording stopped")
        if self._connections:
            await asyncio.wait(set(self._connections), timeout=_CLOSING_TIME)
        await self._master.done()

    def _clean_up(self) -> None:
        self._log.uninstall()
        self._scratch.remove()
        Recorder._running = None

    def _report(self, exchange: Exchange) -> None:
        # mitmproxy logs and forgets what its addons raise; this must reach the caller.
        if self._failure is None:
            try:
                self._on_exchange(exchange)
            except Exception as error:  # whatever the callback raises is the caller's
                self._failure = error


class QuietLog(logging.Handler):
    """Holds the last warnings of one logger and its children, and lets nothing through."""

    def __init__(self, name: str, keep: int = 100) -> None:
        super().__init__(logging.WARNING)
        self._logger = logging.getLogger(name)
        self._propagate = True
        self.messages: deque[str] = deque(maxlen=keep)

    def install(self) -> None:
        """Have log records end here from now on."""
        self._propagate = self._logger.propagate
        self._logger.propagate = False
        self._logger.addHandler(self)

    def uninstall(self) -> None:
        """Leave the logger as it was found."""
        self._logger.removeHandler(self)
        self._logger.propagate = self._propagate

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message, with its traceback if it has one."""
        self.messages.append(self.format(record))

    @staticmethod
    def remove_root_handlers() -> None:
        """Take mitmproxy's handlers off the root logger, where they would see everybody's log."""
        root = logging.getLogger()
        for handler in [one for one in root.handlers if isinstance(one, MitmLogHandler)]:
            root.removeHandler(handler)
