"""The virtual users of a share of a load test, whatever the load model is."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from pytest_loadtool.engine.observers import CaseObservers
from pytest_loadtool.engine.timer_queue import TimerQueue
from pytest_loadtool.engine.transport_factory import Networks
from pytest_loadtool.load.cluster.share import RowTakers, Share, case_in, rows_among
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.replay.acting import actor_for
from pytest_loadtool.replay.user.plan import Plan
from pytest_loadtool.replay.user.user import VirtualUser

#: How many users are looked at in one turn of the event loop: on a busy one a look at 10,000 takes
#: seconds, and nothing else should wait for it.
_SLICE = 500


@dataclass(frozen=True, slots=True)
class Setting:
    """The setting in which a share of a load test is played. ``plans``, ``observers`` and
    ``takers`` (of rows, by the names of datasets) are by the number of the test case.

    ``over`` is to be called when a pool has nothing more to do, ``fail`` when a virtual user cannot
    go on, and not because of the server.
    """

    loop: asyncio.AbstractEventLoop
    configuration: LoadConfiguration
    share: Share
    plans: Sequence[Plan]
    observers: Sequence[CaseObservers]
    networks: Networks
    metrics: LoadMetrics
    takers: Sequence[Mapping[str, RowTakers]]
    over: Callable[[UserPool], None]
    fail: Callable[[BaseException], None]


class LoadUser:
    """One virtual user, its connections, and how far it is. Of these there may be 10,000."""

    __slots__ = ("_actor", "_observer", "_pool", "_virtual", "begun", "busy", "case", "dismissed",
                 "due", "leaving", "number", "pause", "session", "stop_at", "unanswered", "working",
                 )  # fmt: skip

    def __init__(self, number: int, case: int, pool: UserPool, setting: Setting) -> None:
        configuration, plan = setting.configuration, setting.plans[case]
        taken = rows_among(setting.takers[case], pool.place, number) if plan.datasets else _no_row
        self._pool = pool
        observer = setting.observers[case].of_user()
        virtual = VirtualUser(
            plan,
            taken,
            observer,
            number=pool.population.first + number,
            users=pool.all_users,
            stop_on_error=configuration.on_error != "continue",
            keep_state=configuration.keep_state,
        )
        observer.user = virtual
        virtual.tallies = setting.observers[case].tallies
        self._observer = observer
        self._virtual = virtual
        metrics = setting.metrics
        self._actor = actor_for(virtual, metrics.record_hook, metrics.custom.record)
        self.session = setting.networks.session(plan, self._ended, virtual.at_proxy)
        self.number = number
        """Its number in its population."""
        self.case = case
        self.begun = 0
        """How many iterations it has begun."""
        self.due = 0.0
        """When it should have begun the last one."""
        self.busy = False
        """Whether it is in the middle of one."""
        self.working = False
        """Whether it begins one after the other (closed model)."""
        self.stop_at = 0.0
        """From when on it does not (closed model)."""
        self.leaving = False
        """Whether it is doing what comes after its last iteration."""
        self.dismissed = False
        """Whether it is never to begin one again."""
        self.unanswered = False
        """Whether its last one has failed without any response."""
        self.pause = 0.0
        """How long (seconds) it backs off for that (closed model)."""

    def begin(self, due: float) -> None:
        """Begin an iteration that was to begin at ``due``, or is to: timers may ring early."""
        self.due = due
        self.busy = True
        number = self.begun
        self.begun = number + 1
        visit = self._virtual.next_visit()
        self.session.run(self._actor.act(visit, number, min(due, perf_counter())))

    def leave(self) -> bool:
        """Begin what it does once after its last iteration; return whether there is something."""
        visit = self._virtual.leave()
        if visit is None:
            return False
        self.busy = self.leaving = True
        self.session.run(self._actor.act(visit, self.begun, perf_counter()))
        return True

    def _ended(self, error: BaseException | None, failed: bool) -> None:
        self.busy = False
        if self.leaving:
            self._observer.conclude()
        self._pool.iteration_ended(self, error, failed)


class UserPool(ABC):
    """The virtual users of the population at ``place``; a load model says when they begin their
    iterations."""

    def __init__(self, setting: Setting, place: int) -> None:
        configuration = setting.configuration
        self.place = place
        self.population = population = configuration.populations[place]
        self.all_users = configuration.all_users
        self._schedule = population.schedule
        self._share = setting.share.of_population(population)
        self._setting = setting
        self._metrics = setting.metrics
        self._queue: TimerQueue[Any] | None = None
        self._users: list[LoadUser] = []
        self._stopped = False
        self._working = 0
        self._keep_connections = configuration.keep_connections
        self._errors_dismiss = configuration.on_error == "stop user"
        self._timeout = configuration.timeout

    @abstractmethod
    def start(self, at: float) -> None:
        """Begin at a time of ``perf_counter``."""

    @abstractmethod
    def _go_on(self, user: LoadUser) -> None:
        """An iteration has ended: what its user does next. It may be dismissed."""

    @abstractmethod
    def _gone(self, user: LoadUser) -> None:
        """A user has done what comes after its last iteration."""

    def check_timeouts(self, first: int) -> int:
        """Fail what has been under way for too long, of a slice of the users, and return with whom
        the next slice begins, or 0 after the last."""
        now = perf_counter()
        following = first + _SLICE
        for user in self._users[first:following]:
            if user.busy:
                user.session.check_timeout(now, self._timeout)
        return following if following < len(self._users) else 0

    def stop(self) -> None:
        """Stop all at once, and count what is cut."""
        if self._stopped:
            return
        self._stopped = True
        if self._queue is not None:
            self._queue.stop()
        for user in self._users:
            cut = user.busy and not user.leaving
            self._metrics.cut_iterations += cut
            self._metrics.cases[user.case].cut += cut
            self._metrics.cut += user.session.stop()

    def end(self) -> None:
        """End before the run does: its schedule is over, and the grace after it."""
        if not self._stopped:
            self.stop()
            UserPool._count(self, -self._working)
            self._setting.over(self)

    def iteration_ended(self, user: LoadUser, error: BaseException | None, failed: bool) -> None:
        """A user has ended its iteration, or could not: then the whole run ends."""
        if error is not None:
            self._setting.fail(error)
            return
        next_step = self._gone if user.leaving else self._go_on
        user.leaving = False
        user.unanswered = failed and not user.session.answered
        if not self._keep_connections:
            user.session.close_connections()
        if failed and self._errors_dismiss:
            user.dismissed = True
        try:
            next_step(user)
        except BaseException as mistake:  # of our own: event loops would swallow it
            self._setting.fail(mistake)

    def _add(self, number: int, case: int) -> LoadUser:
        user = LoadUser(number, case, self, self._setting)
        self._users.append(user)
        return user

    def _case_of(self, turn: int) -> int:
        """Return the number of the test case of a user or an arrival."""
        return case_in(self.population, turn)

    def _count(self, change: int) -> None:
        """So many more users are at work."""
        self._working += change
        self._metrics.set_users(self._metrics.users + change)

    def _record_lateness(self, when: float) -> None:
        """Note that something that was due at ``when`` begins now."""
        self._metrics.record_lateness(int((perf_counter() - when) * 1e6))


def _no_row(_use: DatasetUse, _rows: int, _iteration: int) -> None:
    """Take no row: for users of test cases without datasets."""
