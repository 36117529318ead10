"""Ctrl-C, SIGTERM and SIGHUP during a load test, in the three places where they arrive.

Python raises KeyboardInterrupt between any two instructions. A load test must not lose its books
to that, so each place has a handler of its own for as long as it matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType

from pytest_loadtool.engine.signals import ENDINGS, handling, interruption


def deaf(numbers: tuple[int, ...] = ENDINGS) -> AbstractContextManager[None]:
    """Return a worker: the controller hears the same signal, or the end of it, and says when to
    stop.

    A handler that does nothing, not SIG_IGN: programs that a fixture starts would inherit that.
    """
    return handling(lambda _number, _frame: None, numbers)


class Stop:
    """Whether a signal was heard, and which: 0 is none."""

    heard: int = 0


@contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[Stop]:
    """Yield a run in process: the first signal calls ``stop`` and is noted, a second one is
    raised."""
    state = Stop()

    def handle(number: int, _frame: FrameType | None) -> None:
        if state.heard:
            raise interruption(number)
        state.heard = number
        stop()

    with handling(handle):
        yield state


class Shield:
    """The controller: a signal is raised at once while it waits, and late where books are kept.

    ``with shield.up():`` around the whole loop, ``with shield.held():`` where the books are.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._pending = 0

    @contextmanager
    def up(self) -> Iterator[None]:
        """Have the handler in place while this lasts."""
        with handling(self._handle):
            yield

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have signals wait while this lasts; the last is raised at the end."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
        if self._pending and not self._depth:
            number, self._pending = self._pending, 0
            raise interruption(number)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if not self._depth:
            raise interruption(number)
        self._pending = number
