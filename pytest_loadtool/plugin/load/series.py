"""The load tests of a session, one after the other, on whatever workers there are.

Each is a `LoadRun`, and is reported to pytest once. Workers are known by their names alone: who
carries messages to them is not known here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import pytest

from pytest_loadtool.casefile import read_load
from pytest_loadtool.engine.run import LoadRun
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.load.cluster.conductor import Phase
from pytest_loadtool.model.length import Length
from pytest_loadtool.plugin.load.compare import BASELINE
from pytest_loadtool.plugin.load.explained import LoadResult, explained
from pytest_loadtool.plugin.load.hints import write_hints
from pytest_loadtool.plugin.load.live import LivePage, LiveView, shown_on
from pytest_loadtool.plugin.load.outcome import add_outcome, add_text, ending, write_thresholds
from pytest_loadtool.plugin.load.results import RESULTS, failure_text, properties
from pytest_loadtool.plugin.load.telemetry import TELEMETRY
from pytest_loadtool.plugin.load_overrides import overrides_of
from pytest_loadtool.plugin.paths import shown_error
from pytest_loadtool.plugin.report_failure import WrappedText

Location = tuple[str, int | None, str]

#: A message as it travels: the test's node id, the kind, and what the kind carries.
Frame = tuple[Any, ...]


class SharedWorkers(Protocol):
    """The workers of several tests, as `Workers` are those of one."""

    def send(self, worker: str, frame: Frame) -> None:
        """Send a message. Without effect on a worker that is gone."""

    def end(self, worker: str) -> None:
        """End a worker that does not listen."""


class Series:
    """Leads all workers through the tests, and reports each test once."""

    def __init__(self, session: pytest.Session, carrier: SharedWorkers) -> None:
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
        """Return whether all tests are over."""
        return self._position >= len(self._nodeids)

    def begin(self, nodeids: Sequence[str], workers: Sequence[str]) -> None:
        """Start with the first test. All ``workers`` will run all of ``nodeids``, in this order."""
        self._nodeids = tuple(nodeids)
        self._workers = list(workers)
        self._next_test()
        self._turn()

    def join(self, worker: str) -> int:
        """Return a worker more; the position of the first test that it can take part in."""
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
            result = test.result()
            if result is not None:
                self._config.stash[RESULTS].append(result)

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
        result = test.result()
        if result is not None:
            self._config.stash[RESULTS].append(result)
        test.announce()
        if result is not None:
            write_thresholds(self._config, result.summary)
        hook = self._config.hook
        for report in test.reports(result):
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=test.nodeid, location=test.location)


class SharedTest:
    """The test ``nodeid``, which ``run`` makes on these workers; it is their `Workers`."""

    def __init__(
        self, config: pytest.Config, nodeid: str, workers: Iterable[str], carrier: SharedWorkers
    ) -> None:
        self.nodeid = nodeid
        self.location: Location = (nodeid.partition("::")[0], 0, nodeid.rpartition("::")[2])
        self.run = LoadRun(self, workers)
        self._config = config
        self._carrier = carrier
        self._announced = False
        self._ended = False
        """Whether the leader knows how it ended."""
        self._view: LiveView | None = None
        self._reports: list[dict[str, Any]] = []
        self._path: Path | None = None
        self._result: LoadResult | None = None
        self._problem: LoadToolError | None = None
        self._begun = time.time()

    # As the `Workers` of its run.

    def send(self, worker: str, kind: str, *fields: Any) -> None:
        """Send an order, with the test that it is about; to the leader also how it ended: plugins
        such as Allure write what they report in the workers."""
        if kind == "release" and (result := self.result()) is not None:
            self._ended = True
            fields = (*fields, *ending(result))
        self._carrier.send(worker, (self.nodeid, kind, *fields))

    def end(self, worker: str) -> None:
        """End a worker."""
        self._carrier.end(worker)

    # What happens to it.

    def hear(self, worker: str, kind: str, fields: Sequence[Any]) -> None:
        """Act on a worker's message."""
        if kind == "reports":
            self._reports = json.loads(fields[0])
        elif kind == "ready":
            if not self._announced:
                self._introduce(*fields)
            self.run.hear(worker, kind)
        else:
            self.run.hear(worker, kind, *fields)
        if not self.run.running:
            self.clear_view()

    def skip(self) -> None:
        """Do not run it, nor mention it."""
        self._announced = True
        self.run.stop()

    def announce(self) -> None:
        """Have pytest write that it begins, unless it has."""
        if not self._announced:
            self._announced = True
            hook = self._config.hook
            hook.pytest_runtest_logstart(nodeid=self.nodeid, location=self.location)

    def clear_view(self) -> None:
        """Take the live view away, before somebody else writes to the terminal."""
        if self._view is not None:
            self._view.clear()

    def _introduce(
        self, path: str, location: Sequence[Any], lengths: Iterable[Sequence[Any]] = ()
    ) -> None:
        """The first worker says what the test is. The controller itself has collected nothing."""
        file, line, name = location
        self.location = (file, line, name)
        try:
            self._path = Path(path)
            configuration = read_load(self._path, overrides=overrides_of(self._config))
            baseline = self._config.stash[BASELINE]
            earlier = baseline.of(configuration.name)  # says now if it has none
        except LoadToolError as error:
            self._problem = error
            self.run.stop()
            self.announce()
            return
        self.announce()
        known = [(name, Length(*values)) for name, *values in lengths]
        write_hints(self._config, configuration, known)
        self._view = view = LiveView(self._config, configuration)
        self.run.introduce(
            configuration,
            lengths=[length for _, length in known],
            baseline=earlier,
            tolerance=baseline.tolerance,
            show=shown_on(view, LivePage(self._config, configuration)),
            listeners=self._config.stash[TELEMETRY].senders(configuration.name),
        )

    # What came of it.

    def result(self) -> LoadResult | None:
        """Return what came of it, if load was made."""
        if self._result is None and self._path is not None:
            summary = self.run.summary()
            if summary is not None:
                self._result = explained(summary, self._path, self._config)
        return self._result

    def reports(self, result: LoadResult | None) -> list[pytest.TestReport]:
        """Return one set of reports for pytest, whatever the number of workers."""
        leader = {report.when: report for report in self._leaders_reports()}
        setup = leader.get("setup") or self._report("setup", "passed")
        phases = [setup]
        if setup.passed and ("call" in leader or not leader):  # or else it is --setup-only
            call = leader.get("call")
            if call is None or not call.failed or self._ended:
                text = self._not_run() if result is None else failure_text(result)
                call = self._call(text, call)
            if result is not None:
                add_text(call, result)
                add_outcome(call, result.summary)
            phases.append(call)
        phases.append(leader.get("teardown") or self._teardown())
        if result is not None:
            phases[-1].user_properties += properties(result.summary)
        return phases

    def _call(self, text: str | None, leaders: pytest.TestReport | None) -> pytest.TestReport:
        report = self._report("call", "passed" if text is None else "failed", text)
        if leaders is not None:
            report.start, report.stop, report.duration = (
                leaders.start,
                leaders.stop,
                leaders.duration,
            )
        return report

    def _teardown(self) -> pytest.TestReport:
        conductor = self.run.conductor
        leader = conductor.leader
        if leader is None or conductor.lost.get(leader) is not Phase.CLOSING:
            return self._report("teardown", "passed")
        text = f"worker {leader} was lost before the fixtures were torn down"
        return self._report("teardown", "failed", text)

    def _not_run(self) -> str:
        problem = "" if self._problem is None else shown_error(self._problem, self._config)
        refusals = dict.fromkeys(self.run.conductor.refusals.values())
        if problem or refusals:
            return "\n".join([*filter(None, [problem]), *refusals])
        lost = ", ".join(self.run.conductor.lost) or "none was left"
        return f"not run: no worker is left to make the load (lost: {lost})"

    def _report(
        self,
        when: Literal["setup", "call", "teardown"],
        outcome: Literal["passed", "failed", "skipped"],
        text: str | None = None,
    ) -> pytest.TestReport:
        now = time.time()
        started = self.run.started
        began = started.timestamp() if started else self._begun
        start = began if when == "call" else now
        return pytest.TestReport(
            self.nodeid,
            self.location,
            {},
            outcome,
            text if text is None or isinstance(text, WrappedText) else WrappedText(text),
            when,
            duration=now - start,
            start=start,
            stop=now,
        )

    def _leaders_reports(self) -> list[pytest.TestReport]:
        hook = self._config.hook
        return [
            hook.pytest_report_from_serializable(config=self._config, data=_with_tuples(data))
            for data in self._reports
        ]


def _with_tuples(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report as it was before it was JSON: pytest and other plugins tell tuples from
    lists."""
    revived = {
        name: tuple(value)
        if name in ("location", "longrepr") and isinstance(value, list)
        else value
        for name, value in report.items()
    }
    for name in ("sections", "user_properties"):
        revived[name] = [tuple(pair) for pair in report.get(name, ())]
    return revived
