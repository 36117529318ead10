"""Running what has an event loop of its own beside another that runs already."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future

__all__ = ["run_apart"]


def run_apart(work: Callable[[], object]) -> None:
    """Call ``work``, which runs an event loop: here, or in a thread if this one has a running loop.

    Playwright's synchronous fixtures leave one running between tests.
    """
    if not _is_loop_running():
        work()
        return
    result: Future[object] = Future()
    # A daemon: Ctrl-C ends the waiting below, and must end pytest as well.
    threading.Thread(target=_settle, args=(result, work), daemon=True, name="replay").start()
    result.result()


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _settle(result: Future[object], work: Callable[[], object]) -> None:
    try:
        result.set_result(work())
    except BaseException as error:  # whatever it is, it belongs to whoever waits
        result.set_exception(error)
