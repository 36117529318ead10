"""Ctrl-C as a signal, while a terminal is read key by key."""

from __future__ import annotations

import os
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def signalling() -> Iterator[None]:
    """While entered, have the terminal turn Ctrl-C into SIGINT; other keys stay keys.

    A command that computes does not let the event loop read keys: nothing else would end it.
    """
    try:
        number = sys.stdin.fileno()
        before = termios.tcgetattr(number)
    except (OSError, ValueError, termios.error):  # no terminal: there is no such key
        yield
        return
    now = termios.tcgetattr(number)
    off = os.fpathconf(number, "PC_VDISABLE").to_bytes(1, "big")
    now[3] |= termios.ISIG
    for key in (termios.VSUSP, termios.VQUIT):
        now[6][key] = off
    termios.tcsetattr(number, termios.TCSANOW, now)
    try:
        yield
    finally:
        termios.tcsetattr(number, termios.TCSANOW, before)
