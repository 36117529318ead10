"""The controller of pytest-xdist workers in a session of load tests, and its scheduler.

All tests are sent to all workers at once: that they begin together, and what each does in a test,
is settled over the load test's own channels.

What workers say arrives in execnet's threads and is only queued there: a slow callback would hold
up the worker that speaks. It is acted on in the main thread, where xdist calls the scheduler.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import pytest

from pytest_loadtool.load.cluster.clocks import Clocks
from pytest_loadtool.plugin.load.interrupt import Shield
from pytest_loadtool.plugin.load.series import Frame, Series
from pytest_loadtool.plugin.load.xdist_worker import CHANNEL
from pytest_loadtool.plugin.private import (
    ask_before_shutdown,
    call_scheduler,
    is_here,
    process_of,
    workers_of,
)

if TYPE_CHECKING:
    import execnet
    from xdist.workermanage import WorkerController

#: Seconds between two looks for silent workers.
_PULSE = 1.0


class LoadController:
    """The plugin of the controller: channels to the workers, and what becomes of Ctrl-C.

    It is the `SharedWorkers` of its series.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._nodes: dict[str, WorkerController] = {}
        self._channels: dict[str, execnet.Channel] = {}
        self._heard: SimpleQueue[tuple[str, float, Frame | None]] = SimpleQueue()
        self._clocks = Clocks()
        self._held: dict[str, Frame] = {}
        """That a worker on another machine is ready, until it is known how far its clock is off."""
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
        """Return a scheduler by which every worker takes part in every test."""
        assert self._session is not None
        self._series = Series(self._session, self)
        scheduling = LoadTestScheduling(
            self._session, self._series, workers_of(config), self._attend
        )
        self._scheduling = scheduling

        def forgiven() -> bool:  # before the start nothing is lost with a worker that crashes
            crashed, self._crashed = self._crashed, False
            return crashed and scheduling.go_on_without()

        ask_before_shutdown(config, forgiven)
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
                if self._series is not None:
                    self._series.interrupt(self._attend_one)
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
        self._heard.put((node.gateway.id, time.time(), frame))
        call_scheduler(node)

    def _pulse(self, over: threading.Event) -> None:
        """Wake the main thread up now and then, though nobody says anything. Not in that thread."""
        while not over.wait(_PULSE):
            for node in list(self._nodes.values())[:1]:
                call_scheduler(node)

    def _attend(self) -> None:
        """Act on all that workers have said, or not said. Ctrl-C has to wait that long."""
        with self._shield.held():
            with contextlib.suppress(Empty):
                while True:
                    self._act_on(*self._heard.get_nowait())
            assert self._series is not None
            self._series.end_silent()

    def _attend_one(self, seconds: float) -> None:
        """Act on the next that a worker says, if one does within so many seconds."""
        with contextlib.suppress(Empty):
            self._act_on(*self._heard.get(timeout=seconds))

    def _act_on(self, worker: str, at: float, frame: Frame | None) -> None:
        assert self._series is not None
        match frame:
            case None:
                self._series.lose(worker)
            case (nodeid, "ready", *_) if not is_here(self._nodes[worker]):
                self._held[worker] = frame
                self.send(worker, (nodeid, "ping", self._clocks.ask(worker, time.time())))
            case (nodeid, "pong", number, theirs):
                following = self._clocks.answered(worker, number, theirs, at)
                if following is None:
                    self._series.hear(worker, self._held.pop(worker))
                else:
                    self.send(worker, (nodeid, "ping", following))
            case _:
                self._series.hear(worker, frame)

    def send(self, worker: str, frame: Frame) -> None:
        """Send a message; a start is by the clock of who starts. One that is gone is heard of by
        the end of its connection."""
        if frame[1] == "go":
            nodeid, kind, start = frame
            frame = (nodeid, kind, self._clocks.there(worker, start))
        with contextlib.suppress(OSError):
            self._channels[worker].send(frame)

    def end(self, worker: str) -> None:
        """End a worker that does not listen, or what leads to one on another machine: it ends by
        itself then."""
        if process := process_of(self._nodes[worker]):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


class LoadTestScheduling:
    """Tells xdist that every worker takes part in every test: see `xdist.scheduler.protocol`.

    ``attend`` acts on what workers have said so far; ``expected`` is how many will come.
    """

    def __init__(
        self, session: pytest.Session, series: Series, expected: int, attend: Callable[[], None]
    ) -> None:
        self._session = session
        self._series = series
        self._expected = expected
        self._attend = attend
        self._collections: dict[WorkerController, Sequence[str]] = {}
        self._nodes: list[WorkerController] = []
        self._scheduled: set[WorkerController] = set()
        self._nodeids: Sequence[str] | None = None

    @property
    def nodes(self) -> list[WorkerController]:
        """The workers."""
        return list(self._nodes)

    @property
    def collection_is_completed(self) -> bool:
        """Return whether all workers have said which tests they have."""
        return self._nodeids is not None or len(self._collections) >= self._expected

    @property
    def begun(self) -> bool:
        """Return whether there ever was anything to do."""
        return self._nodeids is not None

    @property
    def tests_finished(self) -> bool:
        """Return whether nothing is left to do."""
        return self._nodeids is not None and self._series.finished

    @property
    def has_pending(self) -> bool:
        """Return whether workers are at work."""
        return self._nodeids is not None and not self._series.finished

    def go_on_without(self) -> bool:
        """Note that a worker is lost, and not replaced; return whether the others go on. They do
        before the start, and take the whole load.

        Raises:
            pytest.Session.Interrupted: as `schedule`, which may have waited for that worker only.
        """
        if self.begun or self._expected <= 1:
            return False
        self._expected -= 1
        if self.collection_is_completed:
            self.schedule()
        return True

    def add_node(self, node: WorkerController) -> None:
        """A worker has come up."""
        self._nodes.append(node)

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """A worker has collected."""
        self._collections[node] = tuple(collection)

    def schedule(self) -> None:
        """Run the tests once all workers have collected, or one more has.

        Raises:
            pytest.Session.Interrupted: files are wrong, so that nothing is run; as without workers.
        """
        self._attend()
        if self._nodeids is None:
            self._refuse_after_errors()
            first, *_ = self._collections.values()
            nodes = [
                node for node in sorted(self._nodes, key=_by_name) if self._agrees(node, first)
            ]
            self._nodeids = first
            for node in nodes:
                self._send(node, 0)
            self._series.begin(first, [node.gateway.id for node in nodes])
            return
        late = [node for node in self._collections if node not in self._scheduled]
        for node in late:
            if self._agrees(node, self._nodeids):
                self._send(node, self._series.join(node.gateway.id))

    def mark_test_complete(
        self,
        node: WorkerController,
        item_index: int,
        duration: float = 0,  # noqa: ARG002 - xdist's signature
    ) -> None:
        """A worker is through with a test."""
        self._attend()
        if self._nodeids is not None:
            self._series.leave(node.gateway.id, self._nodeids[item_index])

    def mark_test_pending(self, item: str) -> None:
        """Refused: a load test is not run twice because a worker was lost."""
        raise NotImplementedError

    def remove_pending_tests_from_node(
        self,
        node: WorkerController,  # noqa: ARG002 - xdist's signature
        indices: Sequence[int],
    ) -> None:
        """Act on what workers have said: the controller calls this so, without any test.

        No worker takes over from another, so none ever gives one back.
        """
        assert not indices
        self._attend()

    def remove_node(self, node: WorkerController) -> None:
        """A worker is gone. Never names a test to report as crashed: the verdict says it.

        Raises:
            KeyError: it never came up.
        """
        self._attend()
        self._series.lose(node.gateway.id)
        if node not in self._nodes:
            raise KeyError(node)
        self._nodes.remove(node)
        self._collections.pop(node, None)

    def _send(self, node: WorkerController, first: int) -> None:
        assert self._nodeids is not None
        self._scheduled.add(node)
        if first < len(self._nodeids):
            node.send_runtest_some(list(range(first, len(self._nodeids))))
        # With the end in its queue a worker does not hold its last test back.
        node.shutdown()

    def _agrees(self, node: WorkerController, nodeids: Sequence[str]) -> bool:
        """Return whether a worker has collected the same as the others. One that has not is sent
        home."""
        if self._collections[node] == nodeids:
            return True
        name = node.gateway.id
        text = (
            f"worker {name} has other load tests than the first worker: "
            f"{', '.join(self._collections[node])} and not {', '.join(nodeids)}. "
            "Do all workers see the same files?"
        )
        report = pytest.CollectReport(nodeid=name, outcome="failed", longrepr=text, result=[])
        self._session.config.hook.pytest_collectreport(report=report)
        self._scheduled.add(node)
        node.shutdown()
        return False

    def _refuse_after_errors(self) -> None:
        errors = self._session.testsfailed
        if errors and not self._session.config.option.continue_on_collection_errors:
            noun = "error" if errors == 1 else "errors"
            raise self._session.Interrupted(f"{errors} {noun} during collection")


def _by_name(node: WorkerController) -> tuple[int, str]:
    """Return what sorts gw2 before gw10; which worker comes up first is chance."""
    return len(node.gateway.id), node.gateway.id
