"""How far work has got, on a line of a terminal that is written anew and vanishes in the end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from pytest_loadtool.model.progress import Told

#: Seconds before the line comes, and between two of its states.
_FIRST, _NEXT = 1.0, 0.2
#: ECMA-48 §8.3.41: erases the line, from its beginning on.
_ERASED = "\r\x1b[K"


@contextmanager
def told_at(terminal: TextIO) -> Iterator[Told]:
    """Show there what is told. What is done in no time is not shown.

    A thread writes, so that what takes long is seen even while nothing is told of it.
    """
    line, shown, over = "", False, threading.Event()

    def told(doing: str, done: int, of: int) -> None:
        nonlocal line
        line = f"{doing}: {done:,} of {of:,}" if of else doing

    def write() -> None:
        nonlocal shown
        seconds = _FIRST
        while not over.wait(seconds):
            terminal.write(f"{_ERASED}{line}")
            terminal.flush()
            shown, seconds = bool(line), _NEXT

    writer = threading.Thread(target=write, daemon=True, name="progress")
    writer.start()
    try:
        yield told
    finally:
        over.set()
        writer.join()
        if shown:
            terminal.write(_ERASED)
            terminal.flush()
