"""What a load test measures, as numbers that merge exactly (see `merged`).

Each worker has one `LoadMetrics`, and reports of it (see `reports`). Nothing in it grows with the
number of requests. What came when is told by reports, and known to whoever adds them up.

Recording a request is the hot path: `LoadMetrics.record` touches one transaction and the longest
time of the second. Totals, per-second counts and rates are derived when somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pytest_loadtool.load.metrics.custom import CustomMetrics
from pytest_loadtool.load.metrics.errorlog import ErrorLog
from pytest_loadtool.load.metrics.firsts import FirstFailures
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.keys import FlowKey, PageKey, TransactionKey, check_keys
from pytest_loadtool.load.metrics.measures import FlowTally, Spans, TransactionMetrics
from pytest_loadtool.load.metrics.traces import SlowestTraces
from pytest_loadtool.model.editing import numbered
from pytest_loadtool.model.result import Failure, main_failure

ADDED = (
    "cut", "cut_iterations", "retried", "renewals", "dropped", "backed_off_us", "users",
    "peak_users", "last_requests", "last_errors", "cpu_us",
    "waited_us",
)  # fmt: skip
"""Plain integers of `LoadMetrics` that are added up."""

GREATEST = ("elapsed_us", "second", "start_late_us")
"""Those of which the greatest counts."""

DELAYS = ("lateness", "lag", "connect", "tls", "negotiation", "hooks")
"""The attributes of `LoadMetrics` that are histograms of the whole run."""

MEASURED = ("transactions", "pages", "cases", "flows")
"""The attributes of `LoadMetrics` that are lists of measures, one for each key."""


class LoadMetrics:
    """The numbers of one worker, or of several merged.

    ``describe`` makes the text of an error's first example from what `record` was given; by default
    a string stands for itself and a callable is called. ``keep`` makes what can be sent of a sample
    of failed exchanges: see `FirstFailures`.

    Plain attributes for the driver to set or add to:

    * ``cut``, ``cut_iterations``: requests and iterations cut off at the end. They are in no
      histogram and in no other count.
    * ``retried``: requests sent again because the idle connection they went out on had been closed.
    * ``renewals``: requests that refreshed a token; they are among those that negotiate.
    * ``dropped``: arrivals that could not start, because all users were busy.
    * ``backed_off_us``: how long users waited after iterations without any response.
    * ``elapsed_us``: how long the worker has run; ``cpu_us``: the processor time its process used
      meanwhile; ``waited_us``: how long it waited for a processor, where that is known. All
      cumulative.
    * ``start_late_us``: how long after the moment to start it began, by its own clock.

    ``last_requests`` and ``last_errors`` are of the last whole second. ``causes`` counts failed
    requests by the cause of their `main_failure`.

    Whoever wants to know what came in which second sets ``on_turn`` and ``on_second``: the first is
    called with the index of a transaction before it is recorded in a later second than before, the
    other when a second is over, with that second. ``longest_us`` is the longest response time since
    somebody has set it to 0.

    Pages have percentiles if ``detailed_pages``, else only average, least and most.

    Raises:
        ValueError: a transaction is of a page, or a page of a case, that is not given.
    """

    def __init__(
        self,
        transactions: Sequence[TransactionKey],
        pages: Sequence[PageKey],
        cases: Sequence[str],
        describe: Callable[[Any], str] | None = None,
        *,
        flows: Sequence[FlowKey] = (),
        detailed_pages: bool = False,
        keep: Callable[[Any], dict[str, Any] | str] | None = None,
    ) -> None:
        self.transaction_keys = tuple(transactions)
        self.page_keys = tuple(pages)
        self.case_keys = tuple(cases)
        self.flow_keys = tuple(flows)
        check_keys(self.transaction_keys, self.page_keys, self.case_keys)
        self.transactions = [TransactionMetrics() for _ in self.transaction_keys]
        self.detailed_pages = detailed_pages
        self.pages = [Spans(detailed_pages) for _ in self.page_keys]
        self.cases = [Spans() for _ in self.case_keys]
        self.flows = [FlowTally() for _ in self.flow_keys]
        self.traces = SlowestTraces()
        self.errors = ErrorLog()
        self.causes: dict[str, int] = {}
        self.firsts = FirstFailures(keep)
        self.lateness = Histogram()
        self.lag = Histogram()
        self.connect = Histogram()
        self.tls = Histogram()
        self.negotiation = Histogram()
        self.hooks = Histogram()
        self.custom = CustomMetrics()
        self.cut = self.cut_iterations = self.retried = self.renewals = self.dropped = 0
        self.backed_off_us = 0
        self.users = self.peak_users = 0
        self.elapsed_us = self.cpu_us = self.waited_us = self.start_late_us = 0
        self.second = self.last_requests = self.last_errors = 0
        self.on_turn: Callable[[int], None] | None = None
        self.on_second: Callable[[int], None] | None = None
        self.longest_us = 0
        # Of the current second: most users, and the counts it began with.
        self._busiest = 0
        self._began = (0, 0)
        self._describe = describe or _describe

    # Recording.

    def record(
        self,
        index: int,
        status: int,
        service_us: int,
        response_us: int,
        first_byte_us: int,
        received: int,
        sent: int,
        failures: tuple[Failure, ...] = (),
        example: object = "",
    ) -> None:
        """Count one finished request of the transaction at ``index``.

        ``service_us`` runs from sent to the last byte, ``first_byte_us`` from sent to the first
        one (-1 if none came), ``response_us`` from when it should have been sent to the last byte.
        ``status`` is 0 when there was no response. ``example`` is looked at only for a failure not
        seen before: see ``describe``.
        """
        transaction = self.transactions[index]
        if transaction.second != self.second:
            self._turn(index, transaction)
        statuses = transaction.statuses
        statuses[status] = statuses.get(status, 0) + 1
        transaction.service.record(service_us)
        transaction.response.record(response_us)
        if first_byte_us >= 0:
            transaction.first_byte.record(first_byte_us)
        transaction.received += received
        transaction.sent += sent
        if response_us > self.longest_us:
            self.longest_us = response_us
        if failures:
            transaction.errors += 1
            cause = main_failure(failures).cause
            self.causes[cause] = self.causes.get(cause, 0) + 1
            self.errors.record(index, failures, self.second, partial(self._describe, example))

    def record_not_as_recorded(self, index: int, difference: str) -> None:
        """Count a request, recorded already, that passed and did not come as recorded."""
        self.transactions[index].differ(difference)

    def record_page(self, index: int, duration_us: int, failed: bool) -> None:
        """Count one finished page: its first request's start to its last response's end."""
        self.pages[index].record(duration_us, failed)

    def record_iteration(self, case_index: int, duration_us: int, failed: bool) -> None:
        """Count one finished iteration of a test case, think times included."""
        self.cases[case_index].record(duration_us, failed)

    def record_connection(self, connect_us: int, tls_us: int | None) -> None:
        """Count one connection that was opened: the time of TCP, and of TLS if it was used."""
        self.connect.record(connect_us)
        if tls_us is not None:
            self.tls.record(tls_us)

    def record_negotiation(self, service_us: int) -> None:
        """Count one request that was answered by a challenge: it is among no others."""
        self.negotiation.record(service_us)

    def record_hook(self, us: int) -> None:
        """Count the time for which a function of the project ran, in which no user went on."""
        self.hooks.record(us)

    def record_lateness(self, us: int) -> None:
        """Count how late this generator started something that was due, by its own fault alone."""
        self.lateness.record(us)

    def record_lag(self, us: int) -> None:
        """Count how late the event loop ran a timer: the time by which an answer may wait to be
        seen."""
        self.lag.record(us)

    def set_users(self, active: int) -> None:
        """Note how many virtual users are at work now."""
        self.users = active
        self.peak_users = max(self.peak_users, active)
        self._busiest = max(self._busiest, active)

    def begin_second(self, second: int) -> None:
        """Requests recorded from now on belong to this second of the run (from 0)."""
        if second == self.second:
            return
        if self.on_second is not None:
            self.on_second(self.second)
        requests, errors = self.requests, self.failed_requests
        next_one = second == self.second + 1
        self.last_requests = requests - self._began[0] if next_one else 0
        self.last_errors = errors - self._began[1] if next_one else 0
        self._began = (requests, errors)
        for skipped in range(self.second + 1, second):  # nobody looked at the clock in time
            self.second, self._busiest = skipped, self.users
            if self.on_second is not None:
                self.on_second(skipped)
        self.second = second
        self._busiest = self.users

    def _turn(self, index: int, transaction: TransactionMetrics) -> None:
        """A transaction is recorded in another second than before."""
        if self.on_turn is not None:
            self.on_turn(index)
        transaction.second = self.second

    # Reading.

    @property
    def busiest(self) -> int:
        """The most users that were at work at a time in this second."""
        return self._busiest

    @property
    def requests(self) -> int:
        """Return how many requests were finished, well or not."""
        return sum(one.requests for one in self.transactions)

    @property
    def failed_requests(self) -> int:
        """Return how many requests had at least one failure."""
        return sum(one.errors for one in self.transactions)

    @property
    def keys(self) -> tuple[object, ...]:
        """Return what it has numbers of: only those of the same can be merged."""
        named = self.transaction_keys, self.page_keys, self.case_keys, self.flow_keys
        return *named, self.detailed_pages

    def transaction_names(self) -> list[str]:
        """Return the name of each transaction; one that comes again on its page is numbered."""
        return numbered((key.case, key.page, key.name) for key in self.transaction_keys)

    def page_names(self) -> list[str]:
        """Return the name of each page; one that comes again in its case is numbered."""
        return numbered((key.case, key.name) for key in self.page_keys)

    def total(self, indices: Sequence[int] | None = None) -> TransactionMetrics:
        """Return all transactions merged, or those at ``indices``."""
        total = TransactionMetrics()
        for index in range(len(self.transactions)) if indices is None else indices:
            total.merge(self.transactions[index])
        return total


def _describe(example: Any) -> str:
    return str(example() if callable(example) else example)
