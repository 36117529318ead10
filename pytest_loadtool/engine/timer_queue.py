"""What is to begin when, with one timer for all of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Generic, TypeVar

T = TypeVar("T")

#: Event loops' timers count in whole milliseconds and may ring up to one early (here in seconds).
#: Waiting once more would make late what can be done now.
EARLY = 0.001

#: How many are begun in one turn of the event loop. Answers come in between.
_AT_ONCE = 64


class TimerQueue(Generic[T]):
    """Calls ``begin(when, item)`` for each of ``events``, which are in order, at its time.

    Times are of ``perf_counter``. ``done`` is called after the last; ``fail`` instead, when
    ``begin`` or ``events`` raise something, which an event loop would swallow.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        events: Iterator[tuple[float, T]],
        begin: Callable[[float, T], None],
        done: Callable[[], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        self._loop = loop
        self._events = events
        self._begin = begin
        self._done = done
        self._fail = fail
        self._next: tuple[float, T] | None = None
        self._handle: asyncio.Handle | None = None

    def start(self) -> None:
        """Begin what is due by now, and the rest in its time."""
        try:
            self._next = next(self._events, None)
            self._turn()
        except BaseException as error:
            self._fail(error)

    def stop(self) -> None:
        """Begin nothing more."""
        if self._handle is not None:
            self._handle.cancel()

    def _go_on(self) -> None:
        try:
            self._turn()
        except BaseException as error:
            self._fail(error)

    def _turn(self) -> None:
        now = perf_counter()
        for _ in range(_AT_ONCE):
            if self._next is None:
                self._done()
                return
            when, item = self._next
            if when > now + EARLY:
                self._handle = self._loop.call_later(when - now, self._go_on)
                return
            self._begin(when, item)
            self._next = next(self._events, None)
        self._handle = self._loop.call_soon(self._go_on)
