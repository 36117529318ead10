"""Ctrl-C during a load test, in the three places where it arrives.

Python raises KeyboardInterrupt between any two instructions. A load test must not lose its books
to that, so each place has a handler of its own for as long as it matters.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType

__all__ = ["Shield", "Stop", "deaf", "stopping"]

_Handler = Callable[[int, FrameType | None], object]


@contextmanager
def _handling(handler: _Handler) -> Iterator[None]:
    """``handler`` in place of the handler of SIGINT. Without effect outside the main thread, where
    signals do not arrive."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def deaf() -> AbstractContextManager[None]:
    """A worker during its share: the controller hears the same Ctrl-C and says when to stop.

    A handler that does nothing, not SIG_IGN: programs that a fixture starts would inherit that.
    """
    return _handling(lambda _number, _frame: None)


class Stop:
    """Whether a Ctrl-C was heard."""

    heard: bool = False


@contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[Stop]:
    """A run in process: the first Ctrl-C calls ``stop`` and is noted, a second one is raised."""
    state = Stop()

    def handle(_number: int, _frame: FrameType | None) -> None:
        if state.heard:
            raise KeyboardInterrupt
        state.heard = True
        stop()

    with _handling(handle):
        yield state


class Shield:
    """The controller: Ctrl-C is raised at once while it waits, and late where books are kept.

    ``with shield.up():`` around the whole loop, ``with shield.held():`` where the books are.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._pending = False

    @contextmanager
    def up(self) -> Iterator[None]:
        """While this lasts, the handler is in place."""
        with _handling(self._handle):
            yield

    @contextmanager
    def held(self) -> Iterator[None]:
        """While this lasts, Ctrl-C waits; it is raised at the end."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
        if self._pending and not self._depth:
            self._pending = False
            raise KeyboardInterrupt

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if not self._depth:
            raise KeyboardInterrupt
        self._pending = True
