"""Virtual users over httpx: HTTP/1.1, HTTP/2 and applications in this process.

What all users of a run share, and the connections of one. Here each request is a task: what is
gained is what httpx can do, not speed.

It also has what httpx's libraries log of our requests, with all headers: nothing, at whatever level
pytest (``--log-level``) keeps logs. What others do with them in this process is logged as ever.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable, Coroutine
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pytest_loadtool.model.load import BODY_LIMIT
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay.user.exchange import Response, Send
from pytest_loadtool.replay.user.origin import Origin, ProxyRoute
from pytest_loadtool.replay.user.plan import Await, Over, Wait
from pytest_loadtool.transport.connections.awaiting import finish
from pytest_loadtool.transport.connections.network import ASKING, NetworkObserver, Unobserved
from pytest_loadtool.transport.http_library import httpcore, httpx
from pytest_loadtool.transport.httpx.exchange import HttpxRequest
from pytest_loadtool.transport.httpx.proxy import StreamsThroughProxy
from pytest_loadtool.transport.httpx.streams import Streams, over
from pytest_loadtool.transport.proxy.proxy_login import AtProxies, Introduce, nobody
from pytest_loadtool.transport.wire.tls import TlsContexts

if TYPE_CHECKING:
    from pytest_loadtool.transport.connections.session import Commands, Done
    from pytest_loadtool.transport.inprocess.apps import Application

_LOGGERS = (
    *(f"{httpcore.__name__}.{part}" for part in ("connection", "http11", "http2", "proxy")),
    *("hpack.hpack", "hpack.table"),
)


def keep_out_of_logs() -> None:
    """Keep these loggers out of logs from now on. Once is enough, more often does no harm."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_of_others)


def _of_others(record: logging.LogRecord) -> bool:  # noqa: ARG001 - whatever it says
    return ASKING.get(None) is None


#: For where there is no TLS: httpx wants a context all the same, and a real one takes time to make.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class HttpxNetwork:
    """Makes sessions. What would go to the URL ``server`` goes to the ``application``, if there is
    one; it has been started, and is stopped at the end."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        observer: NetworkObserver | None = None,
        application: Application | None = None,
        server: str = "",
        body_limit: int = BODY_LIMIT,
    ) -> None:
        keep_out_of_logs()
        self._loop = loop
        self.tls = TlsContexts()
        self._exchanges: set[asyncio.Task[None]] = set()
        self._endings: set[asyncio.Task[None]] = set()
        self._application = application
        self._server = server
        self.body_limit = body_limit
        self.observer: NetworkObserver = observer or Unobserved()

    def session(self, done: Done, introduce: Introduce = nobody) -> HttpxSession:
        """Return the connections of a virtual user more; ``introduce`` says who it is to a
        proxy."""
        return HttpxSession(self, done, AtProxies(introduce))

    def call_at(self, when: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back at a time of ``perf_counter``, or at once if it is past."""
        return self._loop.call_later(max(0.0, when - perf_counter()), callback)

    def spawn(self, exchange: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run an exchange; it is cut short when the network is closed."""
        return _kept(self._loop.create_task(exchange), self._exchanges)

    def finish(self, ending: Coroutine[Any, Any, None]) -> None:
        """Run what ends something; it is waited for when the network is closed."""
        _kept(self._loop.create_task(ending), self._endings)

    def application(self, origin: Origin) -> httpx.AsyncBaseTransport | None:
        """Return what answers in this process for ``origin``, or None: then there is a server."""
        if self._application is None or str(origin) != self._server:
            return None
        return self._application.transport

    def new_transport(
        self,
        tls: TlsSettings | None,
        via: ProxyRoute | None,
        user: AtProxies,
        *,
        shared: bool = True,
    ) -> httpx.AsyncHTTPTransport:
        """Return connections of one user to servers with these settings (None: without TLS),
        through the proxy if there is one, where it is the ``user``.

        Those that carry several requests at a time (HTTP/2) are ``shared``. The environment's
        proxies and certificates are left alone.

        Raises:
            TlsError: a file of the settings cannot be used.
        """
        context = _NO_TLS if tls is None else self.tls.of(tls)
        transport = httpx.AsyncHTTPTransport(verify=context, trust_env=False)
        streams = Streams()
        if via is not None:
            proxy = via.server
            streams = StreamsThroughProxy(
                proxy,
                self.tls.of(proxy.tls) if proxy.scheme == "https" else None,
                None if tls is None else lambda: user.login(via),
                self.observer.challenged,
            )
        return over(streams, transport, context, http2=shared)

    async def close(self) -> None:
        """Cut what is under way, wait for what ends, stop the application."""
        for task in self._exchanges:
            task.cancel()
        await asyncio.gather(*self._exchanges, *self._endings, return_exceptions=True)
        if self._application is not None:
            await self._application.stop()


def _kept(task: asyncio.Task[None], tasks: set[asyncio.Task[None]]) -> asyncio.Task[None]:
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task


#: What connections are for: servers with these TLS settings (None: without TLS) behind this proxy.
_Route = tuple[TlsSettings | None, ProxyRoute | None]


class HttpxSession:
    """The connections of one virtual user, and the generator that says what to do on them.

    The virtual user asks for no more than its connections per host at once, so httpx need not count
    them. A slot whose connection is authenticated has one to itself, of HTTP/1.1 (RFC 4559 §6).
    ``done`` is called at the end of each iteration.
    """

    def __init__(self, network: HttpxNetwork, done: Done, user: AtProxies) -> None:
        self._network = network
        self._user = user
        self._done = done
        self.answered = False
        """Whether a response has come in this iteration."""
        self.waiting_until = 0.0
        """When the wait under way should end, on the clock of ``perf_counter``."""
        self._commands: Commands | None = None
        self._timer: asyncio.TimerHandle | asyncio.Task[None] | None = None
        self._under_way: dict[HttpxRequest, asyncio.Task[None]] = {}
        self._transports: dict[_Route, httpx.AsyncBaseTransport] = {}
        self._alone: dict[tuple[Origin, int], httpx.AsyncBaseTransport] = {}

    def run(self, commands: Commands) -> None:
        """Begin an iteration."""
        self.answered = False
        self._commands = commands
        self._advance(None)

    def stop(self) -> int:
        """Stop at once, and return how many requests were under way and are cut."""
        if self._timer is not None:
            self._timer.cancel()
        self._commands = None
        cut = len(self._under_way)
        self.close_connections()
        return cut

    def close_connections(self) -> None:
        """Close all connections; the next request opens new ones."""
        for task in self._under_way.values():
            task.cancel()
        self._under_way.clear()
        for transport in (*self._transports.values(), *self._alone.values()):
            self._network.finish(transport.aclose())
        self._transports.clear()
        self._alone.clear()

    def check_timeout(self, now: float, timeout: float) -> None:
        """Fail what has been under way for longer than ``timeout`` seconds."""
        for exchange in [one for one in self._under_way if now - one.response.sent > timeout]:
            task = self._under_way.pop(exchange, None)
            if task is not None:  # or else the failure of another has ended the iteration
                task.cancel()
                exchange.end(exchange.overdue)
                self._advance(exchange.response)

    def _advance(self, event: Response | None) -> None:
        commands = self._commands
        if commands is None:  # stopped
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        try:
            command = commands.send(event)
            sends = command if isinstance(command, tuple) else ()
            transports = [self._transport(send) for send in sends]
        except BaseException as error:  # as in `session`: nothing may get lost in an event loop
            self._commands = None
            self._done(error, True)
            return
        if isinstance(command, Over):
            self._commands = None
            self._done(None, command.failed)
            return
        if isinstance(command, Await):
            self._timer = self._network.spawn(finish(command, self._finished))
            return
        if isinstance(command, Wait):
            if command.leave:
                self.close_connections()
            until = self.waiting_until = command.until
            self._timer = self._network.call_at(until, lambda: self._wake(until))
            return
        for send, transport in zip(sends, transports, strict=True):
            exchange = HttpxRequest(
                Response(send), transport, self._network.observer, self._network.body_limit
            )
            self._under_way[exchange] = self._network.spawn(self._act(exchange))

    def _wake(self, until: float) -> None:
        self._network.observer.woke_late(perf_counter() - until)
        self._advance(None)

    def _finished(self) -> None:
        self._timer = None  # it is this, and not to be cancelled
        self._advance(None)

    async def _act(self, exchange: HttpxRequest) -> None:
        ASKING.set(exchange.response.send.step)
        await exchange.run()
        if exchange.response.status:
            self.answered = True
        # Whoever cancels this takes the exchange out first: then it is not for us any more.
        if self._under_way.pop(exchange, None) is not None:
            self._advance(exchange.response)

    def _transport(self, send: Send) -> httpx.AsyncBaseTransport:
        origin, slot = send.step.origin, (send.step.origin, send.slot)
        application = self._network.application(origin)
        if application is not None:
            return application
        new = self._network.new_transport
        route = origin.tls if origin.scheme == "https" else None, origin.via
        transport = self._alone.get(slot)
        if transport is None and send.alone:
            transport = self._alone[slot] = new(*route, self._user, shared=False)
        if transport is None:
            transport = self._transports.get(route)
        if transport is None:
            transport = self._transports[route] = new(*route, self._user)
        return transport
