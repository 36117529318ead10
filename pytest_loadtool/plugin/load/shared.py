"""One load test over several workers, as their controller keeps the books of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_loadtool.casefile import read_load
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.load import (
    Glimpse,
    Lookout,
    Merger,
    Share,
    Summary,
    Watch,
    decode,
    judge,
)
from pytest_loadtool.load.cluster.conductor import Conductor, Order, Phase
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.plugin.load.compare import Baseline
from pytest_loadtool.plugin.load.outcome import add_outcome
from pytest_loadtool.plugin.load.results import failure_text, properties
from pytest_loadtool.plugin.paths import shown_error
from pytest_loadtool.plugin.report_failure import WrappedText

Location = tuple[str, int | None, str]

#: What workers say that the merger wants to hear.
_FOR_MERGER = frozenset({"snapshot", "final", "failed"})


class SharedTest:
    """Takes what workers say, returns what to send to whom, and has the results at the end."""

    def __init__(self, nodeid: str, workers: Iterable[str], baseline: Baseline) -> None:
        self.nodeid = nodeid
        self._baseline = baseline
        self.location: Location = (nodeid.partition("::")[0], 0, nodeid.rpartition("::")[2])
        self.configuration: LoadConfiguration | None = None
        self.lengths: list[tuple[str, Length]] = []
        """How long an iteration of each test case takes."""
        self._conductor = Conductor(list(workers), time.time)
        self._merger = Merger(self._conductor.workers)
        self._reports: list[dict[str, Any]] = []
        self._problem: LoadToolError | None = None
        self._begun = time.time()
        self._started: datetime | None = None
        self._interrupted = False
        self._watch = Watch(())
        self._lookout = Lookout()
        self._seen: Glimpse | None = None
        """How the run was getting on at the last look; None: to be looked at anew."""
        self._fresh: set[str] = set()
        """The workers whose newest numbers were not looked at."""

    @property
    def over(self) -> bool:
        """Whether nothing more is to come."""
        return self._conductor.over

    @property
    def running(self) -> bool:
        """Whether a worker makes load right now."""
        return self._conductor.phase is Phase.RUNNING

    @property
    def busy(self) -> list[str]:
        """The workers that make load right now."""
        return self._conductor.busy

    # What happens to it.

    def hear(self, worker: str, kind: str, fields: Sequence[Any]) -> list[Order]:
        """A worker's message."""
        if kind in _FOR_MERGER:
            self._merger.receive(worker, decode((kind, *fields)))
            return self._conduct(worker, kind, fields) + self._look(worker)
        if kind == "reports":
            self._reports = json.loads(fields[0])
        elif kind == "ready" and self.configuration is None:
            return self._introduce(*fields) + self._conduct(worker, kind, ())
        return self._conduct(worker, kind, fields)

    def join(self, worker: str) -> bool:
        """A worker more; whether it is in time to take part."""
        if self._conductor.phase is not Phase.GATHERING:
            return False
        self._conductor.join(worker)
        self._merger.join(worker)
        return True

    def lose(self, worker: str) -> list[Order]:
        """A worker has died."""
        if worker not in self._conductor.workers:
            return []
        self._merger.lost(worker)
        return self._noted(self._conductor.lose(worker))

    def leave(self, worker: str) -> list[Order]:
        """A worker is out of the test."""
        return self._noted(self._conductor.leave(worker))

    def stop(self, *, interrupted: bool = False) -> list[Order]:
        """End it now. ``interrupted``: by somebody who is at the keyboard."""
        self._interrupted = interrupted
        return self._noted(self._conductor.stop())

    # What came of it.

    def glimpse(self) -> Glimpse:
        """How the run is getting on."""
        if self._seen is None:
            merged = self._merger.merged()
            self._seen = self._lookout.look([(merged, True)], self._watch.states())
        return self._seen

    def summary(self) -> Summary | None:
        """The results, if load was made."""
        if self._started is None or self.configuration is None:
            return None
        return judge(
            self._merger.result(),
            self.configuration,
            self._started,
            self._watch,
            baseline=self._baseline.of(self.configuration.name),
            tolerance=self._baseline.tolerance,
            interrupted=self._interrupted,
            lengths=[length for _, length in self.lengths],
        )

    def reports(self, config: pytest.Config, summary: Summary | None) -> list[pytest.TestReport]:
        """One set of reports for pytest, whatever the number of workers."""
        leader = {report.when: report for report in self._leaders_reports(config)}
        setup = leader.get("setup") or self._report("setup", "passed")
        phases = [setup]
        if setup.passed and ("call" in leader or not leader):  # or else it is --setup-only
            call = leader.get("call")
            if call is None or not call.failed:
                text = self._not_run(config) if summary is None else failure_text(summary)
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
        leader = self._conductor.leader
        if leader is None or self._conductor.lost.get(leader) is not Phase.CLOSING:
            return self._report("teardown", "passed")
        text = f"worker {leader} was lost before the fixtures were torn down"
        return self._report("teardown", "failed", text)

    def _not_run(self, config: pytest.Config) -> str:
        problem = "" if self._problem is None else shown_error(self._problem, config)
        refusals = dict.fromkeys(self._conductor.refusals.values())
        if problem or refusals:
            return "\n".join([*filter(None, [problem]), *refusals])
        lost = ", ".join(self._conductor.lost) or "none was left"
        return f"not run: no worker is left to make the load (lost: {lost})"

    def _report(
        self,
        when: Literal["setup", "call", "teardown"],
        outcome: Literal["passed", "failed", "skipped"],
        text: str | None = None,
    ) -> pytest.TestReport:
        now = time.time()
        began = self._started.timestamp() if self._started else self._begun
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

    def _leaders_reports(self, config: pytest.Config) -> list[pytest.TestReport]:
        hook = config.hook
        return [
            hook.pytest_report_from_serializable(config=config, data=_with_tuples(data))
            for data in self._reports
        ]

    # The course.

    def _look(self, worker: str) -> list[Order]:
        """Look at the thresholds, once all have something new to say or one has it twice."""
        late = worker in self._fresh
        self._fresh.add(worker)
        if not (late or self._fresh.issuperset(self.busy)):
            return []
        self._fresh = {worker} if late else set()
        self._seen = None
        if not (self._watch.wanted and self.running):
            return []
        return self.stop() if self._watch.look([self._merger.merged()]) else []

    def _introduce(
        self, path: str, location: Sequence[Any], lengths: Iterable[tuple[str, float, float]] = ()
    ) -> list[Order]:
        """The first worker says what the test is. The controller itself has collected nothing."""
        self.lengths = [(name, Length(*seconds)) for name, *seconds in lengths]
        file, line, name = location
        self.location = (file, line, name)
        try:
            self.configuration = plan = read_load(Path(path))
            self._baseline.of(plan.name)  # says now if it has none
        except LoadToolError as error:
            self._problem = error
            return self.stop()
        self._watch = Watch(plan.thresholds, plan.duration)
        return []

    def _conduct(self, worker: str, kind: str, fields: Sequence[Any]) -> list[Order]:
        return self._noted(self._conductor.hear(worker, kind, *fields))

    def _noted(self, orders: list[Order]) -> list[Order]:
        going = [order.worker for order in orders if order.kind == "go"]
        for index, worker in enumerate(going):
            self._merger.started(worker, Share(index, len(going)))
            self._started = datetime.now(UTC).astimezone()
        return orders


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
