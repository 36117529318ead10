"""The controller of pytest-xdist workers in a session of load tests.

What workers say arrives in execnet's threads and is only queued there: a slow callback would hold
up the worker that speaks. It is acted on in the main thread, where xdist calls the scheduler.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Generator
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest

from pytest_loadtool.plugin.load.interrupt import Shield
from pytest_loadtool.plugin.load.series import Frame, Series
from pytest_loadtool.plugin.load.xdist_scheduler import WAKE_UP, LoadTestScheduling
from pytest_loadtool.plugin.load.xdist_worker import CHANNEL

if TYPE_CHECKING:
    import execnet
    from xdist.workermanage import WorkerController

#: Seconds that workers have after Ctrl-C to send what they have measured.
_PATIENCE = 5.0

#: Seconds after which a worker that should make load, and says nothing, is given up. It speaks each
#: second, unless something blocks its event loop: a regular expression that never ends, say.
SILENCE = 30.0

#: Seconds between two looks for silent workers.
_PULSE = 1.0


class LoadController:
    """The plugin of the controller: channels to the workers, and what becomes of Ctrl-C."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._nodes: dict[str, WorkerController] = {}
        self._channels: dict[str, execnet.Channel] = {}
        self._heard: SimpleQueue[tuple[str, Frame | None]] = SimpleQueue()
        self._shield = Shield()
        self._session: pytest.Session | None = None
        self._series: Series | None = None
        self._scheduling: LoadTestScheduling | None = None
        self._crashed = False
        """Whether a worker has, and xdist has still to say what follows."""
        # A generator that crashed is not replaced unless asked for: those that are left take the
        # whole load of the next test. xdist by itself would start up to four for each worker.
        if config.option.maxworkerrestart is None:
            config.option.maxworkerrestart = "0"

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Remember the session."""
        self._session = session

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        """Give the worker a channel. It travels in the worker's input like any other value."""
        channel = node.gateway.newchannel()
        self._nodes[node.gateway.id] = node
        self._channels[node.gateway.id] = channel
        channel.setcallback(partial(self._receive, node), endmarker=None)
        node.workerinput[CHANNEL] = channel

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config) -> LoadTestScheduling:
        """Every worker takes part in every test."""
        from xdist.workermanage import parse_tx_spec_config

        assert self._session is not None
        self._series = Series(self._session, self._send)
        expected = len(parse_tx_spec_config(config))
        scheduling = LoadTestScheduling(self._session, self._series, expected, self._attend)
        self._scheduling = scheduling
        xdist: Any = config.pluginmanager.get_plugin("dsession")
        send_home = xdist.triggershutdown

        def send_home_unless_forgiven() -> None:
            crashed, self._crashed = self._crashed, False
            if not (crashed and scheduling.go_on_without()):
                send_home()

        # xdist sends all workers home when one crashes that is not to be replaced, and has no hook
        # for that. Before the start nothing is lost with it.
        xdist.triggershutdown = send_home_unless_forgiven
        return scheduling

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_testnodedown(self, error: object) -> None:
        """Remember what comes, and make room for what xdist writes now."""
        self._crashed = error is not None
        if self._series is not None:
            self._series.clear_view()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """See to it that whatever ends the session, the numbers are kept."""
        over = threading.Event()
        threading.Thread(
            target=self._pulse, args=(over,), name="loadtool-pulse", daemon=True
        ).start()
        with self._shield.up():
            try:
                result = yield
            except BaseException:
                self._wind_up()
                raise
            finally:
                over.set()
        assert self._session is not None
        if self._scheduling is None or not self._scheduling.begun:
            self._session.shouldfail = "no load test was run: workers ended while they collected"
            raise self._session.Failed(self._session.shouldfail)
        return result

    def _receive(self, node: WorkerController, frame: Frame | None) -> None:
        """A message of a worker, or None at the end of its connection. Not in the main thread."""
        self._heard.put((node.gateway.id, frame))
        _wake_up(node)

    def _pulse(self, over: threading.Event) -> None:
        """Wake the main thread up now and then, though nobody says anything. Not in that thread."""
        while not over.wait(_PULSE):
            for node in list(self._nodes.values())[:1]:
                _wake_up(node)

    def _attend(self) -> None:
        """Act on all that workers have said, or not said. Ctrl-C has to wait that long."""
        with self._shield.held():
            with contextlib.suppress(Empty):
                while True:
                    self._act_on(*self._heard.get_nowait())
            assert self._series is not None
            for worker in self._series.silent(SILENCE):
                _kill(self._nodes[worker])

    def _act_on(self, worker: str, frame: Frame | None) -> None:
        assert self._series is not None
        if frame is None:
            self._series.lose(worker)
        else:
            self._series.hear(worker, frame)

    def _send(self, worker: str, frame: Frame) -> None:
        # One that is gone is heard of by the end of its connection.
        with contextlib.suppress(OSError):
            self._channels[worker].send(frame)

    def _wind_up(self) -> None:
        """Stop the load, and wait for what was measured. A second Ctrl-C ends the waiting."""
        series = self._series
        if series is None:
            return
        series.clear_view()
        series.stop()
        deadline = time.monotonic() + _PATIENCE
        try:
            while series.running and (left := deadline - time.monotonic()) > 0:
                with contextlib.suppress(Empty):
                    self._act_on(*self._heard.get(timeout=left))
        finally:
            series.abandon()


def _wake_up(node: WorkerController) -> None:
    """Have the scheduler called in the main thread.

    xdist has no hook for that. A test that is complete makes it call the scheduler, and no test has
    this index.
    """
    node.notify_inproc("runtest_protocol_complete", node=node, item_index=WAKE_UP, duration=0.0)


def _kill(node: WorkerController) -> None:
    """End a worker that does not listen. Its loss is then noticed like any other.

    Only on this machine; one elsewhere is left to whoever sees that nothing happens.
    """
    if node.gateway.spec.popen and not node.gateway.spec.via:
        with contextlib.suppress(ProcessLookupError):
            os.kill(node.gateway._rinfo().pid, signal.SIGKILL)
