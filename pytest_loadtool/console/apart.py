"""Work that has an event loop of its own, beside the console's."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

_T = TypeVar("_T")


def apart(work: Callable[[], _T]) -> asyncio.Future[_T]:
    """Start ``work`` in a thread; what it returns or raises.

    The thread is a daemon: work that the person has given up must not keep the console from ending.
    """
    result: Future[_T] = Future()

    def settle() -> None:
        result.set_running_or_notify_cancel()  # from here on it has an outcome
        try:
            outcome = work()
        except BaseException as error:  # whatever it is, it belongs to whoever waits
            result.set_exception(error)
        else:
            result.set_result(outcome)

    threading.Thread(target=settle, daemon=True, name="replay").start()
    return asyncio.wrap_future(result)
