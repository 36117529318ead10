"""The results of a load test as plain values, ready to be written down in any form.

Times are milliseconds as floats, sizes bytes, rates per second. A time is None where nothing was
measured: there is no honest number for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_loadtool.load.cluster.merger import WorkerState
from pytest_loadtool.load.metrics.course import RunCourse
from pytest_loadtool.load.verdict.comparison import Comparison
from pytest_loadtool.load.verdict.failing import Failing
from pytest_loadtool.load.verdict.flows import FlowSummary
from pytest_loadtool.load.verdict.saved import SavedRun
from pytest_loadtool.load.verdict.threshold import ThresholdResult
from pytest_loadtool.load.verdict.verdict import Verdict
from pytest_loadtool.model.custom import MetricKind
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.model.result import Cause

Percentiles = tuple[tuple[str, float | None], ...]
"""Names of percentiles, such as p50 and p99.9, and their values."""


def percentile_name(p: float) -> str:
    """Return what a percentile is called."""
    return f"p{p:g}"


@dataclass(frozen=True, slots=True)
class TimeSummary:
    """A distribution of durations in milliseconds."""

    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None
    max: float | None
    asked: Percentiles = ()
    """The percentiles that the load configuration asks for, ascending."""

    def scaled(self, factor: float) -> TimeSummary:
        """Return it in another unit."""

        def of(value: float | None) -> float | None:
            return None if value is None else value * factor

        asked = tuple((name, of(value)) for name, value in self.asked)
        mean, p50, p95, p99, most = map(of, (self.mean, self.p50, self.p95, self.p99, self.max))
        return TimeSummary(mean, p50, p95, p99, most, asked)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of requests, in total or of one transaction.

    ``status`` pairs status codes with counts, ascending; 0 means no response.
    """

    requests: int
    errors: int
    error_rate: float
    bytes_received: int
    bytes_sent: int
    duration_s: float
    throughput_rps: float
    service_time: TimeSummary
    response_time: TimeSummary
    first_byte: TimeSummary
    status: tuple[tuple[int, int], ...]
    good_time: TimeSummary
    """The response time of requests that did not fail."""
    failed_time: TimeSummary
    not_as_recorded: int = 0
    """Requests that passed and did not come as recorded."""


@dataclass(frozen=True, slots=True)
class TransactionSummary:
    """One transaction. A name that comes again on its page is numbered: ``GET / (2)``. ``static``
    says that it is a file, by the ending of its name."""

    name: str
    numbers: Numbers
    static: bool = False
    slowest_trace: str = ""
    """The id of the trace of its slowest request, if requests had traces."""


@dataclass(frozen=True, slots=True)
class PageSummary:
    """One page: its duration is from its first request to its last response, without think time.

    There are percentiles only if the load configuration asks for them.
    """

    name: str
    count: int
    failed: int
    durations: TimeSummary
    min: float | None
    transactions: tuple[TransactionSummary, ...]
    static: Numbers | None = None
    """All of its static files together, if they are several."""
    once: str = ""
    """Empty, or where each user does it once: at its ``start`` or its ``end``."""


@dataclass(frozen=True, slots=True)
class CaseSummary:
    """One test case: how many iterations were finished, how many of these failed, and how long they
    took with their think times. ``cut`` ones are in no other number. Users waited the share
    ``think`` of the time of their iterations."""

    name: str
    iterations: int
    failed: int
    cut: int
    think: float
    durations: TimeSummary
    pages: tuple[PageSummary, ...]
    flows: tuple[FlowSummary, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorSummary:
    """One distinct error. ``first_s`` is the second of the run in which it came first."""

    case: str
    page: str
    transaction: str
    cause: Cause
    message: str
    count: int
    first_s: int
    example: str


@dataclass(frozen=True, slots=True)
class NotAsRecordedSummary:
    """One way in which a transaction passed and did not come as recorded."""

    case: str
    page: str
    transaction: str
    difference: str
    count: int


@dataclass(frozen=True, slots=True)
class WorkerSummary:
    """One worker. ``cpu`` is processor time by elapsed time: 1 is a whole core. It began
    ``start_late_s`` after the moment that all were told, by its own clock. On a cluster that is
    ``clock_ahead_s`` ahead of the controller's, as far as is known, and so exactly (late as it was)
    it began with the others: None elsewhere, or where that was not measured.
    """

    name: str
    state: WorkerState
    users: int
    requests: int
    errors: int
    duration_s: float
    cpu: float
    lag_p95: float | None
    lateness_p95: float | None
    lateness_p99: float | None
    text: str
    start_late_s: float = 0.0
    clock_ahead_s: float | None = None
    start_exact_to_s: float | None = None


@dataclass(frozen=True, slots=True)
class ConnectionSummary:
    """The connections of a run: ``tls`` is the time of the handshake, after TCP's ``connect``.

    ``retried`` requests were sent again, because the idle connection had been closed.
    ``negotiated`` requests were answered by a challenge (connection authentication negotiation):
    these are in no other number, and their time is in that of pages alone. ``renewals`` of them
    were sent to refresh a token. Users waited ``backed_off_s`` seconds in sum before they tried
    again what had got no response at all.
    """

    opened: int
    retried: int
    backed_off_s: float
    negotiated: int
    renewals: int
    connect: TimeSummary
    tls: TimeSummary
    negotiation: TimeSummary


@dataclass(frozen=True, slots=True)
class HookSummary:
    """The functions of the project: how often they were called, and how long they took. That is in
    no time of requests."""

    calls: int
    took: TimeSummary


@dataclass(frozen=True, slots=True)
class CustomSummary:
    """A metric of the project's own: what a counter came to, or how often a rate or a trend was
    recorded; the ``share`` of a rate; the ``values`` of a trend, which have no unit."""

    name: str
    kind: MetricKind
    count: int
    share: float | None
    values: TimeSummary


@dataclass(frozen=True, slots=True)
class MomentTimes:
    """Times of a part of a run: ``percentiles`` are those that the load configuration asks for.
    All is None where nothing was measured."""

    mean: float | None = None
    percentiles: Percentiles = ()
    max: float | None = None


@dataclass(frozen=True, slots=True)
class CustomMoment:
    """What was recorded of a metric of the project's own in a part of a run, as `CustomSummary` has
    it of the whole."""

    name: str
    kind: MetricKind
    count: int
    share: float | None = None
    values: MomentTimes = MomentTimes()


@dataclass(frozen=True, slots=True)
class Moment:
    """``length_s`` seconds of the run from ``second`` on. ``users`` were at work on average.

    ``causes`` counts the errors by cause; ``cpu`` is processor time of all workers by elapsed time.
    ``good_mean`` is the response time of requests that did not fail.
    """

    second: int
    length_s: int
    requests: int
    errors: int
    users: float
    response: MomentTimes = MomentTimes()
    service: MomentTimes = MomentTimes()
    good_mean: float | None = None
    causes: tuple[tuple[str, int], ...] = ()
    bytes_received: int = 0
    bytes_sent: int = 0
    opened: int = 0
    lateness: MomentTimes = MomentTimes()
    cpu: float = 0.0
    custom: tuple[CustomMoment, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """A whole run. ``started`` is ISO 8601.

    ``timeline`` has the seconds in which users were at work, in order. ``dropped`` arrivals could
    not start, because all users were busy.
    """

    name: str
    started: str
    verdict: Verdict
    configuration: LoadConfiguration
    totals: Numbers
    cut_requests: int
    cut_iterations: int
    dropped: int
    connections: ConnectionSummary
    hooks: HookSummary
    custom: tuple[CustomSummary, ...]
    other_custom: int
    """Of how many metrics workers have reported under names that are too many."""
    detailed_pages: bool
    saved: SavedRun
    """What of this run can be compared with a later one."""
    comparison: Comparison | None
    """With an earlier run, if that was asked for."""
    thresholds: tuple[ThresholdResult, ...]
    cases: tuple[CaseSummary, ...]
    failing: Failing
    """What failed first in iterations."""
    errors: tuple[ErrorSummary, ...]
    other_errors: int
    not_as_recorded: tuple[NotAsRecordedSummary, ...]
    """The most frequent first."""
    workers: tuple[WorkerSummary, ...]
    timeline: tuple[Moment, ...]
    course: RunCourse
    """What the timeline is made from, and what each transaction did when."""
