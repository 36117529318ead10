"""What all virtual users of a run share when httpx is their transport."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Coroutine
from time import perf_counter
from typing import TYPE_CHECKING, Any

import httpx

from pytest_loadtool.model.load import BODY_LIMIT
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay.user.plan import Origin, Via
from pytest_loadtool.transport.connections.network import NetworkObserver, Unobserved
from pytest_loadtool.transport.httpx.logs import keep_out_of_logs
from pytest_loadtool.transport.httpx.proxy import StreamsThroughProxy
from pytest_loadtool.transport.httpx.session import HttpxSession
from pytest_loadtool.transport.httpx.streams import Streams, over
from pytest_loadtool.transport.proxy.proxy_login import AtProxies, Introduce, nobody
from pytest_loadtool.transport.wire.tls import TlsContexts

if TYPE_CHECKING:
    from pytest_loadtool.transport.connections.session import Done, Session
    from pytest_loadtool.transport.inprocess.apps import Application

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

    def session(self, done: Done, introduce: Introduce = nobody) -> Session:
        """The connections of a virtual user more; ``introduce`` says who it is to a proxy."""
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
        """What answers in this process for ``origin``, or None: then there is a server."""
        if self._application is None or str(origin) != self._server:
            return None
        return self._application.transport

    def new_transport(
        self,
        tls: TlsSettings | None,
        via: Via | None,
        user: AtProxies,
        *,
        shared: bool = True,
    ) -> httpx.AsyncHTTPTransport:
        """Connections of one user to servers with these settings (None: without TLS), through the
        proxy if there is one, where it is the ``user``.

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
