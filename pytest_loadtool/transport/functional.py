"""The functional replay: one virtual user, one iteration."""

from __future__ import annotations

import asyncio
from time import perf_counter

from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.replay.plan import Observer, Plan
from pytest_loadtool.replay.user import Claim, VirtualUser
from pytest_loadtool.transport.network import Network, new_event_loop
from pytest_loadtool.transport.session import UserSession

__all__ = ["replay_once"]

#: How often (seconds) requests under way are checked for having run out of time.
_SWEEP = 0.1


def replay_once(
    plan: Plan, *, observer: Observer, user: int = 0, timeout: float = 60.0
) -> VirtualUser:
    """Replay ``plan`` once as virtual user number ``user``, telling ``observer`` as it goes.

    Blocks, on an event loop of its own: not to be called from within a running one. A request that
    takes longer than ``timeout`` seconds fails. Returns the user, with its variables as they ended.

    Raises:
        ReplayError: a dataset has too few rows.
    """
    loop = new_event_loop()
    try:
        return loop.run_until_complete(_replay(plan, observer, user, timeout))
    finally:
        loop.close()


async def _replay(plan: Plan, observer: Observer, user: int, timeout: float) -> VirtualUser:
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[BaseException | None] = loop.create_future()
    network = Network(loop)
    session = UserSession(network, ended.set_result)
    virtual_user = VirtualUser(plan, _row_of(user), observer)
    session.run(virtual_user.iteration(0, perf_counter()))
    try:
        while not ended.done():
            await asyncio.wait([ended], timeout=_SWEEP)
            session.check_timeout(perf_counter(), timeout)
        error = ended.result()
    finally:
        session.stop()
        await network.close()
    if error is not None:
        raise error
    return virtual_user


def _row_of(user: int) -> Claim:
    """Row number ``user`` of every dataset, from the first again where it is reusable."""

    def claim(use: DatasetUse, rows: int, _iteration: int) -> int | None:
        if user < rows:
            return user
        return user % rows if use.reusable and rows else None

    return claim
