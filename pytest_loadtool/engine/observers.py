"""From what virtual users and the network report to metrics: seconds to whole microseconds."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from pathlib import Path
from time import perf_counter

from pytest_loadtool.engine.samples import LONGEST_BODY, Examples, KeptStep, KeptSteps, Samples
from pytest_loadtool.load.metrics.firsts import MOST_SAMPLES, FailureGroup
from pytest_loadtool.load.metrics.keys import FlowKey, PageKey, TransactionKey
from pytest_loadtool.load.metrics.measures import FlowTally
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.model.flow import RULE_NAMES, parents_of
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.exchange import Response, Step
from pytest_loadtool.replay.user.plan import PagePlan, Plan
from pytest_loadtool.replay.user.user import VirtualUser


def metrics_for(plans: Sequence[Plan], *, detailed_pages: bool = False) -> LoadMetrics:
    """Return empty metrics with a place for each transaction and page of ``plans``, in their
    order."""
    named = list(zip(_distinct(plan.case.name for plan in plans), plans, strict=True))
    return LoadMetrics(
        transactions=[
            TransactionKey(name, step.page_title, step.title)
            for name, plan in named
            for step in plan.steps
        ],
        pages=[
            PageKey(name, page.name, written.once or "")
            for name, plan in named
            for page, written in zip(plan.pages, plan.case.pages, strict=True)
        ],
        cases=[name for name, _ in named],
        flows=[key for name, plan in named for key in _flow_keys(name, plan)],
        describe=Examples(plans).describe,
        detailed_pages=detailed_pages,
        keep=Samples(plans).sent,
    )


def _flow_keys(case: str, plan: Plan) -> Iterator[FlowKey]:
    """Yield the flows of a test case, each before those within it."""
    flows, parents = plan.case.flows, parents_of(plan.case.flows)

    def within(around: str) -> Iterator[FlowKey]:
        for name, parent in parents.items():
            if parent == around:
                rule = RULE_NAMES[type(flows[name].rule)] if name in flows else "chosen"
                yield FlowKey(case, name, rule, parent)
                yield from within(name)

    yield from within("")


def _distinct(names: Iterable[str]) -> Iterator[str]:
    """Yield the names, a repeated one numbered: ``shop``, ``shop (2)``."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"


def observers_for(plans: Sequence[Plan], metrics: LoadMetrics, clock: Clock) -> list[CaseObservers]:
    """Return for each plan what makes observers of its users."""
    observers: list[CaseObservers] = []
    failure_watch = _FailureWatch(metrics)
    first_step = first_page = 0
    tallies: dict[str, dict[str, FlowTally]] = {name: {} for name in metrics.case_keys}
    for key, tally in zip(metrics.flow_keys, metrics.flows, strict=True):
        tallies[key.case][key.name] = tally
    for case, plan in enumerate(plans):
        one = CaseObservers(metrics, clock, failure_watch, case, first_step, first_page)
        one.traced = plan.case.traced
        one.tallies = tallies[metrics.case_keys[case]]
        observers.append(one)
        first_step += len(plan.steps)
        first_page += len(plan.pages)
    return observers


class _FailureWatch:
    """The knowledge that the observers of a process share: whether anything has failed so far.
    Until then they look at no response."""

    __slots__ = ("firsts", "needed")

    def __init__(self, metrics: LoadMetrics) -> None:
        self.firsts = metrics.firsts
        self.needed = False


class CaseObservers:
    """Makes observers of a test case's users. Its own indices are shifted to where its keys begin
    in the metrics. ``tallies`` are of its flows, by name; each request of a ``traced`` one has a
    trace of its own."""

    __slots__ = (
        "case",
        "clock",
        "failure_watch",
        "first_page",
        "first_step",
        "metrics",
        "tallies",
        "traced",
    )

    def __init__(
        self,
        metrics: LoadMetrics,
        clock: Clock,
        failure_watch: _FailureWatch,
        case: int,
        first_step: int,
        first_page: int,
    ) -> None:
        self.metrics = metrics
        self.clock = clock
        self.failure_watch = failure_watch
        self.case = case
        self.first_step = first_step
        self.first_page = first_page
        self.tallies: dict[str, FlowTally] = {}
        self.traced = False

    def of_user(self) -> UserObserver:
        """Return an observer for one user, which is to be told of it."""
        return TracedObserver(self) if self.traced else UserObserver(self)


#: Of which iterations of a group the exchange that failed first is kept.
_SAMPLED = frozenset({1, 10, 100})
#: How many users are asked to keep a whole iteration, for each group of failures, and how many
#: exchanges of one are kept.
_MOST_TRIES, _MOST_KEPT = 5, 500


class UserObserver:
    """Turns what a virtual user reports into metrics: seconds to whole microseconds.

    It knows what failed first in the iteration. Each group of failures gets the exchange that
    opened it as a sample, and then a whole iteration: of the user that failed, which keeps what it
    sends and receives in its next one.
    """

    __slots__ = (
        "_case",
        "_clock",
        "_failure_watch",
        "_first",
        "_first_page",
        "_first_step",
        "_keep_next",
        "_kept",
        "_metrics",
        "user",
    )  # fmt: skip

    def __init__(self, of: CaseObservers) -> None:
        self._metrics = of.metrics
        self._clock = of.clock
        self._failure_watch = of.failure_watch
        self._case = of.case
        self._first_step = of.first_step
        self._first_page = of.first_page
        self._first: FailureGroup | None = None
        self._kept: list[KeptStep] | None = None
        self._keep_next = False
        self.user: VirtualUser | None = None

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
        if failures or self._failure_watch.needed:
            self._place_in_iteration(step, response, failures)
        if response.not_as_recorded and not failures:
            self._metrics.record_not_as_recorded(
                self._first_step + step.index, response.not_as_recorded
            )

    def _place_in_iteration(
        self, step: Step, response: Response, failures: tuple[Failure, ...]
    ) -> None:
        """See what a request is in its iteration, from the first failure of the process on."""
        firsts, user, index = self._failure_watch.firsts, self.user, self._first_step + step.index
        kept = self._kept
        if kept is not None and len(kept) < _MOST_KEPT:
            kept.append(_shortened(step, response, failures))
        rows = list(user.rows.items()) if user is not None else []
        age_us = int((response.sent - user.began) * 1e6) if user is not None else 0
        if not failures:
            firsts.passed(index, age_us, rows)
            return
        self._failure_watch.needed = True
        second = self._metrics.second
        firsts.failed(index, second, _service_us(response), _response_us(response))
        if self._first is not None:
            self._first.consequences += 1
            return
        group = firsts.group(index, response.status, failures, second)
        self._first = group
        group.add(second, age_us, rows)
        if user is None or group is firsts.rest:
            return
        if group.iterations in _SAMPLED and len(group.samples) < MOST_SAMPLES:
            alone = [_shortened(step, response, failures)]
            group.samples.append(KeptSteps(self._case, alone, dict(rows), user.values, False))
        if group.tries < _MOST_TRIES and kept is None:
            group.tries += 1
            self._keep_next = True

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
        if self._first is not None or self._kept is not None:
            self.conclude()

    def conclude(self) -> None:
        """Begin anew with the next iteration; one that was kept and has failed is a sample."""
        group, kept, user = self._first, self._kept, self.user
        if group is not None and kept and user is not None:
            samples = group.samples
            if not any(one.whole for one in samples):
                whole = KeptSteps(self._case, kept, dict(user.rows), user.values, True)
                samples[:] = [*samples[: MOST_SAMPLES - 1], whole]
        self._first = None
        self._kept = [] if self._keep_next else None
        self._keep_next = False


class TracedObserver(UserObserver):
    """Takes note of traces, too."""

    __slots__ = ()

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        """Record one request, and its trace if none was slower."""
        super().transaction(step, response, failures)
        index = self._first_step + step.index
        self._metrics.traces.record(index, _response_us(response), response.send.data)


def _shortened(step: Step, response: Response, failures: tuple[Failure, ...]) -> KeptStep:
    """Return what is kept of a response, which nobody looks into any more: it may be held for
    long."""
    if len(response.body) > LONGEST_BODY:
        response.body = response.body[:LONGEST_BODY]
    return step, response, failures


def _service_us(response: Response) -> int:
    return int((response.finished - response.sent) * 1e6)


def _response_us(response: Response) -> int:
    return int((response.finished - min(response.sent, response.send.due)) * 1e6)


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


#: Where Linux says of the main thread, on which the event loop runs: nanoseconds on a processor,
#: nanoseconds that it waited for one.
_SCHEDULED = Path("/proc/self/schedstat")


def _waited_us() -> int:
    """Return how long this process has waited for a processor; 0 where nobody knows."""
    try:
        return int(_SCHEDULED.read_bytes().split()[1]) // 1000
    except (OSError, ValueError, IndexError):
        return 0


class Clock:
    """Keeps the metrics' own clocks: elapsed time, processor time, the second of the run."""

    def __init__(self, metrics: LoadMetrics) -> None:
        self.start = inf
        self.next_second = inf
        """When the next second of the run begins."""
        self._metrics = metrics
        self._processor = 0.0
        self._waited_us = 0

    def begin(self, start: float) -> None:
        """The run begins at a time of ``perf_counter``."""
        self.start = start
        self.next_second = start + 1
        self._processor = time.process_time()
        self._waited_us = _waited_us()

    def read(self) -> float:
        """Set the clocks, and return the time of ``perf_counter``."""
        now = perf_counter()
        elapsed = max(0.0, now - self.start)
        self._metrics.cpu_us = int((time.process_time() - self._processor) * 1e6)
        if int(elapsed) != self._metrics.second:
            self._metrics.waited_us = _waited_us() - self._waited_us
            self._metrics.begin_second(int(elapsed))
            self.next_second = self.start + int(elapsed) + 1
        self._metrics.elapsed_us = int(elapsed * 1e6)
        return now
