"""One load test over several workers, as pytest is told of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import pytest

from pytest_loadtool.casefile import read_load
from pytest_loadtool.engine.run import LoadRun
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.load import Summary
from pytest_loadtool.load.cluster.conductor import Phase
from pytest_loadtool.model.length import Length
from pytest_loadtool.plugin.load.compare import BASELINE
from pytest_loadtool.plugin.load.hints import write_hints
from pytest_loadtool.plugin.load.live import LiveView
from pytest_loadtool.plugin.load.outcome import add_outcome
from pytest_loadtool.plugin.load.results import failure_text, properties
from pytest_loadtool.plugin.paths import shown_error
from pytest_loadtool.plugin.report_failure import WrappedText

Location = tuple[str, int | None, str]

#: A message as it travels: the test's node id, the kind, and what the kind carries.
Frame = tuple[Any, ...]


class Carrier(Protocol):
    """What carries messages to workers that take part in several tests."""

    def send(self, worker: str, frame: Frame) -> None:
        """Send a message. Without effect on a worker that is gone."""

    def end(self, worker: str) -> None:
        """End a worker that does not listen."""


class SharedTest:
    """The test ``nodeid``, which ``run`` makes on these workers; it is their `Workers`."""

    def __init__(
        self, config: pytest.Config, nodeid: str, workers: Iterable[str], carrier: Carrier
    ) -> None:
        self.nodeid = nodeid
        self.location: Location = (nodeid.partition("::")[0], 0, nodeid.rpartition("::")[2])
        self.run = LoadRun(self, workers)
        self._config = config
        self._carrier = carrier
        self._announced = False
        self._view: LiveView | None = None
        self._reports: list[dict[str, Any]] = []
        self._problem: LoadToolError | None = None
        self._begun = time.time()

    # As the `Workers` of its run.

    def send(self, worker: str, kind: str, *fields: Any) -> None:
        """Send an order, with the test that it is about."""
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
        self, path: str, location: Sequence[Any], lengths: Iterable[tuple[str, float, float]] = ()
    ) -> None:
        """The first worker says what the test is. The controller itself has collected nothing."""
        file, line, name = location
        self.location = (file, line, name)
        try:
            configuration = read_load(Path(path))
            baseline = self._config.stash[BASELINE]
            earlier = baseline.of(configuration.name)  # says now if it has none
        except LoadToolError as error:
            self._problem = error
            self.run.stop()
            self.announce()
            return
        self.announce()
        known = [(name, Length(*seconds)) for name, *seconds in lengths]
        write_hints(self._config, configuration, known)
        self._view = view = LiveView(self._config, configuration)
        self.run.introduce(
            configuration,
            lengths=[length for _, length in known],
            baseline=earlier,
            tolerance=baseline.tolerance,
            show=view.show if view.wanted else None,
        )

    # What came of it.

    def reports(self, summary: Summary | None) -> list[pytest.TestReport]:
        """One set of reports for pytest, whatever the number of workers."""
        leader = {report.when: report for report in self._leaders_reports()}
        setup = leader.get("setup") or self._report("setup", "passed")
        phases = [setup]
        if setup.passed and ("call" in leader or not leader):  # or else it is --setup-only
            call = leader.get("call")
            if call is None or not call.failed:
                text = self._not_run() if summary is None else failure_text(summary)
                call = self._call(text, call)
            if summary is not None:
                add_outcome(call, summary)
            phases.append(call)
        phases.append(leader.get("teardown") or self._teardown())
        if summary is not None:
            phases[-1].user_properties += properties(summary)
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
            None if text is None else WrappedText(text),
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
    """A report as it was before it was JSON: pytest and other plugins tell tuples from lists."""
    revived = {
        name: tuple(value)
        if name in ("location", "longrepr") and isinstance(value, list)
        else value
        for name, value in report.items()
    }
    for name in ("sections", "user_properties"):
        revived[name] = [tuple(pair) for pair in report.get(name, ())]
    return revived
