"""Which transport a test case goes over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from pytest_loadtool.replay.plan import Plan
from pytest_loadtool.transport.network import Network, NetworkObserver
from pytest_loadtool.transport.session import Done, Session

__all__ = ["AnyNetwork", "close_networks", "open_networks"]


class AnyNetwork(Protocol):
    """What drivers need of a network, whichever transport it is of."""

    observer: NetworkObserver

    def session(self, done: Done) -> Session:
        """The connections of a virtual user more."""

    def call_at(self, when: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back at a time of ``perf_counter``, or at once if it is past."""

    async def close(self) -> None:
        """End what is still under way."""


async def open_networks(
    plans: Sequence[Plan], observer: NetworkObserver | None = None
) -> list[AnyNetwork]:
    """A network for each of ``plans``, the same one for those that go the same way.

    Starts the applications that they name (`TestCase.app`).

    Raises:
        ReplayError: one cannot be found, or does not start.
    """
    made: dict[tuple[object, ...], AnyNetwork] = {}
    try:
        return [await _network(plan, made, observer) for plan in plans]
    except BaseException:
        await close_networks(made.values())
        raise


async def close_networks(networks: Iterable[AnyNetwork]) -> None:
    """Close each network once."""
    for network in dict.fromkeys(networks):
        await network.close()


async def _network(
    plan: Plan, made: dict[tuple[object, ...], AnyNetwork], observer: NetworkObserver | None
) -> AnyNetwork:
    case = plan.case
    loop = asyncio.get_running_loop()
    if case.app:
        from pytest_loadtool.replay.request import origin_of
        from pytest_loadtool.transport.apps import load_app
        from pytest_loadtool.transport.httpx_network import HttpxNetwork

        main = origin_of(case.server, case.tls)
        key: tuple[object, ...] = (case.app, main)
        if key not in made:
            network = HttpxNetwork(loop, observer, load_app(case.app), main)
            made[key] = network
            await network.start()
    elif case.transport == "httpx":
        from pytest_loadtool.transport.httpx_network import HttpxNetwork

        key = ("httpx",)
        if key not in made:
            made[key] = HttpxNetwork(loop, observer)
    else:
        key = ("raw",)
        if key not in made:
            made[key] = Network(loop, observer)
    return made[key]
