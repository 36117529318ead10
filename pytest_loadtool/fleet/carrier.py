"""Load runs on a Dask cluster: each of its worker processes makes one share.

A share is a long task on one worker, and messages go over two kinds of queues of the scheduler: one
for what all workers tell, and one with orders for each. So nobody has to reach anybody but the
scheduler. Nothing of a run stays on the cluster.
"""

from __future__ import annotations

import pickle
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from distributed import Client, Future, Queue

from pytest_loadtool.engine import run as runs
from pytest_loadtool.engine.run import LoadRun
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.fleet import remote
from pytest_loadtool.fleet.bundle import Bundle, LargeDataset
from pytest_loadtool.fleet.share import take_part
from pytest_loadtool.load import Share, Summary
from pytest_loadtool.load.cluster.clocks import Clocks, exactness
from pytest_loadtool.load.formatting import plural
from pytest_loadtool.load.verdict.summary import WorkerSummary

#: Seconds in which a scheduler answers while a run is under way, and in which workers begin.
_PATIENCE, _PATIENCE_OF_WORKERS = 10.0, 60.0

#: Seconds between two looks at which workers there are.
_PULSE = 1.0

#: Seconds between the order to start and the start, and for each worker more: orders are sent one
#: after the other, over the scheduler.
_LEAD, _LEAD_EACH = 0.5, 0.01

#: Seconds after which a share ends that hears nothing of who leads: it is cut off, or who leads or
#: the scheduler stands still. In so many seconds there are that many signs of life, and answers.
SILENCE, _SIGNS = 20.0, 4

#: Seconds that a run waits for a message before it looks whether it has to stop.
_MOMENT = 0.2

#: What is told in place of a message of a worker that is gone.
_LOST = "lost"


#: A processor, in parts: as fine as capacity is told.
PROCESSOR = 8


@dataclass(frozen=True, slots=True)
class Member:
    """A worker of a cluster that takes part."""

    address: str
    processes: int
    """How many of them are on its machine."""
    capacity: int
    """What it has of a processor, in eighths: all that it can use is one."""


class FleetRun:
    """One load test on the ``workers`` of a cluster, by name; it is their `Workers`."""

    def __init__(
        self,
        client: Client,
        workers: dict[str, Member],
        bundle: Bundle,
        large: tuple[LargeDataset, ...],
        servers: tuple[str, ...],
    ) -> None:
        self._client, self._workers = client, workers
        self._bundle, self._large, self._servers = bundle, large, servers
        self._plan = bundle.test.configuration
        self._queues = f"loadtool-{uuid.uuid4().hex}"
        self._told = Queue(self._queues, client=client)
        self._orders = {name: Queue(f"{self._queues}-{name}", client=client) for name in workers}
        self._heard: SimpleQueue[tuple[float, str, str, tuple[Any, ...]]] = SimpleQueue()
        self._clocks = Clocks(workers)
        self._gone: set[str] = set()
        self._heard_at: dict[str, float] = {}
        """When each was heard last, before the start."""
        self._tasks: dict[str, Future] = {}
        self._problems: list[str] = []
        self._stopped = False
        self._began: tuple[WorkerSummary, ...] = ()

    def stop(self) -> None:
        """Stop soon. May be called in a handler of signals."""
        self._stopped = True

    def run(self, *, interrupted: Callable[[], bool], **introduction: Any) -> Summary:
        """Run from beginning to end, and judge it.

        ``introduction`` is for `LoadRun.introduce`, and ``interrupted`` says whether somebody has
        stopped it.

        Raises:
            LoadToolError: it was not run: a worker refused its share, or did not come.
        """
        evenly = self._plan.fleet.share == "evenly"
        capacity = {} if evenly else {name: one.capacity for name, one in self._workers.items()}
        lead_time = _LEAD + _LEAD_EACH * len(self._workers)
        run = LoadRun(self, self._workers, lead_time=lead_time, capacity=capacity)
        run.introduce(self._plan, **introduction)
        over = threading.Event()
        for name, member in self._workers.items():
            self._tasks[name] = task = self._client.submit(
                take_part,
                self._bundle,
                name,
                self._queues,
                member.processes,
                SILENCE,
                workers=[member.address],
                resources=dict(self._plan.fleet.resources) or None,
                pure=False,
                retries=0,
                key=f"{self._queues}-{name}",
            )
            task.add_done_callback(partial(self._ended, name))
        for work in (self._listen, self._watch):
            threading.Thread(target=work, args=(over,), daemon=True, name="loadtool-fleet").start()
        try:
            self._lead(run)
        finally:
            over.set()
            self._clear()
        summary = run.summary(interrupted=interrupted())
        if summary is None:
            told = [*run.conductor.refusals.values(), *self._problems]
            lost = ", ".join(run.conductor.lost) or "none was left"
            raise LoadToolError(
                "\n".join(dict.fromkeys(told)) or f"not run: workers were lost: {lost}"
            )
        self._began = tuple(map(self._with_start, summary.workers))
        return replace(summary, workers=self._began)

    def _with_start(self, worker: WorkerSummary) -> WorkerSummary:
        offset = self._clocks.offsets[worker.name]
        exact = None if offset.exact_to is None else offset.exact_to + worker.start_late_s
        return replace(worker, clock_ahead_s=offset.ahead, start_exact_to_s=exact)

    @property
    def note(self) -> str:
        """Return how exactly the workers have started together: in words, for people."""
        weak = [name for name, one in self._workers.items() if one.capacity < PROCESSOR]
        partly = f", {len(weak)} with part of a processor" if weak else ""
        return (
            f"{plural(len(self._workers), 'worker')} of {self._client.scheduler.address}{partly}; "
            f"{exactness(self._began)}"
        )

    # As the `Workers` of its run.

    def send(self, worker: str, kind: str, *fields: Any) -> None:
        """Send an order. The servers are known here, where fixtures are set up; a start is by the
        clock of who starts."""
        if kind == "lead":
            self._hear(worker, "prepared", self._servers)
        elif worker not in self._gone:
            if kind == "go":
                fields = (self._clocks.there(worker, *fields),)
            if kind == "share" and self._large:
                _, index, count, _, weights = fields
                share = Share(index, count, weights)
                self.send(
                    worker, "files", {one.name: one.part(share, self._plan) for one in self._large}
                )
            with suppress(Exception):  # the scheduler is gone: the watch says so
                self._orders[worker].put(pickle.dumps((kind, *fields)))

    def end(self, worker: str) -> None:
        """Take a worker for lost that does not listen, whatever it says later."""
        self._hear(worker, _LOST)

    # What is heard.

    def _lead(self, run: LoadRun) -> None:
        deadline = time.monotonic() + _PATIENCE_OF_WORKERS
        stopping = False
        while not run.over:
            self._receive(run, _MOMENT)
            run.end_silent()
            if run.started is None and self._heard.empty():
                self._lose_silent()
            if self._stopped and not stopping:
                stopping = True
                run.interrupt(lambda seconds: self._receive(run, min(seconds, _MOMENT)))
                return
            late = [one for one in self._workers if one not in {*self._clocks.asked, *self._gone}]
            if late and time.monotonic() > deadline:
                self._problems.append(
                    f"{', '.join(late)} did not begin within {_PATIENCE_OF_WORKERS:.0f} s: "
                    "has it other tasks?"
                )
                run.stop()
                return

    def _lose_silent(self) -> None:
        """Take those for lost that have begun and stand still before there is any load."""
        before = time.monotonic() - runs.SILENCE
        for name, at in self._heard_at.items():
            if at < before and name not in self._gone:
                self._hear(name, _LOST)

    def _receive(self, run: LoadRun, seconds: float) -> None:
        """Act on the next that is heard, if anything is in time."""
        try:
            at, name, kind, fields = self._heard.get(timeout=seconds)
        except Empty:
            return
        if name in self._gone:
            return
        self._heard_at[name] = time.monotonic()
        match kind:
            case "pulse":
                pass
            case "here":
                self.send(name, "ping", self._clocks.ask(name, time.time()))
            case "pong":
                self._ponged(run, name, at, *fields)
            case "left":
                run.leave(name)
            case "lost":
                self._gone.add(name)
                self._problems += fields
                run.lose(name)
                self._dismiss(name)
            case _:
                run.hear(name, kind, *fields)

    def _ponged(self, run: LoadRun, name: str, at: float, number: int, theirs: float) -> None:
        following = self._clocks.answered(name, number, theirs, at)
        if following is None:
            run.hear(name, "ready")
        else:
            self.send(name, "ping", following)

    def _dismiss(self, name: str) -> None:
        """See to it that nobody begins a share that is lost: a worker that a nanny has restarted
        in its place, or one that was cut off for a while."""
        with suppress(Exception):  # the scheduler is gone: the watch says so
            self._client.sync(
                self._client.cancel, [self._tasks[name]], force=True, callback_timeout=_MOMENT
            )

    # In threads: what comes is only queued there.

    def _hear(self, name: str, kind: str, *fields: Any) -> None:
        self._heard.put((time.time(), name, kind, fields))

    def _listen(self, over: threading.Event) -> None:
        try:
            while True:
                for frame in (self._told.get(), *self._told.get(batch=True)):
                    message = pickle.loads(frame)  # noqa: S301  by a worker that runs our code
                    if message is None:
                        return
                    self._hear(*message)
        except Exception as error:
            self._cut_off(over, error)

    def _watch(self, over: threading.Event) -> None:
        """Notice workers that are gone, all of them with the scheduler."""
        sign, next_sign = pickle.dumps(("pulse",)), time.monotonic()
        between = min(SILENCE, runs.SILENCE) / _SIGNS
        while not over.wait(min(_PULSE, between)):
            try:
                if time.monotonic() >= next_sign:
                    next_sign = time.monotonic() + between
                    names = [one.name for one in self._orders.values()]
                    self._client.sync(
                        self._client.run_on_scheduler,
                        remote.pulse,
                        names,
                        sign,
                        callback_timeout=_PATIENCE,
                    )
                known = self._client.sync(self._client.scheduler.ncores, callback_timeout=_PATIENCE)
            except Exception as error:
                self._cut_off(over, error)
                return
            for name, member in self._workers.items():
                if member.address not in known and name not in self._gone:
                    self._hear(name, _LOST)

    def _cut_off(self, over: threading.Event, error: Exception) -> None:
        """The scheduler does not answer, which is as it should be when the run is over."""
        if not over.is_set():
            for name in self._workers:
                self._hear(name, _LOST, f"the scheduler is gone: {error!r}")

    def _ended(self, name: str, task: Future) -> None:
        """A task is over. One that has told all has said so before."""
        if task.status == "error":
            self._hear(name, _LOST, f"{name}: {task.exception()!r}")
        elif task.status in ("lost", "cancelled"):
            self._hear(name, _LOST)

    def _clear(self) -> None:
        """Leave nothing on the cluster: tasks that still run end when they see it."""
        with suppress(Exception):  # of a scheduler that is gone
            self._client.sync(self._forget, callback_timeout=_PATIENCE)

    async def _forget(self) -> None:
        left = [task for task in self._tasks.values() if not task.done()]
        await self._client.cancel(left, force=True)
        names = [self._queues, *(one.name for one in self._orders.values())]
        await self._client.run_on_scheduler(remote.forget, names, remote.END)
