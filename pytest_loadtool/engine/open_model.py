"""The open load model: iterations that begin when the schedule says, whatever the server does."""

from __future__ import annotations

from collections import deque
from time import perf_counter

from pytest_loadtool.engine.timer_queue import TimerQueue
from pytest_loadtool.engine.user_pool import LoadUser, Setting, UserPool
from pytest_loadtool.load.pacing.schedule import arrivals


class OpenPool(UserPool):
    """Users that wait for arrivals. The one that has waited longest takes the next; when all are
    busy, arrivals wait for a while.

    The test case is the arrival's; so a user's number stands for one virtual user in each test
    case, of which only one is busy at a time.
    """

    def __init__(self, setting: Setting, place: int) -> None:
        super().__init__(setting, place)
        self._free = deque(self._share.users(self._schedule.users))
        self._by_case: list[dict[int, LoadUser]] = [{} for _ in setting.plans]
        self._waiting: deque[tuple[float, int]] = deque()  # arrivals: when, number
        self._patience = self._schedule.patience
        self._all_arrived = False

    def start(self, at: float) -> None:
        """Begin at a time of ``perf_counter``."""
        setting = self._setting
        events = ((at + when, number) for when, number in arrivals(self._schedule, self._share))
        self._queue = TimerQueue(
            setting.loop, events, self._arrive, self._last_arrived, setting.fail
        )
        self._queue.start()

    def stop(self) -> None:
        """Stop all at once, and count what is cut, and dropped."""
        self._metrics.dropped += len(self._waiting)
        self._waiting.clear()
        super().stop()

    def _arrive(self, when: float, arrival: int) -> None:
        # Here, and not when it begins: that a user must get free first is not our lateness.
        self._record_lateness(when)
        self._drop_late()
        if self._free:
            self._take(when, arrival)
        elif self._patience:
            self._waiting.append((when, arrival))
        else:
            self._metrics.dropped += 1

    def _drop_late(self) -> None:
        """Drop the arrivals that have waited too long."""
        oldest = perf_counter() - self._patience
        while self._waiting and self._waiting[0][0] < oldest:
            self._waiting.popleft()
            self._metrics.dropped += 1

    def _take(self, when: float, arrival: int) -> None:
        number, case = self._free.popleft(), self._case_of(arrival)
        user = self._by_case[case].get(number)
        if user is None:
            user = self._by_case[case][number] = self._add(number, case)
        self._count(1)
        user.begin(when)

    def _last_arrived(self) -> None:
        self._all_arrived = True
        self._count(0)

    def _go_on(self, user: LoadUser) -> None:
        super()._count(-1)
        if not user.dismissed:
            self._free.append(user.number)
        elif user.leave():
            super()._count(1)
        self._drop_late()
        if self._waiting and self._free:
            self._take(*self._waiting.popleft())
        self._count(0)

    def _gone(self, user: LoadUser) -> None:
        user.session.close_connections()
        self._count(-1)

    def _count(self, change: int) -> None:
        super()._count(change)
        if self._all_arrived and not self._working:
            leaving = [user.leave() for user in self._users]
            super()._count(sum(leaving))
        if self._all_arrived and not self._working:
            self._setting.over(self)
