"""How a program has ended, in words."""

from __future__ import annotations

import signal


def ended(status: int) -> str:
    """``ended with exit status 1``; a negative status is the signal that ended it."""
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with exit status {status}"
