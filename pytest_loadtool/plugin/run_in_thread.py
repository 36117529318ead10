"""Running what has an event loop of its own beside another that runs already."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

_T = TypeVar("_T")


def run_apart(work: Callable[[], _T]) -> _T:
    """Call ``work``, which runs an event loop, and return what it does: here, or in a thread if
    this one has a running loop.

    Playwright's synchronous fixtures leave one running between tests.
    """
    if not _is_loop_running():
        return work()
    result: Future[_T] = Future()
    # A daemon: Ctrl-C ends the waiting below, and must end pytest as well.
    threading.Thread(target=_settle, args=(result, work), daemon=True, name="replay").start()
    return result.result()


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _settle(result: Future[_T], work: Callable[[], _T]) -> None:
    try:
        result.set_result(work())
    except BaseException as error:  # whatever it is, it belongs to whoever waits
        result.set_exception(error)
