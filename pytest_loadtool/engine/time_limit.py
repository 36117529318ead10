"""Functions of a project that take too long are stopped.

In the main thread a timer's signal does that wherever they are, also in what waits for the network;
elsewhere an exception reaches them as soon as they run Python again.
"""

from __future__ import annotations

import asyncio
import ctypes
import inspect
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from pytest_loadtool.model.hook import PATIENCE, TookTooLongError


def limited(call: Callable[..., object]) -> Callable[..., object]:
    """Return ``call``, stopped by `TookTooLongError` after `PATIENCE`.

    What it returns to be awaited is stopped likewise, and so is each of its turns on the event
    loop: the exception says where it was.
    """

    def bounded(**arguments: Any) -> object:
        with _limit():
            result = call(**arguments)
        return _awaited(result) if inspect.iscoroutine(result) else result

    return bounded


async def _awaited(work: Coroutine[Any, Any, object]) -> object:
    """Return what ``work`` does; raise what it raises. One that does not end even when it is
    cancelled is left behind."""
    raised: list[BaseException] = []

    async def kept() -> object:
        try:
            return await _Turns(work)
        except BaseException as error:  # event loops end by some of them
            raised.append(error)
            return None

    task = asyncio.create_task(kept())
    try:
        await asyncio.wait([task], timeout=PATIENCE)
        if not task.done():
            error = TookTooLongError()
            error.line = _line_of(work)
            raise error
    finally:
        task.cancel()
    if raised:
        raise raised[0]
    return task.result()


def _line_of(work: Coroutine[Any, Any, object]) -> int:
    frame = work.cr_frame if inspect.iscoroutine(work) else None
    return frame.f_lineno if frame is not None else 0


class _Turns(Awaitable[object]):
    """A coroutine each of whose turns is limited."""

    def __init__(self, work: Coroutine[Any, Any, object]) -> None:
        self._work = work

    def __await__(self) -> Generator[Any, Any, object]:
        event: Any = None
        error: BaseException | None = None
        while True:
            try:
                with _limit():
                    waited = self._work.send(event) if error is None else self._work.throw(error)
            except StopIteration as end:
                return end.value
            event = error = None
            try:
                event = yield waited
            except BaseException as thrown:
                error = thrown


def _limit() -> AbstractContextManager[None]:
    here = threading.current_thread() is threading.main_thread()
    return _by_signal() if here and hasattr(signal, "setitimer") else _by_thread()


@contextmanager
def _by_signal() -> Iterator[None]:
    """Raise in the main thread. A timer of somebody else's that rings earlier is left alone."""
    set_timer, timer = signal.setitimer, signal.ITIMER_REAL
    left, every = signal.getitimer(timer)
    if 0 < left <= PATIENCE:
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    set_timer(timer, PATIENCE)
    try:
        yield
    finally:
        rest, _ = set_timer(timer, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            set_timer(timer, max(left - (PATIENCE - rest), 1e-6), every)


def _ring(_number: int, _frame: object) -> None:
    raise TookTooLongError


@contextmanager
def _by_thread() -> Iterator[None]:
    """Raise in this thread from another one."""
    ident, ended, lock = threading.get_ident(), False, threading.Lock()

    def ring() -> None:
        with lock:
            if not ended:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(ident), ctypes.py_object(TookTooLongError)
                )

    clock = threading.Timer(PATIENCE, ring)
    clock.daemon = True
    clock.start()
    try:
        yield
    finally:
        with lock:
            ended = True
        clock.cancel()
