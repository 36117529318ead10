"""A worker of pytest-xdist in a load test: what carries the messages of its `engine.worker.Worker`.

Messages both ways are tuples ``(node id, kind, field, …)``; `load.cluster.conductor` has their
order. Nothing is reported to pytest from here, or there would be one result for each worker.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
import traceback
from collections.abc import Callable, Generator
from dataclasses import astuple
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest

from pytest_loadtool.engine.prepare.share import prepare
from pytest_loadtool.engine.signals import KILLS
from pytest_loadtool.engine.worker import Worker
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.plugin.load.interrupt import deaf
from pytest_loadtool.plugin.load.item import LoadItem
from pytest_loadtool.plugin.load.outcome import Ending, end
from pytest_loadtool.plugin.paths import shown_error
from pytest_loadtool.plugin.private import run_phases
from pytest_loadtool.plugin.run_in_thread import run_apart

if TYPE_CHECKING:
    import execnet

#: Where the controller puts the channel in ``workerinput``.
CHANNEL = "loadtool_channel"

_Frame = tuple[Any, ...]


class LoadWorker:
    """The plugin of a worker, and its engine."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        channel: execnet.Channel = config.workerinput[CHANNEL]  # type: ignore[attr-defined]
        self._inbox: SimpleQueue[_Frame | None] = SimpleQueue()
        self._outbox = _Outbox(channel)
        self._worker: Worker | None = None
        # The end marker comes at once when the controller dies. execnet by itself would let the
        # load run on for 15 seconds.
        channel.setcallback(self._receive, endmarker=None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Have no summary: nobody sees a worker's, and plugins take their time for it, which is
        what a person waits for after Ctrl-C. SIGTERM and SIGHUP are the controller's: a terminal
        that is closed sends them to all."""
        try:
            with deaf(KILLS):
                return (yield)
        finally:
            manager = self._config.pluginmanager
            if manager.has_plugin("terminalreporter"):
                manager.unregister(name="terminalreporter")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        """Take part in a load test, in whatever way the controller says."""
        if not isinstance(item, LoadItem):
            return None
        self._worker = Worker(
            partial(prepare, item.load_test),
            partial(self._next, item),
            partial(self._tell, item),
            self._text,
            self._making_load,
        )
        lengths = [(name, *astuple(length)) for name, length in item.load_test.lengths]
        self._tell(item, "ready", str(item.path), tuple(item.location), lengths)
        if self._worker.take_part() == "lead":
            reports = run_phases(item, nextitem)
            self._tell(item, "reports", self._packed(reports))
        self._outbox.flush()
        return True

    def run(self, item: LoadItem, servers: tuple[str, ...]) -> None:
        """Lead the test, with the fixtures set up: take part like the others, and keep the fixtures
        until all have finished."""
        assert self._worker is not None
        self._tell(item, "prepared", servers)
        if self._worker.take_part() == "ran":
            with deaf():
                _, *ended = self._next(item)  # "release", or "skip" where nobody leads any more
            if ended:
                end(item, Ending(*ended))

    def _making_load(self, make_load: Callable[[], None]) -> None:
        """Beside an event loop that a fixture has left running; signals are the controller's."""
        with deaf():
            run_apart(make_load)
            self._outbox.flush()

    # Messages.

    def _receive(self, frame: _Frame | None) -> None:
        """A message, or None at the end of the connection. Called in execnet's own thread."""
        if frame is not None and frame[1] == "ping":
            nodeid, _, number = frame
            self._outbox.put((nodeid, "pong", number, time.time()))
            return
        worker = self._worker
        if worker is not None and (frame is None or frame[1] == "stop"):
            worker.stop()
        self._inbox.put(frame)

    def _next(self, item: LoadItem) -> _Frame:
        """Return the next message about ``item`` for the main thread: its kind and fields."""
        while True:
            frame = self._inbox.get()
            if frame is None:
                self._inbox.put(None)  # it holds for all that comes
                return ("skip",)
            nodeid, kind, *fields = frame
            if nodeid == item.nodeid and kind != "stop":
                return kind, *fields

    def _tell(self, item: LoadItem, kind: str, *fields: object) -> None:
        self._outbox.put((item.nodeid, kind, *fields))

    def _packed(self, reports: list[pytest.TestReport]) -> bytes:
        """Return reports as JSON: execnet would refuse much of what fixtures can put into them."""
        hook = self._config.hook
        data = [
            hook.pytest_report_to_serializable(config=self._config, report=one) for one in reports
        ]
        return json.dumps(data, default=str).encode()

    def _text(self, error: Exception) -> str:
        """Return what to tell the user: all there is, if the error is none of those foreseen."""
        if isinstance(error, LoadToolError):
            text = shown_error(error, self._config)
        else:
            text = "".join(traceback.format_exception(error))
        return text.encode(errors="replace").decode()  # execnet refuses lone surrogates


class _Outbox:
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
