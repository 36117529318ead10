"""The closed load model: users that begin one iteration after the other."""

from __future__ import annotations

from random import Random
from time import perf_counter

from pytest_loadtool.engine.timer_queue import EARLY, TimerQueue
from pytest_loadtool.engine.user_pool import LoadUser, Setting, UserPool
from pytest_loadtool.load.pacing.schedule import Span, spans
from pytest_loadtool.model.load import Distribution
from pytest_loadtool.replay.compile.sampling import draw

#: How soon (seconds) a user may begin an iteration after it began one that was not answered at
#: all: so long at first, each time twice as long, and at most so long.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 1.0


class ClosedPool(UserPool):
    """Users that start and stop as the schedule says."""

    def __init__(self, setting: Setting, place: int) -> None:
        super().__init__(setting, place)
        self._pacing = self._schedule.pacing
        self._iterations = self._schedule.iterations
        self._all_started = False
        self._by_number = {
            number: self._add(number, self._case_of(number))
            for number in self._share.users(self._schedule.users)
        }

    def start(self, at: float) -> None:
        """Begin at a time of ``perf_counter``."""
        setting = self._setting
        events = (
            (at + span.start, Span(at + span.start, at + span.stop, span.user))
            for span in spans(self._schedule, self._share)
        )
        self._queue = TimerQueue(
            setting.loop, events, self._start_user, self._started_all, setting.fail
        )
        self._queue.start()

    def _start_user(self, when: float, span: Span) -> None:
        user = self._by_number[span.user]
        user.stop_at = span.stop
        if user.working or user.dismissed:  # still at it since its last span; or never again
            return
        user.working = True
        self._count(1)
        self._begin(user, when)

    def _begin(self, user: LoadUser, when: float) -> None:
        self._record_lateness(when)
        user.begin(when)

    def _started_all(self) -> None:
        self._all_started = True
        self._count(0)

    def _go_on(self, user: LoadUser) -> None:
        due = now = perf_counter()
        if self._pacing is not None:
            due = max(now, user.due + _pace(self._pacing, user))
        if user.unanswered:
            due = self._back_off(user, due)
        else:
            user.pause = 0.0
        if user.begun == self._iterations:
            user.dismissed = True
        if user.dismissed or due >= user.stop_at - EARLY:
            if not user.leave():
                self._gone(user)
        elif due > now:
            self._setting.loop.call_later(due - now, self._begin_paced, user, due)
        else:
            user.begin(now)

    def _gone(self, user: LoadUser) -> None:
        user.working = False
        user.session.close_connections()
        self._count(-1)

    def _back_off(self, user: LoadUser, due: float) -> float:
        """Return when to try again, if it would be at ``due`` otherwise: a server that is down and
        one that comes up get no storm, and this process does something else than to be refused."""
        user.pause = min(max(2 * user.pause, _FIRST_PAUSE), _LONGEST_PAUSE)
        later = max(due, user.due + user.pause)
        self._metrics.backed_off_us += int((later - due) * 1e6)
        return later

    def _begin_paced(self, user: LoadUser, due: float) -> None:
        if not self._stopped:
            self._begin(user, due)

    def _count(self, change: int) -> None:
        super()._count(change)
        if self._all_started and not self._working:
            self._setting.over(self)


def _pace(pacing: Distribution, user: LoadUser) -> float:
    """Return how long after its last iteration a user is to begin the next: the same in each
    run."""
    if pacing.kind == "constant":  # which needs no random numbers, and these are not cheap
        return pacing.parameters[0]
    return draw(pacing, Random(user.number << 32 | user.begun))  # noqa: S311  chance, not secrets
