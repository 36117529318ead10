"""Drives one share of a load test: many virtual users on one event loop."""

from __future__ import annotations

import asyncio
import gc
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter

from pytest_loadtool.load.metrics import LoadMetrics, PageKey, TransactionKey
from pytest_loadtool.load.share import Share, case_of
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.content import ContentError
from pytest_loadtool.replay.exchange import Response
from pytest_loadtool.replay.plan import Observer, PagePlan, Plan, Step
from pytest_loadtool.replay.user import VirtualUser
from pytest_loadtool.transport.network import Network, new_event_loop
from pytest_loadtool.transport.rows import rows_of

__all__ = ["LoadRunner", "metrics_for"]

#: How often (seconds) requests under way are checked for having run out of time.
_SWEEP = 0.25

#: How many characters of a body an error's example shows.
_EXAMPLE = 160


def metrics_for(plans: Sequence[Plan], *, detailed_pages: bool = False) -> LoadMetrics:
    """Empty metrics with a place for each transaction and page of ``plans``, in their order."""
    named = list(zip(_distinct(plan.case.name for plan in plans), plans, strict=True))
    return LoadMetrics(
        transactions=[
            TransactionKey(name, step.page_title, step.title)
            for name, plan in named
            for step in plan.steps
        ],
        pages=[PageKey(name, page.name) for name, plan in named for page in plan.pages],
        cases=[name for name, _ in named],
        describe=_describe,
        detailed_pages=detailed_pages,
    )


def _distinct(names: Iterable[str]) -> Iterator[str]:
    """The names, a repeated one numbered: ``shop``, ``shop (2)``."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"


class LoadRunner:
    """Runs the users of ``share`` through ``plans`` (in the order of ``configuration.cases``)."""

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
        self._observers = _observers(plans, metrics)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped: asyncio.Event | None = None
        self._stop_early = False
        self._users: list[_User] = []
        self._working = 0  # users that are not at their end yet
        self._active = 0  # those of them that have started

    def run(
        self,
        start_at: float,
        on_tick: Callable[[], None] | None = None,
        interval: float = 1.0,
    ) -> None:
        """Run from ``start_at`` (``time.time()``) to the end.

        Blocks, on an event loop of its own; calls ``on_tick`` in it every ``interval`` seconds.

        Raises:
            ReplayError: a dataset has no row left.
        """
        loop = self._loop = new_event_loop()
        try:
            loop.run_until_complete(self._run(start_at, on_tick, interval))
        finally:
            loop.close()
            self._loop = None

    def stop(self) -> None:
        """Stop now: requests under way are cut. May be called from any thread, more than once."""
        self._stop_early = True
        loop, stopped = self._loop, self._stopped
        if loop is not None and stopped is not None and not loop.is_closed():
            loop.call_soon_threadsafe(stopped.set)

    async def _run(
        self, start_at: float, on_tick: Callable[[], None] | None, interval: float
    ) -> None:
        configuration = self._configuration
        stopped = self._stopped = asyncio.Event()
        start = perf_counter() + max(0.0, start_at - time.time())
        end = start + configuration.duration
        network = Network(asyncio.get_running_loop(), _NetworkMetrics(self._metrics))
        weights = [case.weight for case in configuration.cases]
        run = _Run(network, configuration, end, self._user_started, self._user_done, self.stop)
        for number in self._share.users(configuration.users):
            case = case_of(number, weights)
            user = _User(number, self._plans[case], self._observers[case], run)
            self._users.append(user)
            self._working += 1
            ramp = self._share.start_time(number, configuration.users, configuration.ramp_up)
            user.start_at(start + ramp)
        # What exists by now lives as long as the run: the collector need not look at it again.
        gc.collect()
        gc.freeze()
        clock = _Clock(start, self._metrics)
        if not self._users:  # more workers than users: there is nothing to wait for
            stopped.set()
        try:
            await self._watch(stopped, clock, end + configuration.grace, on_tick, interval)
        finally:
            gc.unfreeze()
            clock.read()
            self._metrics.cut_iterations += self._active
            self._metrics.cut += sum(user.stop() for user in self._users)
            await network.close()
        if run.error is not None:
            raise run.error

    async def _watch(
        self,
        stopped: asyncio.Event,
        clock: _Clock,
        last: float,
        on_tick: Callable[[], None] | None,
        interval: float,
    ) -> None:
        """Check time-outs and tick until all users are done, time is up or the run is stopped."""
        next_tick = clock.start + interval
        while not self._stop_early and not stopped.is_set():
            now = clock.read()
            if now >= last:
                return
            for user in self._users:
                user.check_timeout(now, self._configuration.timeout)
            if on_tick is not None and now >= next_tick:
                next_tick += interval
                on_tick()
            pause = min(_SWEEP, last - now)
            asleep = perf_counter()
            try:
                await asyncio.wait_for(stopped.wait(), pause)
            except TimeoutError:
                self._metrics.record_lag(int((perf_counter() - asleep - pause) * 1e6))

    def _user_started(self) -> None:
        self._active += 1
        self._metrics.set_users(self._active)

    def _user_done(self) -> None:
        self._active -= 1
        self._metrics.set_users(self._active)
        self._working -= 1
        if not self._working and self._stopped is not None:
            self._stopped.set()


class _NetworkMetrics:
    """Turns what the network reports into metrics."""

    def __init__(self, metrics: LoadMetrics) -> None:
        self._metrics = metrics

    def woke_late(self, seconds: float) -> None:
        """A user started or went on too late."""
        self._metrics.record_lateness(int(seconds * 1e6))

    def opened(self, connecting: float, handshake: float | None) -> None:
        """A connection was opened."""
        tls_us = None if handshake is None else int(handshake * 1e6)
        self._metrics.record_connection(int(connecting * 1e6), tls_us)

    def retried(self) -> None:
        """A request was sent again."""
        self._metrics.retried += 1


class _Clock:
    """Keeps the metrics' own clocks: elapsed time, processor time, the second of the run."""

    def __init__(self, start: float, metrics: LoadMetrics) -> None:
        self.start = start
        self._metrics = metrics
        self._processor = time.process_time()

    def read(self) -> float:
        """Set the clocks; the time of ``perf_counter``."""
        now = perf_counter()
        elapsed = max(0.0, now - self.start)
        if int(elapsed) != self._metrics.second:
            self._metrics.begin_second(int(elapsed))
        self._metrics.elapsed_us = int(elapsed * 1e6)
        self._metrics.cpu_us = int((time.process_time() - self._processor) * 1e6)
        return now


class _Run:
    """What all users of a run share, and the error that ended it, if one did."""

    __slots__ = ("_stop", "configuration", "done", "end", "error", "network", "started")

    def __init__(
        self,
        network: Network,
        configuration: LoadConfiguration,
        end: float,
        started: Callable[[], None],
        done: Callable[[], None],
        stop: Callable[[], None],
    ) -> None:
        self.network = network
        self.configuration = configuration
        self.end = end
        self.started = started
        self.done = done
        self.error: BaseException | None = None
        self._stop = stop

    def fail(self, error: BaseException) -> None:
        """End the run: a virtual user cannot go on, and not because of the server."""
        self.error = self.error or error
        self.done()
        self._stop()


class _User:
    """One virtual user's life: iterations from its start to the end of the run."""

    __slots__ = ("_iteration", "_run", "_session", "_user")

    def __init__(self, number: int, plan: Plan, observer: Observer, run: _Run) -> None:
        self._run = run
        self._session = run.network.session(self._iteration_done)
        self._user = VirtualUser(plan, rows_of(number, run.configuration.users), observer)
        self._iteration = 0

    def start_at(self, when: float) -> None:
        """Begin the first iteration at the time ``when``."""

        def begin() -> None:
            self._run.started()
            self._run.network.observer.woke_late(perf_counter() - when)
            self._session.run(self._user.iteration(0, when))

        self._run.network.call_at(when, begin)

    def check_timeout(self, now: float, timeout: float) -> None:
        """Fail requests that have been under way for too long."""
        self._session.check_timeout(now, timeout)

    def stop(self) -> int:
        """Stop at once; how many requests are cut."""
        return self._session.stop()

    def _iteration_done(self, error: BaseException | None, _failed: bool) -> None:
        if not self._run.configuration.keep_connections:
            self._session.close_connections()
        now = perf_counter()
        if error is not None:
            self._session.close_connections()
            self._run.fail(error)
            return
        if now >= self._run.end:
            self._session.close_connections()
            self._run.done()
            return
        self._iteration += 1
        self._session.run(self._user.iteration(self._iteration, now))


def _observers(plans: Sequence[Plan], metrics: LoadMetrics) -> list[Observer]:
    """An observer per plan: its own indices, shifted to where its keys begin in the metrics."""
    observers: list[Observer] = []
    first_step = first_page = 0
    for case, plan in enumerate(plans):
        observers.append(_MetricsObserver(metrics, case, first_step, first_page))
        first_step += len(plan.steps)
        first_page += len(plan.pages)
    return observers


class _MetricsObserver:
    """Turns what a virtual user reports into metrics: seconds to whole microseconds."""

    __slots__ = ("_case", "_first_page", "_first_step", "_metrics")

    def __init__(self, metrics: LoadMetrics, case: int, first_step: int, first_page: int) -> None:
        self._metrics = metrics
        self._case = case
        self._first_step = first_step
        self._first_page = first_page

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        """Record one request."""
        finished = response.finished
        sent = response.sent
        received = response.received
        self._metrics.record(
            self._first_step + step.index,
            response.status,
            int((finished - sent) * 1e6),
            int((finished - response.send.due) * 1e6),
            int((response.first_byte - sent) * 1e6) if received else -1,
            received,
            len(response.send.data),
            failures,
            response,
        )

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None:
        """Record one page."""
        self._metrics.record_page(
            self._first_page + page.index, int((finished - started) * 1e6), failed
        )

    def iteration(self, started: float, finished: float, failed: bool) -> None:
        """Record one iteration of the test case."""
        self._metrics.record_iteration(self._case, int((finished - started) * 1e6), failed)


def _describe(response: Response) -> str:
    """The first example of an error, in one line: what was asked, what came.

    The target is the test case's own text, not what went out: that may hold a user's secrets.
    """
    request = response.send.step.transaction.request
    asked = f"{request.method} {request.target}"
    if response.failure is not None:
        return f"{asked}: no response"
    try:
        body = " ".join(response.text.split())
    except ContentError:
        body = "(undecodable body)"
    return f"{asked}: status {response.status}, {body[:_EXAMPLE] or 'no body'}"
