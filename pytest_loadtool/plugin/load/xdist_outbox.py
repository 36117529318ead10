"""Sending from a worker, in the background."""

from __future__ import annotations

import contextlib
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import execnet


class Outbox:
    """Sends messages in order, from a thread of its own.

    A channel's ``send`` waits while the other side is busy, and what a virtual user waits for must
    be the server, nothing else.
    """

    def __init__(self, channel: execnet.Channel) -> None:
        self._channel = channel
        self._queue: SimpleQueue[tuple[Any, ...] | threading.Event] = SimpleQueue()
        threading.Thread(target=self._send_all, name="loadtool-outbox", daemon=True).start()

    def put(self, message: tuple[Any, ...]) -> None:
        """Send ``message`` (of builtin types) after those put before. Without effect once nobody
        listens any more."""
        self._queue.put(message)

    def flush(self) -> None:
        """Wait until all that was put is sent."""
        sent = threading.Event()
        self._queue.put(sent)
        sent.wait()

    def _send_all(self) -> None:
        while True:
            message = self._queue.get()
            if isinstance(message, threading.Event):
                message.set()
                continue
            # With the controller gone there is nobody to send to; the end marker has said so.
            with contextlib.suppress(OSError):
                self._channel.send(message)
