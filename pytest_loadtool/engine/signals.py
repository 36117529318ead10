"""The signals that ask a program to end: Ctrl-C, SIGTERM of CI systems and containers, SIGHUP of a
terminal that is closed.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any

from pytest_loadtool.model.hook import by_signal

_Handler = Callable[[int, FrameType | None], object]

#: By signal, what Python does by itself. Windows has no SIGHUP.
_DEFAULTS: dict[int, Any] = {
    getattr(signal, name): default
    for name, default in (
        ("SIGINT", signal.default_int_handler),
        ("SIGTERM", signal.SIG_DFL),
        ("SIGHUP", signal.SIG_DFL),
    )
    if hasattr(signal, name)
}

ENDINGS = tuple(_DEFAULTS)
"""All of them."""

KILLS = tuple(number for number in ENDINGS if number != signal.SIGINT)
"""Those at which Python ends without a word."""


def interruption(number: int) -> KeyboardInterrupt:
    """Return what to raise at a signal; it names those that are not Ctrl-C."""
    if number == signal.SIGINT:
        return by_signal(KeyboardInterrupt())
    return by_signal(KeyboardInterrupt(signal.Signals(number).name))


@contextmanager
def handling(handler: _Handler, numbers: tuple[int, ...] = ENDINGS) -> Iterator[None]:
    """Yield ``handler`` in place of what Python does by itself, or of `interrupting`.

    A signal that is ignored (nohup) or that somebody else handles is left to them. Without effect
    outside the main thread, where signals do not arrive.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in numbers}
    ours = _Ours(handler)
    replaced = {n: one for n, one in before.items() if one is _DEFAULTS[n] or _interrupts(one)}
    try:
        for number in replaced:
            signal.signal(number, ours)
        yield
    finally:
        for number, one in replaced.items():
            if signal.getsignal(number) is ours:  # or else somebody has come who means to stay
                signal.signal(number, one)


def interrupting() -> AbstractContextManager[None]:
    """Have SIGTERM and SIGHUP raise KeyboardInterrupt, as Ctrl-C does by itself."""
    return handling(_interrupt, KILLS)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    raise interruption(number)


def _interrupts(handler: Any) -> bool:
    return isinstance(handler, _Ours) and handler.handler is _interrupt


class _Ours:
    """A handler for this process alone: one that is forked from it ends as if there were none."""

    def __init__(self, handler: _Handler) -> None:
        self.handler = handler
        self._process = os.getpid()

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() == self._process:
            self.handler(number, frame)
        else:
            signal.signal(number, _DEFAULTS[number])
            signal.raise_signal(number)
