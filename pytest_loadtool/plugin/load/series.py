"""The load tests of a session, one after the other, on whatever workers there are.

Knows pytest's session, and of workers only their names: who carries messages to them is not known
here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from pytest_loadtool.plugin.load.outcome import write_thresholds
from pytest_loadtool.plugin.load.results import RESULTS
from pytest_loadtool.plugin.load.shared import Carrier, Frame, SharedTest


class Series:
    """Leads all workers through the tests, and reports each test once."""

    def __init__(self, session: pytest.Session, carrier: Carrier) -> None:
        self._session = session
        self._config = session.config
        self._carrier = carrier
        self._workers: list[str] = []
        self._nodeids: Sequence[str] = ()
        self._test: SharedTest | None = None
        self._position = -1
        self._early: list[tuple[str, Frame]] = []
        """What workers say of tests that are still to come: some are quicker than others."""
        self._skipping = False

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
        in_time = self._test is not None and self._test.run.join(worker)
        return self._position if in_time else self._position + 1

    def end_silent(self) -> None:
        """End the workers that should make load and have said nothing for too long."""
        if self._test is not None:
            self._test.run.end_silent()

    def hear(self, worker: str, frame: Frame) -> None:
        """A worker's message."""
        nodeid, kind, *fields = frame
        test = self._test
        if test is None or nodeid != test.nodeid:
            self._early.append((worker, frame))
            return
        test.hear(worker, kind, fields)
        self._turn()

    def leave(self, worker: str, nodeid: str) -> None:
        """A worker is through with a test."""
        if self._test is not None and self._test.nodeid == nodeid:
            self._test.run.leave(worker)
            self._turn()

    def lose(self, worker: str) -> None:
        """A worker is gone. In good order when all is finished, else it is missed."""
        if worker in self._workers:
            self._workers.remove(worker)
        if self._test is not None:
            self._test.run.lose(worker)
            self._turn()

    def interrupt(self, receive: Callable[[float], None]) -> None:
        """End the test under way, which will not be reported as a test, and keep its numbers.

        ``receive`` acts on the next message, if one comes within so many seconds.
        """
        test = self._test
        if test is None:
            return
        test.clear_view()
        try:
            test.run.interrupt(receive)
        finally:
            self._test = None
            summary = test.run.summary()
            if summary is not None:
                self._config.stash[RESULTS].append(summary)

    def clear_view(self) -> None:
        """Take the live view away, before somebody else writes to the terminal."""
        if self._test is not None:
            self._test.clear_view()

    # One test after the other.

    def _turn(self) -> None:
        while self._test is not None and self._test.run.over:
            self._finish(self._test)
            self._next_test()

    def _next_test(self) -> None:
        self._position += 1
        if self.finished:
            self._test = None
            return
        nodeid = self._nodeids[self._position]
        self._skipping = bool(self._session.shouldfail or self._session.shouldstop)
        self._test = test = SharedTest(self._config, nodeid, self._workers, self._carrier)
        if self._skipping:
            test.skip()
        early, self._early = self._early, []
        for worker, frame in early:
            self.hear(worker, frame)

    def _finish(self, test: SharedTest) -> None:
        test.clear_view()
        if self._skipping:
            return  # as with any other test after -x: it is not mentioned
        summary = test.run.summary()
        if summary is not None:
            self._config.stash[RESULTS].append(summary)
        test.announce()
        if summary is not None:
            write_thresholds(self._config, summary)
        hook = self._config.hook
        for report in test.reports(summary):
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=test.nodeid, location=test.location)
