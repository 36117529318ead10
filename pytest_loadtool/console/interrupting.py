"""Signals that end a command: one that awaits is cancelled, one that computes gets an exception.

An event loop hears of a signal between two steps of its tasks. What computes for minutes is one
step, and would not be ended by anything but ``kill -9``.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

#: Signals that end the console in good order: kill, and the terminal window being closed.
ENDING = (signal.SIGTERM, signal.SIGHUP)

#: Seconds that a command gets to come to where it can be cancelled. What it does in between, such
#: as starting a program, is better not cut in two.
_PATIENCE = 0.3


@contextmanager
def ended_by(
    task: asyncio.Task[Any], signals: Collection[signal.Signals]
) -> Iterator[set[signal.Signals]]:
    """While entered, each of these signals ends ``task``. Gives those that have come.

    It ends as a cancelled task does. What it computes with is left as it was: that must be nothing
    which half of a change would harm. It uses SIGALRM; the main thread has to be the caller's.
    """
    loop = asyncio.get_running_loop()
    came: set[signal.Signals] = set()
    raised = False

    def come(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        came.add(signal.Signals(number))
        loop.call_soon_threadsafe(cancel)
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _PATIENCE)

    def cancel() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if not raised:  # what cleans up after that may await something
            task.cancel()

    def interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        nonlocal raised
        # Once is not always enough: in a finaliser, an exception has no effect.
        if asyncio.current_task(loop) is task:
            raised = True
            raise asyncio.CancelledError

    before = {number: signal.signal(number, come) for number in signals}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, interrupt)
    try:
        yield came
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
