"""A coroutine on an event loop of its own, ended in good order even by Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from pytest_loadtool.transport.network import new_event_loop

__all__ = ["run"]

#: How long (seconds) what is still running when all is done may take to be cancelled. Not
#: `asyncio.Runner`, which waits for ever: an application under test may refuse to end.
_PATIENCE = 5.0

_T = TypeVar("_T")


def run(main: Coroutine[Any, Any, _T]) -> _T:
    """Run ``main`` to its end, and what it has started no longer than that.

    Ctrl-C cancels ``main``, which so closes what it has opened; then KeyboardInterrupt is raised. A
    second one cuts that short.
    """
    loop = new_event_loop()
    task = loop.create_task(main)
    try:
        try:
            with _cancelled_by_ctrl_c(task):
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
def _cancelled_by_ctrl_c(task: asyncio.Task[Any]) -> Iterator[None]:
    """Have Ctrl-C cancel ``task``, if it would raise KeyboardInterrupt: an event loop swallows that
    in some callbacks. Without effect outside the main thread, where signals do not arrive."""
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    heard = False

    def handle(_number: int, _frame: object) -> None:
        nonlocal heard
        if heard:
            raise KeyboardInterrupt
        heard = True
        task.cancel()
        task.get_loop().call_soon_threadsafe(lambda: None)  # it may be asleep

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    except asyncio.CancelledError:
        if heard:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


async def _cancel_the_rest() -> None:
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=_PATIENCE)
