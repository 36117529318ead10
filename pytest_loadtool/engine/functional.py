"""The functional replay: one virtual user, one iteration."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter

from pytest_loadtool.engine.running import run
from pytest_loadtool.engine.transport_factory import open_networks
from pytest_loadtool.load.cluster.share import FIRST_ROWS
from pytest_loadtool.model.load import BODY_LIMIT
from pytest_loadtool.replay.acting import actor_for
from pytest_loadtool.replay.user.plan import Observer, Plan, Step
from pytest_loadtool.replay.user.user import Claim, VirtualUser
from pytest_loadtool.transport.connections.network import ASKING, NetworkObserver, Unobserved

#: How often (seconds) requests under way are checked for having run out of time.
_SWEEP = 0.1


#: Is told of a challenge to the CONNECT of a step's connection, and of the seconds that it took.
Challenged = Callable[[Step, float], None]

#: Is given the virtual user before it begins.
Began = Callable[[VirtualUser], None]


def replay_once(
    plan: Plan,
    *,
    observer: Observer,
    timeout: float = 60.0,
    body_limit: int = BODY_LIMIT,
    challenged: Challenged | None = None,
    began: Began | None = None,
    rows: Claim = FIRST_ROWS,
) -> dict[str, str]:
    """Replay ``plan`` once, as the first and only virtual user, telling ``observer`` as it goes.
    ``rows`` gives its rows of datasets: the first of each, unless said otherwise.

    Returns the user's variables and dataset columns by name, as they were in the end.

    It goes over the transport that its test case names. ``challenged`` is told of what the observer
    is not: a proxy that wants to know who asks for a tunnel. ``began`` is given the user, before
    it does anything: what it has is there to be read as it goes.

    Blocks, on an event loop of its own: not to be called from within a running one. A request that
    takes longer than ``timeout`` seconds fails; a body of more than ``body_limit`` bytes is not
    kept.

    Raises:
        ReplayError: a dataset has no rows, or the application does not start.
    """
    tunnels = _Tunnels(challenged) if challenged else None
    return run(_replay(plan, observer, timeout, body_limit, tunnels, began, rows))


class _Tunnels(Unobserved):
    """Of what a network does, its tunnels alone."""

    def __init__(self, challenged: Challenged) -> None:
        self._challenged = challenged

    def challenged(self, seconds: float) -> None:
        """A CONNECT was answered by a challenge."""
        self._challenged(ASKING.get(), seconds)


async def _replay(
    plan: Plan,
    observer: Observer,
    timeout: float,
    body_limit: int,
    tunnels: NetworkObserver | None,
    began: Began | None,
    rows: Claim,
) -> dict[str, str]:
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[BaseException | None] = loop.create_future()
    networks = await open_networks([plan], tunnels, body_limit=body_limit)
    try:
        user = VirtualUser(plan, rows, observer)
        if began is not None:
            began(user)
        session = networks.session(
            plan, lambda error, _failed: ended.set_result(error), user.at_proxy
        )
        try:
            session.run(actor_for(user).iteration(0, perf_counter()))
            while not ended.done():
                await asyncio.wait([ended], timeout=_SWEEP)
                session.check_timeout(perf_counter(), timeout)
        finally:
            session.stop()
    finally:
        await networks.close()
    error = ended.result()
    if error is not None:
        raise error
    return user.values
