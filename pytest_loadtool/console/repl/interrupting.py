"""Signals that end what runs: what awaits is cancelled, what computes gets an exception.

An event loop hears of a signal between two steps of its tasks. What computes for minutes is one
step, and would not be ended by anything but ``kill -9``.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from types import FrameType
from typing import Any, Self, TypeVar

#: Signals that end the console in good order: kill, and the terminal window being closed.
ENDING = (signal.SIGTERM, signal.SIGHUP)

#: Seconds that a command gets to come to where it can be cancelled. What it does in between, such
#: as starting a program, is better not cut in two.
_PATIENCE = 0.3

_T = TypeVar("_T")


class Interruptible:
    """Runs one coroutine after another while entered; each of these signals ends the one that runs.

    One that comes between two ends the second before it begins. It ends as a cancelled task does.
    What it computes with is left as it was: that must be nothing which half of a change would harm.
    It uses SIGALRM; the main thread has to be the caller's.
    """

    def __init__(self, *signals: signal.Signals) -> None:
        self._signals = signals
        self._came: set[signal.Signals] = set()
        self._task: asyncio.Task[Any] | None = None
        self._raised = False

    def __enter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._before = {n: signal.getsignal(n) for n in (*self._signals, signal.SIGALRM)}
        # The system may give a signal to any thread. Python then runs the handler in this one, but
        # only a byte from `signal.set_wakeup_fd` ends its sleep. The loop sees to that for as long
        # as it has a handler; a question adds its own, and takes it away.
        self._loop.add_signal_handler(signal.SIGALRM, lambda: None)
        signal.signal(signal.SIGALRM, self._interrupt)
        for number in self._signals:
            signal.signal(number, self._come)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.remove_signal_handler(signal.SIGALRM)
        for number, handler in self._before.items():
            signal.signal(number, handler)

    async def run(
        self, work: Coroutine[Any, Any, _T]
    ) -> tuple[asyncio.Task[_T], set[signal.Signals]]:
        """Run it, and return the task that it was, which has ended, and the signals that have come.

        What runs may run something in turn, which the signals then end in its place; those that
        end the console are left for it, too.
        """
        task = asyncio.ensure_future(work)
        outer, self._task, self._raised = self._task, task, False
        if self._came:
            task.cancel()
        try:
            await asyncio.wait([task])
        finally:
            self._task = outer
            signal.setitimer(signal.ITIMER_REAL, 0)
        came, self._came = self._came, self._came & set(ENDING if outer is not None else ())
        return task, came

    def _come(self, number: int, _frame: FrameType | None) -> None:
        self._came.add(signal.Signals(number))
        if self._task is not None:
            self._loop.call_soon_threadsafe(self._cancel, self._task)
            signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _PATIENCE)

    def _cancel(self, task: asyncio.Task[Any]) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if not self._raised:  # what cleans up after that may await something
            task.cancel()

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        # Once is not always enough: in a finaliser, an exception has no effect.
        if self._task is not None and asyncio.current_task(self._loop) is self._task:
            self._raised = True
            raise asyncio.CancelledError
