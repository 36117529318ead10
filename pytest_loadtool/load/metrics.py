"""What a load test measures, as numbers that merge exactly.

Each worker has one `LoadMetrics`. It is cumulative, and its snapshot at the end is the whole truth
about it. While it runs it reports what came since its last report: that is in proportion to the
requests of a second, where the whole is not. `MergedMetrics` are what reports add up to, at the
other end and at the worker's own. Nothing in them grows with the number of requests, and the
`Timeline` of a run has its limit.

Recording a request is the hot path: `LoadMetrics.record` touches one transaction and the longest
time of the second. Totals, per-second counts and rates are derived when somebody asks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from pytest_loadtool.load.errorlog import ErrorLog
from pytest_loadtool.load.histogram import Histogram
from pytest_loadtool.load.keys import PageKey, TransactionKey, check_keys, numbered
from pytest_loadtool.load.measures import Spans, TransactionMetrics
from pytest_loadtool.load.timeline import Timeline
from pytest_loadtool.model.result import Failure

__all__ = ["LoadMetrics", "MergedMetrics"]

_FORMAT = 4

_ADDED = (
    "cut", "cut_iterations", "retried", "renewals", "dropped", "users", "peak_users",
    "last_requests", "last_errors", "cpu_us",
)  # fmt: skip
"""Plain integers of `LoadMetrics` that are added up."""

_LONGEST = ("elapsed_us", "second")
"""Those of which the greatest counts."""

_DELAYS = ("lateness", "lag", "connect", "tls", "negotiation")
"""The attributes of `LoadMetrics` that are histograms of the whole run."""

_MEASURED = ("transactions", "pages", "cases")
"""The attributes of `LoadMetrics` that are lists of measures, one for each key."""


class LoadMetrics:
    """The numbers of one worker, or of several merged.

    ``describe`` makes the text of an error's first example from what `record` was given; by default
    a string stands for itself and a callable is called.

    Plain attributes for the driver to set or add to:

    * ``cut``, ``cut_iterations``: requests and iterations cut off at the end. They are in no
      histogram and in no other count.
    * ``retried``: requests sent again because the idle connection they went out on had been closed.
    * ``renewals``: requests that refreshed a token; they are among those that negotiate.
    * ``dropped``: arrivals that could not start, because all users were busy.
    * ``elapsed_us``: how long the worker has run; ``cpu_us``: the processor time its process used
      meanwhile. Both cumulative.

    ``last_requests`` and ``last_errors`` are of the last whole second.

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
        detailed_pages: bool = False,
    ) -> None:
        self.transaction_keys = tuple(transactions)
        self.page_keys = tuple(pages)
        self.case_keys = tuple(cases)
        check_keys(self.transaction_keys, self.page_keys, self.case_keys)
        self.transactions = [TransactionMetrics() for _ in self.transaction_keys]
        self.detailed_pages = detailed_pages
        self.pages = [Spans(detailed_pages) for _ in self.page_keys]
        self.cases = [Spans() for _ in self.case_keys]
        self.errors = ErrorLog()
        self.lateness = Histogram()
        self.lag = Histogram()
        self.connect = Histogram()
        self.tls = Histogram()
        self.negotiation = Histogram()
        self.cut = self.cut_iterations = self.retried = self.renewals = self.dropped = 0
        self.users = self.peak_users = 0
        self.elapsed_us = self.cpu_us = 0
        self.second = self.last_requests = self.last_errors = 0
        self._timeline = Timeline()
        # Of the current second: most users, longest response time, and the counts it began with.
        self._busiest = self._longest_us = 0
        self._began = (0, 0)
        # What the timeline has already: requests, errors, response times, users of this second.
        self._booked = (0, 0, 0, 0)
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
        statuses = transaction.statuses
        statuses[status] = statuses.get(status, 0) + 1
        transaction.service.record(service_us)
        transaction.response.record(response_us)
        if first_byte_us >= 0:
            transaction.first_byte.record(first_byte_us)
        transaction.received += received
        transaction.sent += sent
        if response_us > self._longest_us:
            self._longest_us = response_us
        if failures:
            transaction.errors += 1
            self.errors.record(index, failures, self.second, partial(self._describe, example))

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

    def record_lateness(self, us: int) -> None:
        """How late this generator started something that was due, by its own fault alone."""
        self.lateness.record(us)

    def record_lag(self, us: int) -> None:
        """How late the event loop ran a timer: the time by which an answer may wait to be seen."""
        self.lag.record(us)

    def set_users(self, active: int) -> None:
        """How many virtual users are at work now."""
        self.users = active
        self.peak_users = max(self.peak_users, active)
        self._busiest = max(self._busiest, active)

    def begin_second(self, second: int) -> None:
        """Requests recorded from now on belong to this second of the run (from 0)."""
        if second == self.second:
            return
        self._book()
        requests, errors = self.requests, self.failed_requests
        next_one = second == self.second + 1
        self.last_requests = requests - self._began[0] if next_one else 0
        self.last_errors = errors - self._began[1] if next_one else 0
        self._began = (requests, errors)
        for skipped in range(self.second + 1, second):  # nobody looked at the clock in time
            self._timeline.add(skipped, 0, 0, self.users, 0, 0)
        self.second = second
        self._busiest = self.users
        self._booked = (*self._booked[:3], 0)

    # Reading.

    @property
    def requests(self) -> int:
        """How many requests were finished, well or not."""
        return sum(one.requests for one in self.transactions)

    @property
    def failed_requests(self) -> int:
        """How many requests had at least one failure."""
        return sum(one.errors for one in self.transactions)

    @property
    def timeline(self) -> Timeline:
        """What happened in each second of the run, this one included as far as it has come."""
        self._book()
        return self._timeline

    def transaction_names(self) -> list[str]:
        """The name of each transaction; one that comes again on its page is numbered."""
        return numbered((key.case, key.page, key.name) for key in self.transaction_keys)

    def page_names(self) -> list[str]:
        """The name of each page; one that comes again in its case is numbered."""
        return numbered((key.case, key.name) for key in self.page_keys)

    def total(self, indices: Sequence[int] | None = None) -> TransactionMetrics:
        """All transactions merged, or those at ``indices``."""
        total = TransactionMetrics()
        for index in range(len(self.transactions)) if indices is None else indices:
            total.merge(self.transactions[index])
        return total

    def _book(self) -> None:
        """Add to the timeline what came since the last call."""
        before, now = self._booked, self._sums()
        self._timeline.add(
            self.second,
            now[0] - before[0],
            now[1] - before[1],
            now[3] - before[3],
            now[2] - before[2],
            self._longest_us,
        )
        self._booked = now
        self._longest_us = 0

    def _sums(self) -> tuple[int, int, int, int]:
        response_us = sum(one.response.total for one in self.transactions)
        return self.requests, self.failed_requests, response_us, self._busiest

    # Merging and travelling.

    @staticmethod
    def merge(many: Iterable[LoadMetrics]) -> MergedMetrics:
        """All of them as one, exactly. Durations are the longest, counts and users are added up.

        Raises:
            ValueError: they are not of the same test cases.
        """
        parts = list(many)
        if not parts:
            return MergedMetrics((), (), ())
        merged = MergedMetrics.for_reports_of(parts[0])
        for part in parts:
            merged.add(part)
        return merged

    def _keys(self) -> tuple[object, ...]:
        return self.transaction_keys, self.page_keys, self.case_keys, self.detailed_pages

    def to_wire(self, known: LoadMetrics | None = None) -> dict[str, Any]:
        """Everything, or what came after ``known``, which is this one as it was before.

        Of builtin types: dicts, lists, strings and integers. What is recorded meanwhile, in another
        thread, is in it or not.
        """
        wire = self._small_wire(known)
        for name in _MEASURED:
            before = [None] * len(getattr(self, name)) if known is None else getattr(known, name)
            pairs = zip(getattr(self, name), before, strict=True)
            wire[name] = [one.to_wire(then) for one, then in pairs]
        return wire

    @staticmethod
    def from_wire(wire: dict[str, Any]) -> MergedMetrics:
        """The metrics that `to_wire` described.

        Raises:
            ValueError: they come from another version of this program.
        """
        if wire.get("format") != _FORMAT:
            raise ValueError("the workers run different versions of pytest-loadtool")
        transactions, pages, cases = wire["keys"]
        metrics = MergedMetrics(
            [TransactionKey(*key) for key in transactions],
            [PageKey(*key) for key in pages],
            cases,
            detailed_pages=wire["detailed_pages"],
        )
        metrics.add_wire(wire)
        return metrics

    def snapshot(self) -> bytes:
        """`to_wire` as JSON."""
        return _json(self.to_wire())

    def report(self, reported: MergedMetrics) -> Iterator[bytes]:
        """A snapshot of what came after ``reported``, which learns of it.

        In pieces to be joined, each made in a fraction of a millisecond: for a driver with hundreds
        of transactions, whose event loop should turn in between. What is recorded meanwhile is in
        this report or in the next.
        """
        small = self._small_wire(reported)
        reported.add_small(small)
        yield _json(small)[:-1]
        for name in _MEASURED:
            yield b',"%s":[' % name.encode()
            known = getattr(reported, name)
            for number, one in enumerate(getattr(self, name)):
                wire = one.to_wire(known[number])
                reported.add_measured(name, number, wire)
                yield (b"," if number else b"") + _json(wire)
            yield b"]"
        yield b"}"

    @staticmethod
    def from_snapshot(snapshot: bytes) -> MergedMetrics:
        """The metrics of `snapshot`.

        Raises:
            ValueError: it is not one, or from another version of this program.
        """
        return LoadMetrics.from_wire(json.loads(snapshot))

    def _small_wire(self, known: LoadMetrics | None) -> dict[str, Any]:
        """All but the measures of transactions, pages and cases."""
        keys = [
            [[one.case, one.page, one.name] for one in self.transaction_keys],
            [[one.case, one.name] for one in self.page_keys],
            list(self.case_keys),
        ]
        timeline = self.timeline
        small: dict[str, Any] = {
            "format": _FORMAT,
            "keys": keys,
            "detailed_pages": self.detailed_pages,
            "errors": self.errors.to_wire(None if known is None else known.errors),
            "timeline": timeline.to_wire(None if known is None else known.timeline),
        }
        for name in _DELAYS:
            before = None if known is None else getattr(known, name)
            small[name] = getattr(self, name).to_wire(before)
        for name in _ADDED:
            small[name] = getattr(self, name) - (0 if known is None else getattr(known, name))
        for name in _LONGEST:
            small[name] = getattr(self, name)
        return small


class MergedMetrics(LoadMetrics):
    """Numbers that come from others, whole or report by report. Nothing is recorded in them."""

    def __init__(
        self,
        transactions: Sequence[TransactionKey],
        pages: Sequence[PageKey],
        cases: Sequence[str],
        describe: Callable[[Any], str] | None = None,
        *,
        detailed_pages: bool = False,
    ) -> None:
        super().__init__(transactions, pages, cases, describe, detailed_pages=detailed_pages)
        # Sums that somebody has asked for, and by transaction those that it belongs to: so that
        # who asks each second does not have all histograms added up each time.
        self._totals: dict[tuple[int, ...], TransactionMetrics] = {}
        self._totals_of: list[list[TransactionMetrics]] = [[] for _ in self.transactions]

    @staticmethod
    def for_reports_of(other: LoadMetrics) -> MergedMetrics:
        """Without numbers, for the same transactions."""
        return MergedMetrics(
            other.transaction_keys,
            other.page_keys,
            other.case_keys,
            detailed_pages=other.detailed_pages,
        )

    def total(self, indices: Sequence[int] | None = None) -> TransactionMetrics:
        """All transactions merged, or those at ``indices``. It goes on to grow with these."""
        key = tuple(range(len(self.transactions)) if indices is None else indices)
        total = self._totals.get(key)
        if total is None:
            total = self._totals[key] = super().total(key)
            for index in key:
                self._totals_of[index].append(total)
        return total

    def add(self, part: LoadMetrics) -> None:
        """Add all that another has.

        Raises:
            ValueError: it is not of the same test cases.
        """
        self.check(part)
        for name in _MEASURED:
            for mine, theirs in zip(getattr(self, name), getattr(part, name), strict=True):
                mine.merge(theirs)
        self.errors.merge(part.errors)
        for name in _DELAYS:
            getattr(self, name).merge(getattr(part, name))
        self._timeline.merge(part.timeline)
        for name in _ADDED:
            setattr(self, name, getattr(self, name) + getattr(part, name))
        for name in _LONGEST:
            setattr(self, name, max(getattr(self, name), getattr(part, name)))
        self._totals.clear()
        self._totals_of = [[] for _ in self.transactions]

    def check(self, part: LoadMetrics) -> None:
        """Refuse those of others.

        Raises:
            ValueError: ``part`` is not of the same test cases.
        """
        if part._keys() != self._keys():
            raise ValueError("metrics of different test cases cannot be merged")

    def add_wire(self, wire: dict[str, Any]) -> None:
        """Add what `to_wire` described, of metrics with the same keys."""
        self.add_small(wire)
        for name in _MEASURED:
            for number, one in enumerate(wire[name]):
                self.add_measured(name, number, one)

    def add_small(self, wire: dict[str, Any]) -> None:
        """Add all of it but what is of transactions, pages and cases."""
        self.errors.merge(ErrorLog.from_wire(wire["errors"]))
        for name in _DELAYS:
            getattr(self, name).merge_wire(wire[name])
        self._timeline.merge(Timeline.from_wire(wire["timeline"]))
        for name in _ADDED:
            setattr(self, name, getattr(self, name) + wire[name])
        for name in _LONGEST:
            setattr(self, name, max(getattr(self, name), wire[name]))

    def add_measured(self, name: str, number: int, wire: list[Any]) -> None:
        """Add to the one at ``number`` of its "transactions", "pages" or "cases"."""
        getattr(self, name)[number].merge_wire(wire)
        if name == "transactions" and wire:
            for total in self._totals_of[number]:
                total.merge_wire(wire)

    def _book(self) -> None:
        """The timeline comes from others as well."""


def _describe(example: Any) -> str:
    return str(example() if callable(example) else example)


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
