"""Drives one virtual user: its connections, its waits, one iteration at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from time import perf_counter
from typing import Protocol

from pytest_loadtool.replay.user.exchange import Response, Send
from pytest_loadtool.replay.user.origin import Origin
from pytest_loadtool.replay.user.plan import Await, Command, Over, Wait
from pytest_loadtool.transport.connections.awaiting import finish
from pytest_loadtool.transport.connections.network import Network
from pytest_loadtool.transport.proxy.proxy_login import AtProxies, AtProxy, Introduce, nobody
from pytest_loadtool.transport.wire.bandwidth import Throttle
from pytest_loadtool.transport.wire.raw import Connection

#: One iteration of a virtual user.
Commands = Generator[Command, Response | None, None]

#: Told at the end of each iteration: the error if it could not be acted out, and whether anything
#: in it failed.
Done = Callable[[BaseException | None, bool], None]

_Slot = tuple[Origin, int]


class Session(Protocol):
    """The connections of one virtual user, whichever transport they are of, as a driver needs
    them."""

    def run(self, commands: Commands) -> None:
        """Begin an iteration; the session's `Done` is called at its end."""

    @property
    def answered(self) -> bool:
        """Return whether a response has come in this iteration, or on a connection that is still
        open."""

    def stop(self) -> int:
        """Stop at once, and return how many requests were under way and are cut."""

    def close_connections(self) -> None:
        """Close all connections; the next request opens new ones."""

    def check_timeout(self, now: float, timeout: float) -> None:
        """Fail what has been under way for longer than ``timeout`` seconds."""


def session_of(network: Network, done: Done, introduce: Introduce = nobody) -> RawSession:
    """Return the connections of a virtual user more; ``introduce`` says who it is to a proxy."""
    return RawSession(network, done, network.line(), introduce)


class RawSession:
    """The connections of one virtual user, and the generator that says what to do on them.

    ``done`` is called at the end of each iteration. All connections share the ``line``, if there is
    one. ``introduce`` says who the user is to a proxy.
    """

    __slots__ = (
        "_answered", "_at_proxies", "_commands", "_connections", "_done", "_introduce", "_line",
        "_network", "_timer", "waiting_until",
    )  # fmt: skip

    def __init__(
        self,
        network: Network,
        done: Done,
        line: Throttle | None = None,
        introduce: Introduce = nobody,
    ) -> None:
        self._network = network
        self._done = done
        self._line = line
        self._introduce = introduce
        self._at_proxies: AtProxies | None = None  # most users need none
        self._connections: dict[_Slot, Connection] = {}
        self._answered = False  # on a connection that another one has taken the place of
        self._commands: Commands | None = None
        self._timer: asyncio.TimerHandle | asyncio.Task[None] | None = None
        self.waiting_until = 0.0
        """When the wait under way should end, on the clock of ``perf_counter``."""

    def run(self, commands: Commands) -> None:
        """Begin an iteration."""
        self._answered = False
        self._commands = commands
        self._advance(None)

    @property
    def answered(self) -> bool:
        """Return whether a response has come in this iteration, or on a connection that is still
        open."""
        return self._answered or not all(one.fresh for one in self._connections.values())

    def stop(self) -> int:
        """Stop at once, and return how many requests were under way and are cut."""
        if self._timer is not None:
            self._timer.cancel()
        self._commands = None
        cut = sum(one.response is not None for one in self._connections.values())
        self.close_connections()
        return cut

    def close_connections(self) -> None:
        """Close all connections; the next request opens new ones."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def check_timeout(self, now: float, timeout: float) -> None:
        """Fail what has been under way for longer than ``timeout`` seconds."""
        late = [
            one
            for one in self._connections.values()
            if one.response is not None and now - one.response.sent > timeout
        ]
        for connection in late:
            connection.time_out()

    def received(self, response: Response) -> None:
        """A response has come, or failed to: go on."""
        self._advance(response)

    def reconnect(self, send: Send) -> None:
        """The idle connection was closed under the request: once more, on a fresh one."""
        self._network.observer.retried()
        self._open(send)

    def _advance(self, event: Response | None) -> None:
        commands = self._commands
        if commands is None:  # stopped
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        try:
            command = commands.send(event)
        except BaseException as error:
            # Nothing may get lost here: event loops swallow what a protocol's callback raises, be
            # it a dataset that ran out, Ctrl-C, or a mistake of our own.
            self._commands = None
            self._done(error, True)
            return
        if type(command) is Wait:
            if command.leave:
                self.close_connections()
            self.waiting_until = command.until
            self._timer = self._network.call_at(command.until, self._wake)
            return
        if type(command) is Over:
            self._commands = None
            self._done(None, command.failed)
            return
        if not isinstance(command, tuple):
            assert isinstance(command, Await)
            self._timer = self._network.spawn(finish(command, self._finished))
            return
        for send in command:
            connection = self._connections.get((send.step.origin, send.slot))
            if connection is not None and connection.usable:
                connection.request(send)
            else:
                self._open(send)

    def _wake(self) -> None:
        self._network.observer.woke_late(perf_counter() - self.waiting_until)
        self._advance(None)

    def _finished(self) -> None:
        self._timer = None  # it is this, and not to be cancelled
        self._advance(None)

    def _open(self, send: Send) -> None:
        connection = Connection(self, self._network.body_limit, self._network.heads)
        connection.expect(send)
        slot = (send.step.origin, send.slot)
        before = self._connections.get(slot)
        if before is not None and not before.fresh:
            self._answered = True
        self._connections[slot] = connection
        opening = self._network.open(connection, send, self._line, self._login)
        connection.opening = self._network.spawn(opening)

    def _login(self, origin: Origin) -> AtProxy | None:
        """Return who asks for a tunnel to ``origin``; None where there is to be none."""
        via = origin.via
        if via is None or origin.scheme == "http":
            return None
        if self._at_proxies is None:
            self._at_proxies = AtProxies(self._introduce)
        return self._at_proxies.login(via)
