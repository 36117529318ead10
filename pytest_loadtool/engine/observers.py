"""From what virtual users and the network report to metrics: seconds to whole microseconds."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from time import perf_counter

from pytest_loadtool.engine.examples import Examples
from pytest_loadtool.load.metrics.keys import PageKey, TransactionKey
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.plan import Observer, PagePlan, Plan, Response, Step


def metrics_for(plans: Sequence[Plan], *, detailed_pages: bool = False) -> LoadMetrics:
    """Empty metrics with a place for each transaction and page of ``plans``, in their order."""
    named = list(zip(_distinct(plan.case.name for plan in plans), plans, strict=True))
    return LoadMetrics(
        transactions=[
            TransactionKey(name, step.page_title, step.title)
            for name, plan in named
            for step in plan.steps
        ],
        pages=[PageKey(name, page.name) for name, plan in named for page in plan.pages],
        cases=[name for name, _ in named],
        describe=Examples(plans).describe,
        detailed_pages=detailed_pages,
    )


def _distinct(names: Iterable[str]) -> Iterator[str]:
    """The names, a repeated one numbered: ``shop``, ``shop (2)``."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"


def observers_for(plans: Sequence[Plan], metrics: LoadMetrics, clock: Clock) -> list[Observer]:
    """An observer per plan: its own indices, shifted to where its keys begin in the metrics."""
    observers: list[Observer] = []
    first_step = first_page = 0
    for case, plan in enumerate(plans):
        observers.append(_MetricsObserver(metrics, clock, case, first_step, first_page))
        first_step += len(plan.steps)
        first_page += len(plan.pages)
    return observers


class _MetricsObserver:
    """Turns what a virtual user reports into metrics: seconds to whole microseconds."""

    __slots__ = ("_case", "_clock", "_first_page", "_first_step", "_metrics")

    def __init__(
        self, metrics: LoadMetrics, clock: Clock, case: int, first_step: int, first_page: int
    ) -> None:
        self._metrics = metrics
        self._clock = clock
        self._case = case
        self._first_step = first_step
        self._first_page = first_page

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        """Record one request."""
        finished = response.finished
        sent = response.sent
        received = response.received
        if finished >= self._clock.next_second:
            # An overloaded event loop takes in thousands of responses before any timer rings.
            self._clock.read()
        self._metrics.record(
            self._first_step + step.index,
            response.status,
            int((finished - sent) * 1e6),
            # A timer that rings early makes no response quicker than its service.
            int((finished - min(sent, response.send.due)) * 1e6),
            int((response.first_byte - sent) * 1e6) if received else -1,
            received,
            len(response.send.data),
            failures,
            response,
        )
        if response.otherwise and not failures:
            self._metrics.record_otherwise(self._first_step + step.index, response.otherwise)

    def negotiation(self, step: Step, response: Response) -> None:
        """Record one request that was challenged, or has refreshed what ``step`` needs."""
        self._metrics.record_negotiation(int((response.finished - response.sent) * 1e6))
        if response.send.step is not step:
            self._metrics.renewals += 1

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None:
        """Record one page."""
        self._metrics.record_page(
            self._first_page + page.index, int((finished - started) * 1e6), failed
        )

    def iteration(self, started: float, finished: float, failed: bool) -> None:
        """Record one iteration of the test case."""
        self._metrics.record_iteration(self._case, int((finished - started) * 1e6), failed)


class NetworkMetrics:
    """Turns what the network reports into metrics."""

    def __init__(self, metrics: LoadMetrics) -> None:
        self._metrics = metrics

    def woke_late(self, seconds: float) -> None:
        """A user started or went on too late."""
        self._metrics.record_lateness(int(seconds * 1e6))

    def opened(self, connecting: float, handshake: float | None) -> None:
        """A connection was opened."""
        tls_us = None if handshake is None else int(handshake * 1e6)
        self._metrics.record_connection(int(connecting * 1e6), tls_us)

    def retried(self) -> None:
        """A request was sent again."""
        self._metrics.retried += 1

    def challenged(self, seconds: float) -> None:
        """A CONNECT was answered by a challenge."""
        self._metrics.record_negotiation(int(seconds * 1e6))


class Clock:
    """Keeps the metrics' own clocks: elapsed time, processor time, the second of the run."""

    def __init__(self, metrics: LoadMetrics) -> None:
        self.start = inf
        self.next_second = inf
        """When the next second of the run begins."""
        self._metrics = metrics
        self._processor = 0.0

    def begin(self, start: float) -> None:
        """The run begins at a time of ``perf_counter``."""
        self.start = start
        self.next_second = start + 1
        self._processor = time.process_time()

    def read(self) -> float:
        """Set the clocks; the time of ``perf_counter``."""
        now = perf_counter()
        elapsed = max(0.0, now - self.start)
        if int(elapsed) != self._metrics.second:
            self._metrics.begin_second(int(elapsed))
            self.next_second = self.start + int(elapsed) + 1
        self._metrics.elapsed_us = int(elapsed * 1e6)
        self._metrics.cpu_us = int((time.process_time() - self._processor) * 1e6)
        return now
