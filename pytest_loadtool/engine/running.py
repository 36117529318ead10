"""A coroutine on an event loop of its own, ended in good order even by Ctrl-C or SIGTERM."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from pytest_loadtool.engine.signals import handling, interruption
from pytest_loadtool.transport.connections.network import new_event_loop

#: How long (seconds) what is still running when all is done may take to be cancelled. Not
#: `asyncio.Runner`, which waits for ever: an application under test may refuse to end.
_PATIENCE = 5.0

_T = TypeVar("_T")


def run(main: Coroutine[Any, Any, _T]) -> _T:
    """Run ``main`` to its end, and what it has started no longer than that.

    Ctrl-C, SIGTERM or SIGHUP cancels ``main``, which so closes what it has opened; then
    KeyboardInterrupt is raised. A second one cuts that short.
    """
    loop = new_event_loop()
    task = loop.create_task(main)
    try:
        try:
            with _cancelled_by_signals(task):
                return loop.run_until_complete(task)
        finally:
            # Somebody else's handler may raise in any callback, and leave the task where it is.
            if not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError):
                    loop.run_until_complete(task)
            loop.run_until_complete(_cancel_the_rest())
    finally:
        loop.close()


@contextmanager
def _cancelled_by_signals(task: asyncio.Task[Any]) -> Iterator[None]:
    """Have signals cancel ``task`` that would raise KeyboardInterrupt or kill: an event loop
    swallows exceptions in some callbacks."""
    heard = 0

    def handle(number: int, _frame: object) -> None:
        nonlocal heard
        if heard:
            raise interruption(number)
        heard = number
        task.cancel()
        task.get_loop().call_soon_threadsafe(lambda: None)  # it may be asleep

    try:
        with handling(handle):
            yield
    except asyncio.CancelledError:
        if heard:
            raise interruption(heard) from None
        raise


async def _cancel_the_rest() -> None:
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=_PATIENCE)
