"""The functional replay: one virtual user, one iteration."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from math import inf
from time import perf_counter

from pytest_loadtool.engine.running import run
from pytest_loadtool.engine.transport_factory import Networks, open_networks
from pytest_loadtool.load.cluster.share import FIRST_ROWS
from pytest_loadtool.model.load import BODY_LIMIT
from pytest_loadtool.replay.acting import held_actor_for, hooks_of
from pytest_loadtool.replay.control import Control
from pytest_loadtool.replay.holding import Stretches
from pytest_loadtool.replay.hooking import UserHooks
from pytest_loadtool.replay.user.exchange import Step
from pytest_loadtool.replay.user.plan import Observer, Plan
from pytest_loadtool.replay.user.user import RowChoice, VirtualUser
from pytest_loadtool.transport.connections.network import ASKING, Unobserved
from pytest_loadtool.transport.connections.session import Commands

#: How long a request of a replay may take, in seconds, where nobody says otherwise.
TIMEOUT = 60.0

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
    timeout: float = TIMEOUT,
    body_limit: int = BODY_LIMIT,
    challenged: Challenged | None = None,
    rows: RowChoice = FIRST_ROWS,
    number: int = 0,
    control: Control | None = None,
    began: Began | None = None,
) -> dict[str, str]:
    """Replay ``plan`` once, as the first and only virtual user, telling ``observer`` as it goes.

    Returns the user's variables and dataset columns by name, as they were in the end.

    It goes over the transport that its test case names. ``challenged`` is told of what the observer
    is not: a proxy that wants to know who asks for a tunnel. ``rows`` gives its rows of datasets:
    the first of each, unless said otherwise. ``number`` (from 0) is that of the iteration. With a
    ``control`` somebody can hold it. ``began`` is given the user, before it does anything: what it
    has is there to be read as it goes.

    Blocks, on an event loop of its own: not to be called from within a running one. A request that
    takes longer than ``timeout`` seconds fails; a body of more than ``body_limit`` bytes is not
    kept.

    Raises:
        ReplayError: a dataset has no rows, or the application does not start.
    """
    tunnels = _Tunnels(challenged) if challenged else None
    stretches = Stretches(plan, observer, control, perf_counter) if control is not None else None
    user = VirtualUser(plan, rows, stretches or observer)
    if began is not None:
        began(user)
    hooks = hooks_of(user)
    commands = held_actor_for(user, hooks).act(plan.visits.whole, number, perf_counter())

    async def act() -> None:
        networks = await open_networks([plan], tunnels, body_limit=body_limit)
        try:
            driver = _Driver(networks, user, timeout, hooks)
            if control is None or stretches is None:
                await driver.run(commands)
            else:
                stretches.act(user, commands)
                await driver.run_held(stretches, control)
        finally:
            await networks.close()

    run(act())
    return user.values


class _Tunnels(Unobserved):
    """An observer that, of all that a network does, hears of its tunnels alone."""

    def __init__(self, challenged: Challenged) -> None:
        self._challenged = challenged

    def challenged(self, seconds: float) -> None:
        """A CONNECT was answered by a challenge."""
        self._challenged(ASKING.get(), seconds)


class _Driver:
    """The connections of the only virtual user."""

    def __init__(
        self, networks: Networks, user: VirtualUser, timeout: float, hooks: UserHooks | None
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        self._hooks = hooks
        self._ended: asyncio.Future[BaseException | None]
        self._session = networks.session(user.plan, self._end, user.at_proxy)

    async def run(self, commands: Commands) -> None:
        """Do what the commands say, up to their end."""
        try:
            await self._do(commands)
        finally:
            self._session.stop()

    async def run_held(self, stretches: Stretches, control: Control) -> None:
        """Do one stretch after the other, and wait in between as somebody wants it."""
        woken = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the replay has ended meanwhile
                self._loop.call_soon_threadsafe(woken.set)

        control.wake = wake
        try:
            while not stretches.over:
                await self._do(stretches.stretch(), stretches)
                while seconds := stretches.wait(perf_counter()):
                    with suppress(TimeoutError):
                        await asyncio.wait_for(woken.wait(), None if seconds == inf else seconds)
                    woken.clear()
        finally:
            self._session.stop()

    async def _do(self, commands: Commands, stretches: Stretches | None = None) -> None:
        """Do what the commands say, up to their end, or until somebody stops that."""
        ended = self._ended = self._loop.create_future()
        self._session.run(commands if self._hooks is None else self._hooks.requests(commands))
        while not ended.done() and not (stretches is not None and stretches.over):
            await asyncio.wait([ended], timeout=_SWEEP)
            self._session.check_timeout(perf_counter(), self._timeout)
            if stretches is not None:
                stretches.hear()
        if ended.done() and (error := ended.result()) is not None:
            raise error

    def _end(self, error: BaseException | None, _failed: bool) -> None:
        if not self._ended.done():
            self._ended.set_result(error)
