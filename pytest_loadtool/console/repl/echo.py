"""What the terminal writes of what is typed: nothing while a command of the console runs.

Between two prompts a terminal is as it was found: it would write each key into what is printed.
What is typed then is for the next prompt, which shows it.
"""

from __future__ import annotations

import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

#: The place of the local modes in what `termios.tcgetattr` returns.
_LOCAL = 3


@contextmanager
def echo(*, on: bool) -> Iterator[None]:
    """Have the terminal echo what is typed, or not, while this is entered; nothing without one."""
    try:
        before = termios.tcgetattr(sys.stdin)
    except (termios.error, OSError, ValueError):
        yield
        return
    now = [*before]
    now[_LOCAL] = before[_LOCAL] | termios.ECHO if on else before[_LOCAL] & ~termios.ECHO
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, now)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
