"""The controller's books of one load test: how far each worker is, and all that it measured.

Messages come in, states and merged numbers come out. Who carries the messages, and how a loss is
noticed, is the carrier's business; there is one merger for all of them.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pytest_loadtool.load.cluster.share import Share
from pytest_loadtool.load.metrics import reports
from pytest_loadtool.load.metrics.course import RunCourse
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.merged import MergedMetrics
from pytest_loadtool.load.metrics.metrics import ADDED, LoadMetrics
from pytest_loadtool.load.metrics.packed import PackedSlices
from pytest_loadtool.load.metrics.reports import Reporter

WorkerState = Literal["waiting", "running", "final", "lost", "failed"]

#: So many buckets are kept at most before they are added up.
_MOST_HEARD = 200_000

#: And of the response times of one worker: the more of them, the more fall into one bucket.
_MOST_OF_WORKER = 1 << 14

_OVER: frozenset[WorkerState] = frozenset({"final", "lost", "failed"})


@dataclass(slots=True)
class WorkerTotals:
    """The totals of one worker alone: all of its requests together, and how it kept up.

    Times are in microseconds. Users and rates are of now.
    """

    requests: int = 0
    errors: int = 0
    response: Histogram = field(default_factory=Histogram)
    lag: Histogram = field(default_factory=Histogram)
    lateness: Histogram = field(default_factory=Histogram)
    elapsed_us: int = 0
    start_late_us: int = 0
    cpu_us: int = 0
    users: int = 0
    last_requests: int = 0
    last_errors: int = 0
    _heard: array[int] = field(default_factory=lambda: array("H"))
    _repeated: Counter[int] = field(default_factory=Counter)
    """What is not added up yet in `response`: buckets, and how many values more there are."""

    @classmethod
    def of(cls, metrics: LoadMetrics) -> WorkerTotals:
        """Return those of a worker's own metrics."""
        every = metrics.total()
        totals = cls(every.requests, every.errors, every.response)
        for name in (*_DELAYS, *_LAST):
            setattr(totals, name, getattr(metrics, name))
        return totals

    @property
    def now(self) -> tuple[int, ...]:
        """`_NOW`, as of its last report."""
        return self.users, self.last_requests, self.last_errors

    def add_wire(self, wire: dict[str, Any], told: Iterable[PackedSlices]) -> None:
        """Add what `reports` describe of what came since the last report."""
        for slices in told:
            self.requests += slices.requests
            self.errors += slices.errors
            slices.extend_span(2, self.response)
            self._heard += slices.numbers(2)
            slices.add_repeated(2, self._repeated)
        for name in _DELAYS:
            getattr(self, name).merge_wire(wire[name])
        for name in _LAST:
            now = wire[name]
            setattr(self, name, getattr(self, name) + now if name in ADDED else now)
        if len(self._heard) > _MOST_OF_WORKER:
            self.add_up()

    def add_up(self) -> None:
        """Have `response` be all that was heard."""
        self._repeated.update(self._heard)
        self.response.add_counts(self._repeated)
        self._repeated.clear()
        del self._heard[:]


_DELAYS = ("lag", "lateness")
#: What ``alive`` tells.
_NOW = ("users", "last_requests", "last_errors")
_LAST = ("elapsed_us", "start_late_us", "cpu_us", "users", "last_requests", "last_errors")


@dataclass(frozen=True, slots=True)
class WorkerResult:
    """One worker. ``share`` is None if it was never started; ``totals`` if it never reported any.

    ``text`` says why it failed.
    """

    name: str
    state: WorkerState = "waiting"
    share: Share | None = None
    totals: WorkerTotals | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The merged numbers, the workers that they come from, and what was measured when. All of it
    goes on to grow while the run lasts."""

    metrics: LoadMetrics
    workers: tuple[WorkerResult, ...]
    course: RunCourse


class Merger:
    """Keeps the state of each of ``workers``, and the numbers of all of them merged: those of one
    transaction are kept once, however many workers there are.

    1. A worker that is given its share runs; before that only Failed and loss mean anything.
    2. Snapshots add up. Final says that there are no more.
    3. What comes after Final or Failed is ignored. A worker that was given up as lost and speaks
       again is believed: what it has to add is added, and with Final its share is complete.
    """

    def __init__(self, workers: Iterable[str] = ()) -> None:
        self._workers = {name: WorkerResult(name) for name in workers}
        self._totals: dict[str, WorkerTotals] = {}
        self._merged = MergedMetrics((), (), ())
        self._alone: LoadMetrics | None = None  # of a worker in this process
        self._course = RunCourse()
        # What was heard and is not added up yet, by the second in which it begins: as little as
        # possible is done for each report, there may be a thousand a second.
        self._heard: dict[int, PackedSlices] = {}
        self._names: tuple[Any, ...] = ()
        """Of what transactions the workers report, and whether of pages in detail."""
        self._now: dict[str, tuple[int, ...]] = {}
        """What workers have said since their last snapshot of what is now: `_NOW`."""

    def join(self, worker: str) -> None:
        """Expect one more worker, such as a replacement."""
        self._workers.setdefault(worker, WorkerResult(worker))

    def started(self, worker: str, share: Share) -> None:
        """A worker was given its share."""
        self.join(worker)
        self._change(worker, "running", share=share)

    def receive(self, worker: str, kind: str, content: Any = "") -> None:
        """Take note of what a worker says of its numbers. One that is unknown joins by it.

        A ``snapshot`` has what it measured since its last one, as `reports.Reporter` gives it; or,
        in the same process, the reporter with the sums of all that it has reported, which go on to
        grow. ``alive`` comes in between, with its users and what it did in the last second.
        ``final`` says that this was all, and ``failed`` why it cannot go on.

        Raises:
            ValueError: the workers run different versions of the program or of the test cases.
        """
        self.join(worker)
        running = self._workers[worker].share is not None
        match kind, content, self._workers[worker].state:
            case "snapshot", bytes(report), "running" | "lost" if running:
                self._add(worker, reports.read(report))
            case "alive", tuple(now), "running" | "lost" if running:
                self._now[worker] = now
            case "snapshot", Reporter() as reporter, "running" | "lost" if running:
                self._merged, self._alone = reporter.reported, reporter.reported
                self._course = reporter.course or self._course
            case "final", _, "running" | "lost" if running:
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
        """Return all numbers reported so far, and what each worker did. May be asked at any
        time."""
        if self._alone is not None:
            self._totals = dict.fromkeys(self._workers, WorkerTotals.of(self._alone))
        for totals in self._totals.values():
            totals.add_up()
        workers = tuple(
            replace(worker, totals=self._totals.get(name)) for name, worker in self._workers.items()
        )
        return RunResult(self.merged(), workers, self._course)

    def merged(self) -> MergedMetrics:
        """Return all numbers reported so far, which go on to grow.

        Only users and rates are those of the workers that are running.
        """
        if self._alone is None:
            self._add_up()
            now = [
                self._now.get(name) or one.now
                for name, one in self._totals.items()
                if self._workers[name].state == "running"
            ]
            for name, *values in zip(_NOW, *now, strict=True):
                setattr(self._merged, name, sum(values))
        return self._merged

    @property
    def course(self) -> RunCourse:
        """Return what was measured when, as far as it is `merged`."""
        return self._course

    def _add(self, worker: str, wire: dict[str, Any]) -> None:
        self._now.pop(worker, None)
        slices = wire.pop("slices")
        totals = self._totals.get(worker)
        if totals is None:
            names = wire["names"], wire["detailed_pages"]
            if not self._totals:
                self._names, self._merged = names, reports.from_wire(wire)
            elif names != self._names:
                raise ValueError("metrics of different test cases cannot be merged")
            else:
                self._merged.add_wire(wire)
            totals = self._totals[worker] = WorkerTotals()
        else:
            self._merged.add_wire(wire)
        totals.add_wire(wire, slices)
        self._course.add_beats(wire)
        for one in slices:
            self._heard.setdefault(one.second, PackedSlices(one.second, one.length)).extend(one)
        if sum(one.size for one in self._heard.values()) > _MOST_HEARD:
            self._add_up()

    def _add_up(self) -> None:
        """Add what was heard to all that was before."""
        heard, self._heard = self._heard, {}
        for _, packed in sorted(heard.items()):
            slices = packed.unpacked()
            self._merged.add_slices(slices)
            self._course.add_slices(slices)

    def _change(
        self, worker: str, state: WorkerState, *, share: Share | None = None, text: str = ""
    ) -> None:
        known = self._workers[worker]
        self._workers[worker] = replace(
            known, state=state, share=share or known.share, text=text or known.text
        )
