"""What is to begin when, on a real event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from time import perf_counter

import pytest

from pytest_loadtool.engine.timer_queue import EARLY, TimerQueue
from pytest_loadtool.transport.connections.network import new_event_loop


class Timers:
    """An event loop that counts the timers that are set at a time."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.most = self.now = 0

    def call_later(self, delay: float, callback: object) -> asyncio.TimerHandle:
        self.now += 1
        self.most = max(self.most, self.now)

        def ring() -> None:
            self.now -= 1
            callback()  # type: ignore[operator]  # of no arguments

        return self.loop.call_later(delay, ring)

    def call_soon(self, callback: object) -> asyncio.Handle:
        return self.loop.call_soon(callback)  # type: ignore[arg-type]  # of no arguments


def begun(
    events: Iterable[tuple[float, int]], broken: int = -1
) -> tuple[list[tuple[float, int]], BaseException | None, int]:
    """Play a queue: when each was begun (by how much too late) in order, the error that ended
    it, and how many timers there were at most."""
    loop = new_event_loop()
    found: list[tuple[float, int]] = []
    ended: asyncio.Future[BaseException | None] = loop.create_future()

    def begin(when: float, number: int) -> None:
        if number == broken:
            raise ZeroDivisionError
        found.append((perf_counter() - when, number))

    timers = Timers(loop)
    queue = TimerQueue(
        timers,  # type: ignore[arg-type]  # as much of a loop as it needs
        iter(events),
        begin,
        lambda: ended.set_result(None),
        ended.set_result,
    )
    loop.call_soon(queue.start)
    try:
        error = loop.run_until_complete(asyncio.wait_for(ended, 120))
    finally:
        loop.close()
    return found, error, timers.most


def test_each_in_its_time_with_one_timer() -> None:
    """In order, none before its time; and ten thousand to come are one timer."""

    def events() -> Iterator[tuple[float, int]]:
        soon = perf_counter() + 0.5  # from when the first is asked for: a slow machine is not late
        yield from ((soon + number / 20_000, number) for number in range(10_000))

    found, error, timers = begun(events())
    assert [number for _, number in found] == list(range(10_000))
    assert min(late for late, _ in found) >= -EARLY
    assert (error, timers) == (None, 1)


def test_many_at_once_let_the_loop_turn() -> None:
    """All that is due at once is begun in several turns, without a timer."""
    now = perf_counter()
    found, error, timers = begun((now, number) for number in range(1000))
    assert [number for _, number in found] == list(range(1000))
    assert (error, timers) == (None, 0)


def test_nothing_to_begin() -> None:
    """That is done at once."""
    assert begun([]) == ([], None, 0)


@pytest.mark.parametrize("after", [0.0, 0.01])
def test_an_error_is_told(after: float) -> None:
    """Event loops would swallow it."""
    now = perf_counter()
    found, error, _ = begun([(now, 0), (now + after, 1), (now + after, 2)], broken=1)
    assert [number for _, number in found] == [0]
    assert isinstance(error, ZeroDivisionError)


def test_a_stopped_queue_begins_nothing() -> None:
    """What is still to come does not come."""

    async def stopped() -> list[int]:
        found: list[int] = []
        loop = asyncio.get_running_loop()
        events = iter([(perf_counter() + 0.01, 1)])
        queue = TimerQueue(loop, events, lambda _when, one: found.append(one), lambda: None, print)
        queue.start()
        queue.stop()
        await asyncio.sleep(0.05)
        return found

    assert asyncio.run(stopped()) == []
