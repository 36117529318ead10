"""Which transport a test case goes over: the networks of a run, each for those who go its way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Protocol

from pytest_loadtool.extensions import TRANSPORTS, extension
from pytest_loadtool.model.bandwidth import Bandwidth
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.load import BODY_LIMIT
from pytest_loadtool.replay.user.plan import Plan
from pytest_loadtool.transport.connections.network import Network, NetworkObserver, Unobserved
from pytest_loadtool.transport.connections.session import Done, Session, session_of
from pytest_loadtool.transport.proxy.proxy_login import Introduce
from pytest_loadtool.transport.wire.tls import TlsContexts, settings_of


class _Network(Protocol):
    """The parts of a network that are needed, whichever transport it is of."""

    tls: TlsContexts

    async def close(self) -> None:
        """End what is still under way."""


class _Thinking(Session, Protocol):
    """A session that says until when its user waits, on the clock of ``perf_counter``."""

    waiting_until: float


#: Makes the connections of a virtual user more, who says itself who it is to a proxy.
_NewSession = Callable[[Done, Introduce], _Thinking]
_Made = tuple[_Network, _NewSession]


class Networks:
    """All networks of a run. Made by `open_networks`."""

    def __init__(
        self, observer: NetworkObserver, bandwidth: Bandwidth | None, body_limit: int
    ) -> None:
        self.observer = observer
        self.bandwidth = bandwidth
        self.body_limit = body_limit
        self._loop = asyncio.get_running_loop()
        self._made: dict[Hashable, _Made] = {}
        self._sessions: list[_Thinking] = []

    def session(self, plan: Plan, done: Done, introduce: Introduce) -> Session:
        """Return the connections of a virtual user more, who acts out ``plan``."""
        _, new_session = self._made[transport_key(plan.case)]
        session = new_session(done, introduce)
        self._sessions.append(session)
        return session

    def waits(self, now: float) -> list[float]:
        """Return for how many seconds more each user waits who is in a think time."""
        return [one.waiting_until - now for one in self._sessions if one.waiting_until > now]

    async def open(self, plan: Plan) -> None:
        """Make the network for ``plan``, if there is none yet, and what its handshakes start from:
        during the first of them that would count as the server's time."""
        key = transport_key(plan.case)
        if key not in self._made:
            make = _MAKERS.get(key[0]) or extension(TRANSPORTS, key[0])
            self._made[key] = await make(plan.case, self._loop, self)
        network, _ = self._made[key]
        for settings in settings_of(plan):
            network.tls.of(settings)

    async def close(self) -> None:
        """End what is still under way, in all networks whatever becomes of one of them.

        Raises the first error.
        """
        closings = [network.close() for network, _ in self._made.values()]
        for error in await asyncio.gather(*closings, return_exceptions=True):
            if error is not None:
                raise error


async def open_networks(
    plans: Sequence[Plan],
    observer: NetworkObserver | None = None,
    bandwidth: Bandwidth | None = None,
    body_limit: int = BODY_LIMIT,
) -> Networks:
    """Return the networks over which ``plans`` go; the applications that they name are started.

    ``bandwidth`` is of each virtual user's line; None: as the machine has it. Only the raw
    transport has lines. Bodies of more than ``body_limit`` bytes are not kept.

    Raises:
        ReplayError: an application cannot be found, or does not start; TLS settings cannot be used.
    """
    networks = Networks(observer or Unobserved(), bandwidth, body_limit)
    try:
        for plan in plans:
            await networks.open(plan)
    except BaseException:
        await networks.close()
        raise
    return networks


def transport_key(case: TestCase) -> tuple[str, ...]:
    """Return what is equal for those who share a network; first ``raw``, ``httpx`` or ``app``."""
    if case.app:
        return ("app", case.app, case.server)
    return (case.transport or "raw",)


async def _raw(_case: TestCase, loop: asyncio.AbstractEventLoop, networks: Networks) -> _Made:
    network = Network(loop, networks.observer, networks.bandwidth, networks.body_limit)
    return network, partial(session_of, network)


async def _httpx(_case: TestCase, loop: asyncio.AbstractEventLoop, networks: Networks) -> _Made:
    from pytest_loadtool.transport.httpx.network import HttpxNetwork

    network = HttpxNetwork(loop, networks.observer, body_limit=networks.body_limit)
    return network, network.session


async def _app(case: TestCase, loop: asyncio.AbstractEventLoop, networks: Networks) -> _Made:
    from pytest_loadtool.replay.user.origin import origin_of
    from pytest_loadtool.transport.httpx.network import HttpxNetwork
    from pytest_loadtool.transport.inprocess.apps import load_app

    application = load_app(case.app)
    await application.start()
    server = str(origin_of(case.server))
    network = HttpxNetwork(loop, networks.observer, application, server, networks.body_limit)
    return network, network.session


_MAKERS = {"raw": _raw, "httpx": _httpx, "app": _app}
