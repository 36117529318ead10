"""Drives one virtual user over httpx: HTTP/1.1, HTTP/2 and applications in this process.

The interface is that of `session.UserSession`. Here each request is a task: what is gained is what
httpx can do, not speed.
"""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING

import httpx

from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay.user.plan import Origin, Over, Response, Send, Via, Wait
from pytest_loadtool.transport.connections.network import ASKING
from pytest_loadtool.transport.httpx.exchange import Exchange

if TYPE_CHECKING:
    from pytest_loadtool.transport.connections.session import Commands, Done
    from pytest_loadtool.transport.httpx.network import HttpxNetwork
    from pytest_loadtool.transport.proxy.proxy_login import AtProxies

#: What connections are for: servers with these TLS settings (None: without TLS) behind this proxy.
_Way = tuple[TlsSettings | None, Via | None]


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
        self._commands: Commands | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._under_way: dict[Exchange, asyncio.Task[None]] = {}
        self._transports: dict[_Way, httpx.AsyncBaseTransport] = {}
        self._alone: dict[tuple[Origin, int], httpx.AsyncBaseTransport] = {}

    def run(self, commands: Commands) -> None:
        """Begin an iteration."""
        self.answered = False
        self._commands = commands
        self._advance(None)

    def stop(self) -> int:
        """Stop at once; how many requests were under way and are cut."""
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
        if isinstance(command, Wait):
            if command.leave:
                self.close_connections()
            until = command.until
            self._timer = self._network.call_at(until, lambda: self._wake(until))
            return
        for send, transport in zip(sends, transports, strict=True):
            exchange = Exchange(
                Response(send), transport, self._network.observer, self._network.body_limit
            )
            self._under_way[exchange] = self._network.spawn(self._act(exchange))

    def _wake(self, until: float) -> None:
        self._network.observer.woke_late(perf_counter() - until)
        self._advance(None)

    async def _act(self, exchange: Exchange) -> None:
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
        way = origin.tls if origin.scheme == "https" else None, origin.via
        transport = self._alone.get(slot)
        if transport is None and send.alone:
            transport = self._alone[slot] = new(*way, self._user, shared=False)
        if transport is None:
            transport = self._transports.get(way)
        if transport is None:
            transport = self._transports[way] = new(*way, self._user)
        return transport
