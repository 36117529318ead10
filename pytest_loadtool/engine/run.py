"""One load run, from its workers' arrival to the verdict: whoever they are, and wherever.

A run has one `Conductor`, which says who does what when, one `Merger`, one judge of thresholds and
one view of its progress. It reads no socket and starts no process: what carries the messages is an
implementation of `Workers`. A load test in one process is a run with one worker.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Protocol

from pytest_loadtool.load import (
    Merger,
    Progress,
    ProgressTracker,
    Share,
    Summary,
    ThresholdWatch,
    summarise,
    verdict,
)
from pytest_loadtool.load.cluster.conductor import LEAD_TIME, Conductor, Instruction, Phase
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.load.verdict.comparison import TOLERANCE
from pytest_loadtool.load.verdict.saved import SavedRun
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import LoadConfiguration

#: Seconds after which a worker that should make load, and says nothing, is given up. It speaks each
#: second, unless something blocks its event loop: a regular expression that never ends, say.
SILENCE = 30.0

#: Seconds that workers have after Ctrl-C to send what they have measured.
_PATIENCE = 5.0

#: Seconds between two views of a running test.
_BETWEEN_VIEWS = 0.5

#: Seconds between two looks who is silent.
_BETWEEN_CHECKS = 0.2

#: What workers say that the merger wants to hear.
_FOR_MERGER = frozenset({"snapshot", "alive", "final", "failed"})


class Workers(Protocol):
    """A carrier of messages to the workers of a run.

    What they say is for `LoadRun.hear`, in their order, and the end of one for `LoadRun.lose`. It
    is for one thread: a carrier that listens in others queues what they hear.
    """

    def send(self, worker: str, kind: str, *fields: Any) -> None:
        """Send an order of `load.cluster.conductor`; ``fields`` are of builtin types.

        Without effect on a worker that is gone.
        """

    def end(self, worker: str) -> None:
        """End a worker that does not listen. Its loss is then noticed like any other."""


class Listener(Protocol):
    """A listener to all that a run measures while it lasts. None of it may take its time."""

    def begin(self, started: datetime) -> None:
        """The workers are told to start."""

    def hear(self, report: bytes) -> None:
        """A worker tells what it measured since the last time, as `load.metrics.reports` has it."""

    def end(self, metrics: LoadMetrics) -> None:
        """The run is over, and this is what it came to."""


class LoadRun:
    """Leads ``workers``, which are to be called ``names``, through one load test.

    ``lead_time`` is how many seconds before the start they are told of it; ``capacity`` how much
    each can do beside the others, unless all are alike. A worker that says nothing for ``silence``
    seconds is given up.
    """

    def __init__(
        self,
        workers: Workers,
        names: Iterable[str],
        *,
        lead_time: float = LEAD_TIME,
        capacity: Mapping[str, int] = MappingProxyType({}),
        silence: float | None = None,
    ) -> None:
        self._workers = workers
        self._silence = SILENCE if silence is None else silence
        self.conductor = Conductor(list(names), time.time, lead_time, capacity)
        self._merger = Merger(self.conductor.workers)
        self._configuration: LoadConfiguration | None = None
        self._watch, self._progress = ThresholdWatch(()), ProgressTracker()
        self._interrupted = False
        self.listeners: Sequence[Listener] = ()
        self._heard_at: dict[str, float] = {}
        self._fresh: set[str] = set()
        """The workers whose newest numbers were not looked at."""
        self._next_view = self._next_check = 0.0
        self.started: datetime | None = None
        """When the workers were told to start; None: they were not."""

    def introduce(
        self,
        configuration: LoadConfiguration,
        *,
        lengths: Sequence[Length] = (),
        baseline: Sequence[SavedRun] = (),
        tolerance: float = TOLERANCE,
        show: Callable[[Progress], None] | None = None,
        listeners: Sequence[Listener] = (),
    ) -> None:
        """Say what is run: before any worker arms.

        ``lengths`` are how long an iteration of each test case takes; ``baseline`` are the runs
        that it is compared with, and ``tolerance`` how much worse (a share) it may be; ``show`` is
        called up to twice a second with how it is getting on. ``listeners`` hear all reports.
        """
        self._configuration = configuration
        self._lengths, self._baseline, self._tolerance = lengths, baseline, tolerance
        self._show, self.listeners = show, listeners
        self._watch = ThresholdWatch(configuration.thresholds, configuration.end)

    @property
    def over(self) -> bool:
        """Return whether nothing more is to come."""
        return self.conductor.over

    @property
    def running(self) -> bool:
        """Return whether a worker makes load right now."""
        return self.conductor.phase is Phase.RUNNING

    # What happens to it.

    def hear(self, worker: str, kind: str, *fields: Any) -> None:
        """Act on what a worker says."""
        self._heard_at[worker] = time.monotonic()
        if kind == "snapshot" and isinstance(fields[0], bytes):
            for listener in self.listeners:
                listener.hear(fields[0])
        if kind in _FOR_MERGER:
            self._merger.receive(worker, kind, *fields)
        self._order(self.conductor.hear(worker, kind, *fields))
        if kind in _FOR_MERGER and kind != "alive":
            self._check_thresholds(worker)
        if self.running and self._show is not None and time.monotonic() >= self._next_view:
            self._next_view = time.monotonic() + _BETWEEN_VIEWS
            merged = self._merger.merged()
            states, course = self._watch.states(), self._merger.course
            self._show(self._progress.update([(merged, True)], states, course))

    def join(self, worker: str) -> bool:
        """Take a worker more, and return whether it is in time to take part."""
        if self.conductor.phase is not Phase.GATHERING:
            return False
        self.conductor.join(worker)
        self._merger.join(worker)
        return True

    def lose(self, worker: str) -> None:
        """A worker has died."""
        if worker in self.conductor.workers:
            self._merger.lost(worker)
            self._order(self.conductor.lose(worker))

    def leave(self, worker: str) -> None:
        """A worker is out of the run, after whatever it did there."""
        self._order(self.conductor.leave(worker))

    def end_silent(self) -> None:
        """End the workers that should make load and have said nothing for too long."""
        now = time.monotonic()
        if now < self._next_check:
            return
        self._next_check = now + _BETWEEN_CHECKS
        before = now - self._silence
        for worker in self.conductor.busy:
            if self._heard_at[worker] < before:
                self._workers.end(worker)

    def stop(self) -> None:
        """End the run now: what has not started does not start, what runs is cut short."""
        self._order(self.conductor.stop())

    def interrupt(self, receive: Callable[[float], None]) -> None:
        """Somebody ends the run: stop it, and wait for what was measured.

        ``receive`` acts on the next message, if one comes within so many seconds.
        """
        self._interrupted = self.running
        self.stop()
        deadline = time.monotonic() + _PATIENCE
        while self.running and (left := deadline - time.monotonic()) > 0:
            receive(left)

    # What came of it.

    def summary(self, *, interrupted: bool = False) -> Summary | None:
        """Judge the run, if load was made; ``interrupted``: somebody has ended it elsewhere."""
        if self.started is None or self._configuration is None:
            return None
        result, plan = self._merger.result(), self._configuration
        metrics, workers = result.metrics, result.workers
        for listener in self.listeners:
            listener.end(metrics)
        stopped = interrupted or self._interrupted
        thresholds = self._watch.results(metrics)
        found = verdict(
            metrics,
            plan,
            workers,
            stopped_after=metrics.elapsed_us / 1e6 if stopped else None,
            thresholds=thresholds,
            lengths=self._lengths,
        )
        return summarise(
            metrics,
            plan,
            workers,
            found,
            started=self.started,
            course=result.course,
            thresholds=thresholds,
            baseline=self._baseline,
            tolerance=self._tolerance,
        )

    # The course.

    def _check_thresholds(self, worker: str) -> None:
        """Look at the thresholds, once all have something new to say or one has it twice."""
        if not self._watch.wanted:
            return
        late = worker in self._fresh
        self._fresh.add(worker)
        if not (late or self._fresh.issuperset(self.conductor.busy)):
            return
        self._fresh = {worker} if late else set()
        if self.running and self._watch.update([self._merger.merged()]):
            self.stop()

    def _order(self, orders: Sequence[Instruction]) -> None:
        going = [order.worker for order in orders if order.kind == "go"]
        for index, worker in enumerate(going):
            self._merger.started(worker, Share(index, len(going), self.conductor.weights))
            self._heard_at[worker] = time.monotonic()
            self.started = datetime.now(UTC).astimezone()
        if going and self.started is not None:
            for listener in self.listeners:
                listener.begin(self.started)
        for order in orders:
            self._workers.send(order.worker, order.kind, *order.fields)
