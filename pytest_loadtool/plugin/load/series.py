"""The load tests of a session, one after the other, on whatever workers there are.

Knows pytest's session and terminal, and of workers only their names: who carries messages to them
is not known here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pytest_loadtool.load.cluster.conductor import Order
from pytest_loadtool.plugin.load.compare import BASELINE
from pytest_loadtool.plugin.load.hints import write_hints
from pytest_loadtool.plugin.load.live import LiveView
from pytest_loadtool.plugin.load.outcome import write_thresholds
from pytest_loadtool.plugin.load.results import RESULTS
from pytest_loadtool.plugin.load.shared import SharedTest

#: A message as it travels: the test's node id, the kind, and what the kind carries.
Frame = tuple[Any, ...]

Send = Callable[[str, Frame], None]

#: Seconds between two looks at a running test.
_BETWEEN_VIEWS = 0.5


class Series:
    """Leads all workers through the tests, and reports each test once."""

    def __init__(self, session: pytest.Session, send: Send) -> None:
        self._session = session
        self._config = session.config
        self._send = send
        self._workers: list[str] = []
        self._nodeids: Sequence[str] = ()
        self._test: SharedTest | None = None
        self._position = -1
        self._early: list[tuple[str, Frame]] = []
        """What workers say of tests that are still to come: some are quicker than others."""
        self._heard_at: dict[str, float] = {}
        self._announced = False
        self._skipping = False
        self._view: LiveView | None = None
        self._next_view = 0.0

    @property
    def finished(self) -> bool:
        """Whether all tests are over."""
        return self._position >= len(self._nodeids)

    def begin(self, nodeids: Sequence[str], workers: Sequence[str]) -> None:
        """Start with the first test. All ``workers`` will run all of ``nodeids``, in this order."""
        self._nodeids = tuple(nodeids)
        self._workers = list(workers)
        self._next_test()
        self._turn()

    def join(self, worker: str) -> int:
        """A worker more; the position of the first test that it can take part in."""
        self._workers.append(worker)
        in_time = self._test is not None and self._test.join(worker)
        return self._position if in_time else self._position + 1

    def silent(self, seconds: float) -> list[str]:
        """The workers that should make load and have said nothing for so long."""
        if self._test is None:
            return []
        before = time.monotonic() - seconds
        return [worker for worker in self._test.busy if self._heard_at[worker] < before]

    def hear(self, worker: str, frame: Frame) -> None:
        """A worker's message."""
        self._heard_at[worker] = time.monotonic()
        nodeid, kind, *fields = frame
        test = self._test
        if test is None or nodeid != test.nodeid:
            self._early.append((worker, frame))
            return
        self._order(test.hear(worker, kind, fields))
        if kind == "ready":
            self._announce(test)
        self._look(test)
        self._turn()

    def leave(self, worker: str, nodeid: str) -> None:
        """A worker is through with a test."""
        if self._test is not None and self._test.nodeid == nodeid:
            self._order(self._test.leave(worker))
            self._turn()

    def lose(self, worker: str) -> None:
        """A worker is gone. In good order when all is finished, else it is missed."""
        if worker in self._workers:
            self._workers.remove(worker)
        if self._test is not None:
            self._order(self._test.lose(worker))
            self._turn()

    def stop(self) -> None:
        """Somebody wants it all to end: what runs is cut short, nothing new begins."""
        if self._test is not None and not self._test.over:
            self._order(self._test.stop(interrupted=self._test.running))

    @property
    def running(self) -> bool:
        """Whether load is being made."""
        return self._test is not None and self._test.running

    def abandon(self) -> None:
        """Keep the numbers of the test under way, which will not be reported as a test."""
        test, self._test = self._test, None
        self.clear_view()
        summary = test.summary() if test is not None else None
        if summary is not None:
            self._config.stash[RESULTS].append(summary)

    def clear_view(self) -> None:
        """Take the live view away, before somebody else writes to the terminal."""
        if self._view is not None:
            self._view.clear()

    # One test after the other.

    def _turn(self) -> None:
        while self._test is not None and self._test.over:
            self._finish(self._test)
            self._next_test()

    def _next_test(self) -> None:
        self._position += 1
        self._announced = False
        self._view = None
        if self.finished:
            self._test = None
            return
        self._test = SharedTest(
            self._nodeids[self._position], self._workers, self._config.stash[BASELINE]
        )
        self._skipping = bool(self._session.shouldfail or self._session.shouldstop)
        if self._skipping:
            self._test.stop()
        early, self._early = self._early, []
        for worker, frame in early:
            self.hear(worker, frame)

    def _finish(self, test: SharedTest) -> None:
        self.clear_view()
        if self._skipping:
            return  # as with any other test after -x: it is not mentioned
        summary = test.summary()
        if summary is not None:
            self._config.stash[RESULTS].append(summary)
        self._announce(test)
        if summary is not None:
            write_thresholds(self._config, summary)
        hook = self._config.hook
        for report in test.reports(self._config, summary):
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=test.nodeid, location=test.location)

    def _announce(self, test: SharedTest) -> None:
        if not self._announced and not self._skipping:
            self._announced = True
            hook = self._config.hook
            hook.pytest_runtest_logstart(nodeid=test.nodeid, location=test.location)
            if test.configuration is not None:
                write_hints(self._config, test.configuration, test.lengths)

    def _look(self, test: SharedTest) -> None:
        if not test.running:
            self.clear_view()
            return
        if self._view is None and test.configuration is not None:
            self._view = LiveView(self._config, test.configuration)
            self._next_view = 0.0
        if self._view is not None and self._view.wanted and time.monotonic() >= self._next_view:
            self._next_view = time.monotonic() + _BETWEEN_VIEWS
            self._view.show(test.glimpse())

    def _order(self, orders: Sequence[Order]) -> None:
        assert self._test is not None
        for order in orders:
            self._send(order.worker, (self._test.nodeid, order.kind, *order.fields))
