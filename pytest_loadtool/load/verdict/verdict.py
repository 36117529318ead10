"""Whether a load test passed, failed, or says nothing about the server.

A run is **inconclusive** when part of the load was missing or when the generator itself was what
the numbers show. An inconclusive run is not a success. When a run has failed as well, it has
failed: errors are errors whatever else went wrong, and the other reasons stand beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_loadtool.load.cluster.merger import WorkerResult
from pytest_loadtool.load.cluster.share import Share
from pytest_loadtool.load.formatting import count, percent, plural
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.load.verdict.threshold import ThresholdResult
from pytest_loadtool.load.verdict.unfinished import unfinished
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import LoadConfiguration

Outcome = Literal["passed", "failed", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome, and one sentence for each reason not to call it passed."""

    outcome: Outcome
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """The limits at which a worker was too slow for its own measurements. All three must be
    reached.

    * ``cpu``: processor time by elapsed time; 1 is a whole core, which is all that a worker can
      use.
    * ``delay_ms``: by how much it was late, in milliseconds. That is the 95th percentile of the
      event loop's lag or of late starts, whichever is more.
    * ``of_response``: that delay as a share of the 95th percentile of the response time.

    ``remedy`` is what to do, with ``{less}`` for what to ask less of.
    """

    cpu: float
    delay_ms: float
    of_response: float
    remedy: str


BOTTLENECKS = (
    # A busy core by itself is no fault: users without think time make one busy whenever the server
    # is quicker than the generator. It becomes one when a person would see it in the response
    # times.
    Bottleneck(
        cpu=0.9,
        delay_ms=20.0,
        of_response=0.1,
        remedy="use more workers (-n, up to one for each core), or {less}",
    ),
    # The processor is taken by somebody else: only what is late shows it. Other programs disturb
    # every machine at times, so this asks for more.
    Bottleneck(
        cpu=0.0,
        delay_ms=200.0,
        of_response=0.5,
        remedy="other programs had the processor: use a quieter machine, more cores, or {less}",
    ),
)

#: The share of arrivals that may be dropped. A moment's hiccup drops a few; more is another load
#: than the one that was asked for.
DROPPED = 0.001

_Finding = tuple[Literal["failed", "inconclusive"], str]


@dataclass(frozen=True, slots=True)
class _Run:
    metrics: LoadMetrics
    configuration: LoadConfiguration
    workers: Sequence[WorkerResult]
    stopped_after: float | None
    thresholds: Sequence[ThresholdResult]
    lengths: Sequence[Length]


def verdict(
    metrics: LoadMetrics,
    configuration: LoadConfiguration,
    workers: Sequence[WorkerResult] = (),
    *,
    stopped_after: float | None = None,
    thresholds: Sequence[ThresholdResult] = (),
    lengths: Sequence[Length] = (),
) -> Verdict:
    """Judge a run. ``stopped_after`` is when somebody stopped it, in seconds after its start;
    ``thresholds`` are what came of the configuration's; ``lengths`` are how long an iteration of
    each test case takes, if that is known.
    """
    run = _Run(metrics, configuration, workers, stopped_after, thresholds, lengths)
    findings = [finding for check in _CHECKS for finding in check(run)]
    outcomes = {outcome for outcome, _ in findings}
    worst: Sequence[Outcome] = ("failed", "inconclusive")
    return Verdict(
        next((outcome for outcome in worst if outcome in outcomes), "passed"),
        tuple(reason for _, reason in findings),
    )


def _no_requests(run: _Run) -> Iterator[_Finding]:
    if not run.metrics.requests:
        yield "failed", "no request was finished, so there is nothing to judge"


def _thresholds(run: _Run) -> Iterator[_Finding]:
    for result in run.thresholds:
        if not result.passed:
            yield "failed", result.why


def _error_rate(run: _Run) -> Iterator[_Finding]:
    if any(one.replaces_error_rate for one in run.configuration.thresholds):
        return
    requests, errors = run.metrics.requests, run.metrics.failed_requests - _without_memory(run)
    allowed = run.configuration.max_error_rate
    if requests and errors / requests > allowed:
        rate = percent(errors / requests)
        yield (
            "failed",
            f"error rate {rate}: {count(errors)} of {plural(requests, 'request')} failed, "
            f"{percent(allowed)} allowed",
        )


def _memory(run: _Run) -> Iterator[_Finding]:
    """Find that the memory of workers did not suffice, which is no error of the server, and so in
    no error rate of the verdict."""
    lost = _without_memory(run)
    if lost:
        yield (
            "inconclusive",
            f"the memory of the workers did not suffice for {plural(lost, 'response')}: lower "
            "body_limit, use fewer users, or a machine with more memory",
        )


def _without_memory(run: _Run) -> int:
    """Return how many requests failed for want of memory: each has that failure alone."""
    return sum(error.count for error in run.metrics.errors if error.cause == "memory")


def _missing_workers(run: _Run) -> Iterator[_Finding]:
    for worker in run.workers:
        text = f": {worker.text}" if worker.text else ""
        if worker.state == "failed":
            yield "inconclusive", f"worker {worker.name} could not do its share{text}"
        elif worker.share is not None and worker.state != "final":
            yield (
                "inconclusive",
                f"worker {worker.name} was lost{_what_is_missing(run, worker)}{text}",
            )


def _what_is_missing(run: _Run, worker: WorkerResult) -> str:
    assert worker.share is not None
    load = _load_of(run.configuration, worker.share)
    if worker.totals is None:
        return f" before it reported anything: {load} is missing"
    seconds = worker.totals.elapsed_us / 1e6
    return (
        f": {load} is missing from {seconds:.1f} s on; "
        f"the {plural(worker.totals.requests, 'request')} that it had reported are counted"
    )


def _load_of(plan: LoadConfiguration, share: Share) -> str:
    if all(one.schedule.open for one in plan.populations):
        return f"its part of the arrivals (1 of {share.count})"
    return f"the load of its {count(share.users_of(plan))} of {plural(plan.all_users, 'user')}"


def _stopped(run: _Run) -> Iterator[_Finding]:
    seconds, planned = run.stopped_after, run.configuration.end
    if seconds is not None and (planned is None or seconds < planned):
        of = f" of {planned:g} s" if planned is not None else ""
        yield "inconclusive", f"stopped after {seconds:.1f} s{of}"


def _untouched_cases(run: _Run) -> Iterator[_Finding]:
    requests = dict.fromkeys(run.metrics.case_keys, 0)
    for key, transaction in zip(
        run.metrics.transaction_keys, run.metrics.transactions, strict=True
    ):
        requests[key.case] = requests.get(key.case, 0) + transaction.requests
    if any(requests.values()):
        for case, number in requests.items():
            if not number:
                yield (
                    "inconclusive",
                    f"test case {case!r} finished no request: raise users, duration or its weight",
                )


def _unfinished(run: _Run) -> Iterator[_Finding]:
    """Find what was not finished, but not in a run that has ended before its time, which says so
    already."""
    by_threshold = any(one.threshold.stop and not one.passed for one in run.thresholds)
    if not (by_threshold or any(_stopped(run)) or any(_missing_workers(run))):
        for reason in unfinished(run.metrics, run.configuration, run.lengths):
            yield "inconclusive", reason


#: Transactions that are named in reasons.
_MOST_NAMED = 3


def _never_as_recorded(run: _Run) -> Iterator[_Finding]:
    if any(one.replaces_not_as_recorded for one in run.configuration.thresholds):
        return
    names = run.metrics.transaction_names()
    never = [
        (name, one)
        for name, one in zip(names, run.metrics.transactions, strict=True)
        if one.not_as_recorded and one.not_as_recorded + one.errors == one.requests
    ]
    for name, one in never[:_MOST_NAMED]:
        difference = max(one.differences, key=one.differences.__getitem__)
        yield (
            "inconclusive",
            f"{name!r} never once came as recorded ({plural(one.requests, 'request')}): "
            f"{difference}; if that is right, record again or correct 'recorded' in the test case",
        )
    if len(never) > _MOST_NAMED:
        more = plural(len(never) - _MOST_NAMED, "more transaction")
        yield "inconclusive", f"{more} never once came as recorded"


def _dropped(run: _Run) -> Iterator[_Finding]:
    if any(one.metric == "dropped" and not one.stop for one in run.configuration.thresholds):
        return
    dropped = run.metrics.dropped
    begun = sum(case.durations.count for case in run.metrics.cases) + run.metrics.cut_iterations
    arrivals = dropped + begun
    if dropped > DROPPED * arrivals:
        opened = [one.schedule for one in run.configuration.populations if one.schedule.open]
        users = plural(sum(one.users for one in opened), "user")
        yield (
            "inconclusive",
            f"{count(dropped)} of {plural(arrivals, 'arrival')} could not start, because all of "
            f"{users} were busy: raise users, or the server is too slow for this rate",
        )


#: A shorter run is mostly its own beginning, which is always busy.
_SHORTEST_US = 1_000_000


def _bottlenecks(run: _Run) -> Iterator[_Finding]:
    for worker in run.workers:
        totals = worker.totals
        if totals is None or totals.elapsed_us < _SHORTEST_US or not totals.requests:
            continue
        cpu = totals.cpu_us / totals.elapsed_us
        delay = max(_p95_ms(totals.lag), _p95_ms(totals.lateness))
        response = _p95_ms(totals.response)
        limit = _bottleneck(cpu, delay, response)
        if limit is not None:
            opened = any(one.schedule.open for one in run.configuration.populations)
            less = "a lower rate" if opened else "fewer users"
            yield (
                "inconclusive",
                f"worker {worker.name} was itself too slow: it was {delay:.0f} ms late and used "
                f"{cpu:.0%} of a core, while responses took {response:.0f} ms (95th percentiles); "
                f"{limit.remedy.format(less=less)}",
            )


def _bottleneck(cpu: float, delay_ms: float, response_ms: float) -> Bottleneck | None:
    """Return the first of `BOTTLENECKS` that is reached."""
    for limit in BOTTLENECKS:
        least_delay = max(limit.delay_ms, limit.of_response * response_ms)
        if cpu >= limit.cpu and delay_ms >= least_delay:
            return limit
    return None


def _p95_ms(histogram: Histogram) -> float:
    return histogram.percentile(95) / 1000 if histogram.count else 0.0


_CHECKS = (
    _no_requests,
    _error_rate,
    _memory,
    _thresholds,
    _missing_workers,
    _stopped,
    _untouched_cases,
    _unfinished,
    _never_as_recorded,
    _dropped,
    _bottlenecks,
)
