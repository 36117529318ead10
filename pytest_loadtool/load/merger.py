"""The controller's books of one load test: how far each worker is, and all that it measured.

Messages come in, states and merged numbers come out. Who carries the messages, and how a loss is
noticed, is the carrier's business; there is one merger for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from pytest_loadtool.load.metrics import LoadMetrics
from pytest_loadtool.load.protocol import Failed, Final, Message, Snapshot
from pytest_loadtool.load.share import Share

__all__ = ["Merger", "RunResult", "WorkerResult", "WorkerState"]

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
    """The merged numbers, and the workers that they come from."""

    metrics: LoadMetrics
    workers: tuple[WorkerResult, ...]


class Merger:
    """Keeps the state and the last numbers of each of ``workers``.

    1. A worker that is given its share runs; before that only Failed and loss mean anything.
    2. Each Snapshot replaces the one before. Final is the last.
    3. What comes after Final or Failed is ignored. A worker that was given up as lost and speaks
       again is believed: its newer numbers replace the older ones, and with Final its share is
       complete.
    """

    def __init__(self, workers: Iterable[str] = ()) -> None:
        self._workers = {name: WorkerResult(name) for name in workers}
        self._latest: dict[str, bytes] = {}

    def join(self, worker: str) -> None:
        """One more worker is to come, such as a replacement."""
        self._workers.setdefault(worker, WorkerResult(worker))

    def started(self, worker: str, share: Share) -> None:
        """A worker was given its share."""
        self.join(worker)
        self._change(worker, "running", share=share)

    def receive(self, worker: str, message: Message) -> None:
        """Take note of what a worker says. One that is unknown joins by it."""
        self.join(worker)
        running = self._workers[worker].share is not None
        match message, self._workers[worker].state:
            case Snapshot(metrics), "running" | "lost" if running:
                self._latest[worker] = metrics
            case Final(metrics), "running" | "lost" if running:
                self._latest[worker] = metrics
                self._change(worker, "final")
            case Failed(text), "waiting" | "running" | "lost":
                self._change(worker, "failed", text=text)
            case _:
                pass  # of a run that is over

    def lost(self, worker: str) -> None:
        """A worker is gone. What it had reported stays."""
        self.join(worker)
        if self._workers[worker].state not in _OVER:
            self._change(worker, "lost")

    def result(self) -> RunResult:
        """All numbers reported so far, merged, and each worker's own. May be asked at any time.

        Raises:
            ValueError: the workers run different versions of the program or of the test cases.
        """
        workers = tuple(
            replace(worker, metrics=self._metrics(name)) for name, worker in self._workers.items()
        )
        reported = [worker.metrics for worker in workers if worker.metrics is not None]
        return RunResult(LoadMetrics.merge(reported), workers)

    def parts(self) -> list[tuple[LoadMetrics, bool]]:
        """The latest numbers of each worker that has reported any, and whether it is running."""
        return [
            (LoadMetrics.from_snapshot(latest), self._workers[worker].state == "running")
            for worker, latest in self._latest.items()
        ]

    def _metrics(self, worker: str) -> LoadMetrics | None:
        latest = self._latest.get(worker)
        return None if latest is None else LoadMetrics.from_snapshot(latest)

    def _change(
        self, worker: str, state: WorkerState, *, share: Share | None = None, text: str = ""
    ) -> None:
        known = self._workers[worker]
        self._workers[worker] = replace(
            known, state=state, share=share or known.share, text=text or known.text
        )
