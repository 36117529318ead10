"""One load test over several workers: who is told what, and when. Does no I/O.

    worker                                conductor
    ready                     ──>
                              <──  lead           to the first worker only: set the fixtures up
    prepared URLs             ──>
                              <──  share          index, count, URLs, weights, when all are ready
    armed                     ──>                 compiled and checked: nothing can refuse now
                              <──  go             to all at once, with the moment to start
    snapshot…, alive…, final  ──>
                              <──  release        to the leader, when all have finished: tear down
    reports                   ──>                 what pytest says of the leader's fixtures

``skip`` takes the place of everything before ``go``, ``failed`` that of ``final``; ``stop`` ends a
run early. What carries messages keeps their order, and loses none before the connection itself is
lost; they are made of exact builtin types, as execnet takes nothing else. Shares are dealt late, so
what is left after the loss of a worker is always the whole load. There is one application under
test however many workers there are: only the leader sets fixtures up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

#: Seconds between ``go`` and the start: a message takes well under a millisecond to a local worker.
LEAD_TIME = 0.1


class Phase(Enum):
    """The phases of a test."""

    GATHERING = auto()  # workers arrive, the leader sets up
    ARMING = auto()  # shares are dealt
    RUNNING = auto()
    CLOSING = auto()  # nothing runs any more; the leader tears down


class Standing(Enum):
    """The states of one worker."""

    COMING = auto()
    WAITING = auto()
    LEADING = auto()
    PREPARED = auto()
    ARMING = auto()
    ARMED = auto()
    RUNNING = auto()
    FINISHED = auto()
    GONE = auto()  # out of the test, in good order
    LOST = auto()


@dataclass(frozen=True, slots=True)
class Instruction:
    """A message for a worker: its kind and what it carries, made of builtin types only."""

    worker: str
    kind: str
    fields: tuple[Any, ...] = ()


@dataclass(slots=True)
class Conductor:
    """The course of one load test.

    ``workers`` are the names of those who will come, in order: the first alive leads, so that one
    worker leads all tests of a session and session fixtures live as long as they should.
    """

    workers: list[str]
    clock: Callable[[], float]
    """``time.time``, or what a test puts in its place."""
    lead_time: float = LEAD_TIME
    """Seconds between ``go`` and the start."""
    capacity: Mapping[str, int] = field(default_factory=dict)
    """How much each worker can do beside the others; empty if all are alike."""
    phase: Phase = Phase.GATHERING
    leader: str | None = None
    deal: int = 0
    """How often shares were dealt. Answers to an older deal are stale."""
    lost: dict[str, Phase] = field(default_factory=dict)
    """Workers that died, and when."""
    refusals: dict[str, str] = field(default_factory=dict)
    """Why a worker could not take its share, by worker."""
    standing: dict[str, Standing] = field(init=False)
    servers: tuple[str, ...] | None = None
    """A base URL for each test case; None as long as the fixtures are not set up."""
    started: bool = False
    """Whether the run was started."""

    def __post_init__(self) -> None:
        self.standing = dict.fromkeys(self.workers, Standing.COMING)

    @property
    def alive(self) -> list[str]:
        """The workers that are not lost, in order."""
        return [worker for worker in self.workers if worker not in self.lost]

    @property
    def busy(self) -> list[str]:
        """The workers that run their share."""
        return self._are(Standing.RUNNING)

    @property
    def over(self) -> bool:
        """Return whether every worker is out of the test, or lost."""
        return not self._are(*set(Standing) - {Standing.GONE, Standing.LOST})

    @property
    def weights(self) -> tuple[int, ...]:
        """Return the weights of the shares, in their order; empty if all are alike."""
        found = [self.capacity.get(worker, 1) for worker in self.alive]
        return tuple(found) if len(set(found)) > 1 else ()

    def join(self, worker: str) -> None:
        """A worker more. Only while the test is gathering, else it comes too late."""
        self.workers.append(worker)
        self.standing[worker] = Standing.COMING

    def hear(self, worker: str, kind: str, *fields: Any) -> list[Instruction]:
        """Return a worker's message; returns what to send. Kinds that change nothing here are
        ignored."""
        change = _HEARD.get(kind)
        if change is None or worker in self.lost:
            return []
        change(self, worker, *fields)
        return self._decide()

    def lose(self, worker: str) -> list[Instruction]:
        """A worker has died; returns what to send to the others."""
        if worker not in self.standing or self.standing[worker] in {Standing.GONE, Standing.LOST}:
            return []
        self.standing[worker] = Standing.LOST
        self.lost[worker] = self.phase
        if self.phase in {Phase.GATHERING, Phase.ARMING}:
            self._gather_again(without_leader=worker == self.leader)
        return self._decide()

    def leave(self, worker: str) -> list[Instruction]:
        """Note that a worker is out of the test, after whatever it did there."""
        if worker in self.lost:
            return []
        self.standing[worker] = Standing.GONE
        if self.phase in {Phase.GATHERING, Phase.ARMING} and worker == self.leader:
            self.phase = Phase.CLOSING  # its fixtures failed, or were skipped
        return self._decide()

    def stop(self) -> list[Instruction]:
        """End the test now: what has not started does not start, what runs is cut short."""
        running = self._are(Standing.RUNNING)
        if self.phase in {Phase.GATHERING, Phase.ARMING}:
            self.phase = Phase.CLOSING
        return [Instruction(worker, "stop") for worker in running] + self._decide()

    # What a message changes.

    def _ready(self, worker: str, *_: object) -> None:
        self.standing[worker] = Standing.WAITING

    def _prepared(self, worker: str, servers: Sequence[str]) -> None:
        self.standing[worker] = Standing.PREPARED
        self.servers = tuple(servers)

    def _armed(self, worker: str, deal: int) -> None:
        if self._is_answer(worker, deal):
            self.standing[worker] = Standing.ARMED

    def _refused(self, worker: str, deal: int, reason: str) -> None:
        if self._is_answer(worker, deal):
            self.standing[worker] = Standing.ARMED
            self.refusals[worker] = reason
            self.phase = Phase.CLOSING

    def _is_answer(self, worker: str, deal: int) -> bool:
        """Return whether a worker's answer is to the last deal, and not to one that a loss has
        undone."""
        return deal == self.deal and self.standing[worker] is Standing.ARMING

    def _finished(self, worker: str, *_: object) -> None:
        self.standing[worker] = Standing.FINISHED

    # What follows from where everybody stands.

    def _decide(self) -> list[Instruction]:
        orders: list[Instruction] = []
        while step := _STEPS[self.phase](self):
            orders += step
        return orders

    def _gathering(self) -> list[Instruction]:
        alive = self.alive
        if self.leader is None:
            if not alive or self.standing[alive[0]] is not Standing.WAITING:
                return []
            self.leader = alive[0]
            self.standing[self.leader] = Standing.LEADING
            return [Instruction(self.leader, "lead")]
        here = self._are(Standing.WAITING, Standing.PREPARED)
        if self.servers is None or here != alive:
            return []
        self.phase = Phase.ARMING
        self.deal += 1
        for worker in alive:
            self.standing[worker] = Standing.ARMING
        weights = self.weights
        return [
            Instruction(worker, "share", (self.deal, index, len(alive), self.servers, weights))
            for index, worker in enumerate(alive)
        ]

    def _arming(self) -> list[Instruction]:
        alive = self.alive
        if not alive or self._are(Standing.ARMED) != alive:
            return []
        self.phase = Phase.RUNNING
        self.started = True
        start = self.clock() + self.lead_time
        for worker in alive:
            self.standing[worker] = Standing.RUNNING
        return [Instruction(worker, "go", (start,)) for worker in alive]

    def _running(self) -> list[Instruction]:
        if self._are(Standing.RUNNING):
            return []
        self.phase = Phase.CLOSING
        return [Instruction(self.leader, "release")] if self.leader in self.alive else []

    def _closing(self) -> list[Instruction]:
        waiting = self._are(Standing.WAITING, Standing.PREPARED, Standing.ARMED)
        for worker in waiting:
            self.standing[worker] = Standing.FINISHED
        return [Instruction(worker, "skip") for worker in waiting]

    def _gather_again(self, *, without_leader: bool) -> None:
        """Back to before the deal, after a loss. With the leader its application is gone, too."""
        self.phase = Phase.GATHERING
        if without_leader:
            self.leader, self.servers = None, None
        for worker in self._are(Standing.ARMING, Standing.ARMED):
            is_leader = worker == self.leader
            self.standing[worker] = Standing.PREPARED if is_leader else Standing.WAITING

    def _are(self, *standings: Standing) -> list[str]:
        return [worker for worker in self.workers if self.standing[worker] in standings]


_HEARD: Mapping[str, Callable[..., None]] = {
    "ready": Conductor._ready,
    "prepared": Conductor._prepared,
    "armed": Conductor._armed,
    "refused": Conductor._refused,
    "final": Conductor._finished,
    "failed": Conductor._finished,
}

_STEPS: Mapping[Phase, Callable[[Conductor], list[Instruction]]] = {
    Phase.GATHERING: Conductor._gathering,
    Phase.ARMING: Conductor._arming,
    Phase.RUNNING: Conductor._running,
    Phase.CLOSING: Conductor._closing,
}
