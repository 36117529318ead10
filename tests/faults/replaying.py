"""Test cases played against a faulty server: once, under load, or by one user that is watched."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import perf_counter

from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.load import LoadMetrics
from pytest_loadtool.load.cluster.share import rows_of
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.replay import Plan, VirtualUser, compile_case
from pytest_loadtool.transport.connections.network import Network, new_event_loop
from pytest_loadtool.transport.connections.session import session_of
from tests.observed import Observed, run_load

__all__ = ["Watched", "load", "plan", "replay", "watched"]

#: Seconds after which a request has failed: as short as a busy machine allows.
TIMEOUT = 1.0


def plan(url: str, *transactions: str | Transaction, pause: float = 0.0) -> Plan:
    """A case with a page for each, and ``pause`` seconds between; a text is the target of a GET, or
    a method and a target."""
    made = []
    for one in transactions:
        if isinstance(one, Transaction):
            made.append(one)
            continue
        method, _, target = one.rpartition(" ")
        made.append(Transaction(Request(method or "GET", target)))
    pages = (Page(f"page {i}", (one,), think_time=pause) for i, one in enumerate(made))
    return compile_case(TestCase("case", tuple(pages), url))


def replay(url: str, *transactions: str | Transaction, timeout: float = 30.0) -> Observed:
    """Once, by one user."""
    play = Observed()
    replay_once(plan(url, *transactions), observer=play, timeout=timeout)
    return play


def load(
    url: str,
    *transactions: str | Transaction,
    users: int = 3,
    duration: float | None = 0.3,
    iterations: int | None = None,
    timeout: float = 30.0,
) -> LoadMetrics:
    """Again and again, by several users."""
    configuration = LoadConfiguration(
        "load",
        (CaseShare("case.case.toml"),),
        users,
        duration,
        iterations=iterations,
        timeout=timeout,
    )
    return run_load(plan(url, *transactions), configuration)


@dataclass
class Watched(Observed):
    """With what the network says of itself."""

    opened_count: int = 0
    retries: int = 0

    def woke_late(self, seconds: float) -> None: ...

    def opened(self, connecting: float, handshake: float | None) -> None:
        self.opened_count += 1

    def retried(self) -> None:
        self.retries += 1

    def challenged(self, seconds: float) -> None: ...


def watched(url: str, *transactions: str | Transaction, pause: float = 0.0) -> Watched:
    """Once, by one user, with an eye on the network."""
    play = Watched()

    async def act() -> None:
        loop = asyncio.get_running_loop()
        network = Network(loop, play)
        ended: asyncio.Future[BaseException | None] = loop.create_future()
        session = session_of(network, lambda error, _failed: ended.set_result(error))
        user = VirtualUser(plan(url, *transactions, pause=pause), rows_of(0, 1), play)
        session.run(user.act(user.next_visit(), 0, perf_counter()))
        error = await asyncio.wait_for(ended, 120)
        session.stop()
        await network.close()
        if error is not None:
            raise error

    loop = new_event_loop()
    try:
        loop.run_until_complete(act())
    finally:
        loop.close()
    return play
