"""Drives one share of a load test: many virtual users on one event loop.

Each connection is an open file; that there may be so many is checked before the start.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import count
from math import inf
from pathlib import Path
from time import perf_counter

from pytest_loadtool.engine.closed_model import ClosedPool
from pytest_loadtool.engine.observers import Clock, NetworkMetrics, observers_for
from pytest_loadtool.engine.open_model import OpenPool
from pytest_loadtool.engine.running import run
from pytest_loadtool.engine.timer_queue import EARLY
from pytest_loadtool.engine.transport_factory import Networks, open_networks
from pytest_loadtool.engine.user_pool import Setting, UserPool
from pytest_loadtool.errors import LoadToolError, NoRowLeftError
from pytest_loadtool.load.cluster.share import Share, row_takers
from pytest_loadtool.load.metrics import reports
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.replay.user.origin import Origin
from pytest_loadtool.replay.user.plan import Plan
from pytest_loadtool.replay.user.user import CONNECTIONS_PER_HOST

#: How often (seconds) the clocks are read and the event loop's lag is measured, at least.
_PULSE = 0.25

#: A request's time-out is noticed so late, as a part of it, at least and at most (in seconds).
_SWEEP_PART, _SWEEP_LEAST, _SWEEP_MOST = 1 / 20, 0.02, 1.0

#: For how long (seconds) making a report may keep the event loop from turning.
_TURN = 0.002

#: After how many new objects more than gone ones the collector looks for cycles. The hot path makes
#: none; what the event loop makes is little.
_RARELY = 100_000


#: Open files beside the connections: those that are open when the run starts (where they cannot be
#: counted), and what it will open itself: event loop, name resolution, reports.
_OTHERS = 100

#: One connection more for so many: a connection that is closed counts until the event loop's next
#: turn, and its successor may be open by then.
_CLOSING = 10


#: From which port to which this machine connects from.
_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")


def _unheard(_now: tuple[int, ...]) -> None:
    pass


class LoadRunner:
    """Runs the users of ``share`` through ``plans`` (in the order of ``configuration.cases``).

    ``reporter`` makes the reports, and has what they add up to.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        configuration: LoadConfiguration,
        share: Share,
        metrics: LoadMetrics,
    ) -> None:
        self._plans = plans
        self._configuration = configuration
        self._share = share
        self._metrics = metrics
        self.reporter = reports.Reporter(metrics, length=share.report_length)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped: asyncio.Event | None = None
        self._networks: Networks | None = None
        self._stop_early = False
        self._error: BaseException | None = None

    def run(
        self,
        start_at: float,
        on_tick: Callable[[bytes], None] | None = None,
        interval: float = 1.0,
        on_beat: Callable[[tuple[int, ...]], None] = _unheard,
    ) -> None:
        """Run from ``start_at`` (``time.time()``) to the end.

        Blocks, on an event loop of its own; calls ``on_tick`` in it every ``interval`` seconds,
        with a report: a snapshot of what came since the one before. Where a report is of several
        intervals, it calls ``on_beat`` after the others: with its users, and the requests and
        errors of its last second.

        Raises:
            ReplayError: a dataset has no row left, or an application does not start.
        """
        thresholds = gc.get_threshold()
        try:
            run(self._run(start_at, on_tick, interval, on_beat))
        finally:
            gc.set_threshold(*thresholds)
            gc.unfreeze()
            self._loop = None
        if self._error is not None:
            raise self._error

    @property
    def addresses(self) -> set[tuple[str, int]]:
        """The hosts and ports that users connect to: of proxies where they ask those."""
        return {address_of(step.origin) for plan in self._plans for step in plan.steps}

    def report(self) -> bytes:
        """Return what came since the last report, when the run is over."""
        return b"".join(self.reporter.report())

    def waits(self) -> list[float]:
        """Return for how many seconds more each user waits who is in a think time. Where it is told
        how the run is getting on, and nowhere else."""
        return [] if self._networks is None else self._networks.waits(perf_counter())

    def stop(self) -> None:
        """Stop now: requests under way are cut. May be called from any thread, more than once."""
        self._stop_early = True
        loop, stopped = self._loop, self._stopped
        if loop is not None and stopped is not None and not loop.is_closed():
            with suppress(RuntimeError):  # it has closed meanwhile
                loop.call_soon_threadsafe(stopped.set)

    async def _run(
        self,
        start_at: float,
        on_tick: Callable[[bytes], None] | None,
        interval: float,
        on_beat: Callable[[tuple[int, ...]], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        self._networks = networks = await open_networks(
            self._plans,
            NetworkMetrics(self._metrics),
            self._configuration.bandwidth,
            self._configuration.body_limit,
        )
        try:
            tell = self._teller(on_tick, on_beat)
            await self._play(networks, self._loop, self._stopped, start_at, tell, interval)
        finally:
            self._networks = None
            await networks.close()

    async def _play(
        self,
        networks: Networks,
        loop: asyncio.AbstractEventLoop,
        stopped: asyncio.Event,
        start_at: float,
        tell: Callable[[], Awaitable[None]] | None,
        interval: float,
    ) -> None:
        clock = Clock(self._metrics)
        at_work: set[UserPool] = set()

        def over(pool: UserPool) -> None:
            at_work.discard(pool)
            if not at_work:
                stopped.set()

        setting = Setting(
            loop=loop,
            configuration=self._configuration,
            share=self._share,
            plans=self._plans,
            observers=observers_for(self._plans, self._metrics, clock),
            networks=networks,
            metrics=self._metrics,
            takers=row_takers(self._configuration, [plan.case.datasets for plan in self._plans]),
            over=over,
            fail=self._fail,
        )
        pools = [
            (OpenPool if one.schedule.open else ClosedPool)(setting, place)
            for place, one in enumerate(self._configuration.populations)
        ]
        at_work.update(pools)
        # What exists by now lives as long as the run: the collector need not look at it again.
        gc.collect()
        gc.freeze()
        gc.set_threshold(_RARELY)
        # Only now: in a large process the collector has taken its time.
        wait = max(0.0, start_at - time.time())
        clock.begin(perf_counter() + wait)
        loop.call_later(wait, self._note_start, start_at)
        timeouts = loop.create_task(self._watch_timeouts(pools))
        try:
            if not self._stop_early:
                for pool in pools:
                    pool.start(clock.start)
                    self._end_early(pool, loop, clock.start)
            await self._watch(stopped, clock, tell, interval)
        finally:
            clock.read()
            timeouts.cancel()
            for pool in pools:
                pool.stop()

    def _note_start(self, start_at: float) -> None:
        """Begin: how late that is, by the clock that the moment was told by."""
        self._metrics.start_late_us = max(0, int((time.time() - start_at) * 1e6))

    def _end_early(self, pool: UserPool, loop: asyncio.AbstractEventLoop, start: float) -> None:
        """Have a pool end in time whose schedule is over before the run is."""
        plan, end = self._configuration, pool.population.schedule.end
        if end is not None and end != plan.end:
            loop.call_later(max(0.0, start + end + plan.grace - perf_counter()), pool.end)

    async def _watch(
        self,
        stopped: asyncio.Event,
        clock: Clock,
        tell: Callable[[], Awaitable[None]] | None,
        interval: float,
    ) -> None:
        """Tick until all users are done, time is up or the run is stopped."""
        plan = self._configuration
        last = inf if plan.end is None else clock.start + plan.end + plan.grace
        next_tick = clock.start + interval if tell else inf
        while not self._stop_early and not stopped.is_set():
            now = clock.read()
            if now >= last:
                return
            if tell is not None and now >= next_tick:
                # One that is missed is missed.
                next_tick = max(next_tick, now - interval) + interval
                await tell()
            asleep = perf_counter()
            wake = min(asleep + _PULSE, next_tick, last)
            pause = max(EARLY, wake - asleep)
            try:
                await asyncio.wait_for(stopped.wait(), pause)
            except TimeoutError:
                self._metrics.record_lag(int((perf_counter() - asleep - pause) * 1e6))

    def _teller(
        self,
        on_tick: Callable[[bytes], None] | None,
        on_beat: Callable[[tuple[int, ...]], None],
    ) -> Callable[[], Awaitable[None]] | None:
        """Return what is done when an interval is over. Workers take turns with longer reports."""
        if on_tick is None:
            return None
        intervals = count(-self._share.index)
        every, metrics = self._share.report_length, self._metrics

        async def tell() -> None:
            if next(intervals) % every:
                on_beat((metrics.users, metrics.last_requests, metrics.last_errors))
            else:
                on_tick(await self._report_in_turns())

        return tell

    async def _watch_timeouts(self, pools: Sequence[UserPool]) -> None:
        """Fail requests that have been under way for too long, until cancelled."""
        part = self._configuration.timeout * _SWEEP_PART
        pause = min(max(part, _SWEEP_LEAST), _SWEEP_MOST)
        try:
            while True:
                await asyncio.sleep(pause)
                for pool in pools:
                    following = pool.check_timeouts(0)
                    while following:
                        await asyncio.sleep(0)
                        following = pool.check_timeouts(following)
        except Exception as error:
            self._fail(error)

    async def _report_in_turns(self) -> bytes:
        """Return a report, made in pieces so that answers need not wait."""
        pieces = []
        turned = perf_counter()
        for piece in self.reporter.report():
            pieces.append(piece)
            if perf_counter() - turned > _TURN:
                await asyncio.sleep(0)
                turned = perf_counter()
        return b"".join(pieces)

    def _fail(self, error: BaseException) -> None:
        """End the run: a virtual user cannot go on, and not because of the server."""
        self._error = self._error or error
        if isinstance(error, NoRowLeftError):
            self._metrics.firsts.exhausted[error.dataset] = error.rows
        self.stop()


def connections_of(plan: Plan) -> Counter[tuple[str, int]]:
    """Return the most connections that one virtual user of ``plan`` has open at a time, by where
    to.

    A page whose requests overlap uses up to `CONNECTIONS_PER_HOST` of them for each origin, any
    other page one; they stay open from page to page.
    """
    most: Counter[Origin] = Counter()
    for page in plan.pages:
        bound = CONNECTIONS_PER_HOST if page.overlapped else 1
        for origin, steps in Counter(step.origin for step in page.steps).items():
            most[origin] = max(most[origin], min(bound, steps))
    found: Counter[tuple[str, int]] = Counter()
    for origin, number in most.items():
        found[address_of(origin)] += number
    return found


def address_of(origin: Origin) -> tuple[str, int]:
    """Return the host and port that is connected to: those of a proxy where it is asked."""
    server = origin if origin.via is None else origin.via.server
    return server.host, server.port


def ensure_ports(connections: Counter[tuple[str, int]], processes: int) -> None:
    """Find out whether this machine has ports for so many connections to each address, of each of
    so many processes.

    Raises:
        LoadToolError: it has not.
    """
    try:
        low, high = map(int, _PORTS.read_text(encoding="ascii").split())
    except (OSError, ValueError):  # not Linux
        return
    for (host, port), number in connections.items():
        if number * processes > high - low + 1:
            raise LoadToolError(
                f"the load needs up to {number * processes:,} connections to {host}:{port} at a "
                f"time from this machine, which has {high - low + 1:,} ports for them: widen "
                "net.ipv4.ip_local_port_range, spread the users over more machines, or take fewer"
            )


def ensure_open_files(connections: int) -> None:
    """See to it that this process can have so many connections, by raising its soft limit.

    Raises:
        LoadToolError: the hard limit does not allow it.
    """
    try:
        import resource
    except ImportError:  # Windows: sockets are no files there
        return
    need = connections + connections // _CLOSING + _open_now() + _OTHERS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _suffices(soft, need, resource.RLIM_INFINITY):
        return
    if not _suffices(hard, need, resource.RLIM_INFINITY):
        raise LoadToolError(
            f"the load needs up to {connections:,} connections at a time in one process, "
            f"{need:,} open files with all else, and the limit is {hard:,}: raise it "
            f"('ulimit -n {need}', as an administrator), spread the users over more workers "
            "(-n; each has a limit of its own), or take fewer users"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (need, hard))


def _suffices(limit: int, need: int, infinity: int) -> bool:
    return limit == infinity or limit >= need


def _open_now() -> int:
    """Return how many files this process has open, 0 where nobody tells."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return sum(1 for _ in Path(folder).iterdir())
        except OSError:
            continue
    return 0
