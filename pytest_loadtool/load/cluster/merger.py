"""The controller's books of one load test: how far each worker is, and all that it measured.

Messages come in, states and merged numbers come out. Who carries the messages, and how a loss is
noticed, is the carrier's business; there is one merger for all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from pytest_loadtool.load.cluster.share import Share
from pytest_loadtool.load.metrics import reports
from pytest_loadtool.load.metrics.course import RunCourse
from pytest_loadtool.load.metrics.merged import MergedMetrics
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.load.metrics.reports import Reporter

WorkerState = Literal["waiting", "running", "final", "lost", "failed"]

_OVER: frozenset[WorkerState] = frozenset({"final", "lost", "failed"})


@dataclass(frozen=True, slots=True)
class WorkerResult:
    """One worker. ``share`` is None if it was never started; ``metrics`` if it never reported any.

    ``text`` says why it failed.
    """

    name: str
    state: WorkerState = "waiting"
    share: Share | None = None
    metrics: LoadMetrics | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The merged numbers, the workers that they come from, and what was measured when."""

    metrics: LoadMetrics
    workers: tuple[WorkerResult, ...]
    course: RunCourse


class Merger:
    """Keeps the state and the numbers of each of ``workers``, and those of all of them merged.

    1. A worker that is given its share runs; before that only Failed and loss mean anything.
    2. Snapshots add up. Final is the last, and replaces them.
    3. What comes after Final or Failed is ignored. A worker that was given up as lost and speaks
       again is believed: what it has to add is added, and with Final its share is complete.
    """

    def __init__(self, workers: Iterable[str] = ()) -> None:
        self._workers = {name: WorkerResult(name) for name in workers}
        self._parts: dict[str, MergedMetrics] = {}
        self._merged: MergedMetrics | None = None  # to be made of the parts
        self.course = RunCourse()

    def join(self, worker: str) -> None:
        """One more worker is to come, such as a replacement."""
        self._workers.setdefault(worker, WorkerResult(worker))

    def started(self, worker: str, share: Share) -> None:
        """A worker was given its share."""
        self.join(worker)
        self._change(worker, "running", share=share)

    def receive(self, worker: str, kind: str, content: bytes | str | Reporter) -> None:
        """Take note of what a worker says of its numbers. One that is unknown joins by it.

        A ``snapshot`` has what it measured since its last one, as `reports.Reporter` gives it; or,
        in the same process, the reporter with the sums of all that it has reported, which go on to
        grow. ``final`` has all, as `reports.snapshot` gives it, and ``failed`` why it cannot go on.

        Raises:
            ValueError: the workers run different versions of the program or of the test cases.
        """
        self.join(worker)
        running = self._workers[worker].share is not None
        match kind, content, self._workers[worker].state:
            case "snapshot", bytes(report), "running" | "lost" if running:
                self._add(worker, json.loads(report))
            case "snapshot", Reporter() as reporter, "running" | "lost" if running:
                self._parts[worker], self._merged = reporter.reported, None
                self.course = reporter.course or self.course
            case "final", bytes(metrics), "running" | "lost" if running:
                self._complete(worker, reports.from_snapshot(metrics))
                self._change(worker, "final")
            case "failed", str(text), "waiting" | "running" | "lost":
                self._change(worker, "failed", text=text)
            case _:
                pass  # of a run that is over

    def lost(self, worker: str) -> None:
        """A worker is gone. What it had reported stays."""
        self.join(worker)
        if self._workers[worker].state not in _OVER:
            self._change(worker, "lost")

    def result(self) -> RunResult:
        """All numbers reported so far, merged, and each worker's own. May be asked at any time."""
        workers = tuple(
            replace(worker, metrics=self._parts.get(name)) for name, worker in self._workers.items()
        )
        return RunResult(MergedMetrics.of(self._parts.values()), workers, self.course)

    def merged(self) -> MergedMetrics:
        """All numbers reported so far, which go on to grow.

        Only users and rates are those of the workers that are running.
        """
        running = [
            part for name, part in self._parts.items() if self._workers[name].state == "running"
        ]
        if len(running) == len(self._workers) == 1:
            return running[0]
        if self._merged is None:
            self._merged = MergedMetrics.of(self._parts.values())
        for name in ("users", "last_requests", "last_errors"):
            setattr(self._merged, name, sum(getattr(part, name) for part in running))
        return self._merged

    def _add(self, worker: str, wire: dict[str, Any]) -> None:
        part = self._parts.get(worker)
        if part is None:
            part = reports.from_wire(wire)
            self._check(part)
            self._parts[worker], self._merged = part, None
        else:
            part.add_wire(wire)
            if self._merged is not None:
                self._merged.add_wire(wire)
        self.course.add_report(wire)

    def _complete(self, worker: str, whole: MergedMetrics) -> None:
        self._check(whole)
        before = self._parts.get(worker)
        if self._merged is not None and before is not None:
            self._merged.add_wire(reports.to_wire(whole, before))
        else:
            self._merged = None
        self._parts[worker] = whole

    def _check(self, part: MergedMetrics) -> None:
        """The first numbers of all say what is merged here; all others must be of the same."""
        for known in self._parts.values():
            known.check(part)

    def _change(
        self, worker: str, state: WorkerState, *, share: Share | None = None, text: str = ""
    ) -> None:
        known = self._workers[worker]
        self._workers[worker] = replace(
            known, state=state, share=share or known.share, text=text or known.text
        )
