"""What a load test measures, as numbers that merge exactly.

Each worker has one `LoadMetrics`. It is cumulative: the last snapshot that a worker sent is the
whole truth about it, so what a lost worker had reported stays. Nothing in it grows with the number
of requests, except one small entry for each second of the run.

Recording a request is the hot path: `LoadMetrics.record` touches one transaction and nothing else.
Totals, per-second counts and rates are derived from that when somebody asks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pytest_loadtool.load.errorlog import ErrorLog
from pytest_loadtool.load.histogram import Histogram
from pytest_loadtool.load.measures import Spans, TransactionMetrics
from pytest_loadtool.model.result import Failure

__all__ = ["LoadMetrics", "PageKey", "TransactionKey"]

_FORMAT = 1

_GAUGES = ("cut", "cut_iterations", "users", "peak_users", "cpu_us", "elapsed_us", "second")
"""Plain integers of `LoadMetrics` that travel as they are."""

_MEASURED = ("transactions", "pages", "cases")
"""The attributes of `LoadMetrics` that are lists of measures, one for each key."""


@dataclass(frozen=True, slots=True)
class TransactionKey:
    """Which transaction: the names of its case and page, and its title."""

    case: str
    page: str
    name: str


@dataclass(frozen=True, slots=True)
class PageKey:
    """Which page: the name of its case, and its own."""

    case: str
    name: str


class LoadMetrics:
    """The numbers of one worker, or of several merged.

    ``describe`` makes the text of an error's first example from what `record` was given; by default
    a string stands for itself and a callable is called.

    Plain attributes for the driver to set or add to:

    * ``cut``, ``cut_iterations``: requests and iterations cut off at the end. They are in no
      histogram and in no other count.
    * ``elapsed_us``: how long the worker has run; ``cpu_us``: the processor time its process used
      meanwhile. Both cumulative.

    Raises:
        ValueError: a transaction is of a page, or a page of a case, that is not given.
    """

    def __init__(
        self,
        transactions: Sequence[TransactionKey],
        pages: Sequence[PageKey],
        cases: Sequence[str],
        describe: Callable[[Any], str] | None = None,
    ) -> None:
        self.transaction_keys = tuple(transactions)
        self.page_keys = tuple(pages)
        self.case_keys = tuple(cases)
        _check(self.transaction_keys, self.page_keys, self.case_keys)
        self.transactions = [TransactionMetrics() for _ in self.transaction_keys]
        self.pages = [Spans() for _ in self.page_keys]
        self.cases = [Spans() for _ in self.case_keys]
        self.errors = ErrorLog()
        self.lateness = Histogram()
        self.lag = Histogram()
        self.cut = self.cut_iterations = 0
        self.users = self.peak_users = 0
        self.elapsed_us = self.cpu_us = 0
        self.second = 0
        self._seconds: dict[int, tuple[int, int]] = {}
        self._settled = (0, 0)
        self._describe = describe or _describe

    # Recording.

    def record(
        self,
        index: int,
        status: int,
        service_us: int,
        response_us: int,
        received: int,
        sent: int,
        failures: tuple[Failure, ...] = (),
        example: object = "",
    ) -> None:
        """Count one finished request of the transaction at ``index``.

        ``service_us`` runs from sent to the last byte, ``response_us`` from when it should have
        been sent. ``status`` is 0 when there was no response. ``example`` is looked at only for a
        failure not seen before: see ``describe``.
        """
        transaction = self.transactions[index]
        transaction.statuses[status] += 1
        transaction.record_service(service_us)
        transaction.record_response(response_us)
        transaction.received += received
        transaction.sent += sent
        if failures:
            transaction.errors += 1
            self.errors.record(index, failures, self.second, partial(self._describe, example))

    def record_page(self, index: int, duration_us: int, failed: bool) -> None:
        """Count one finished page: its first request's start to its last response's end."""
        self.pages[index].record(duration_us, failed)

    def record_iteration(self, case_index: int, duration_us: int, failed: bool) -> None:
        """Count one finished iteration of a test case, think times included."""
        self.cases[case_index].record(duration_us, failed)

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

    def begin_second(self, second: int) -> None:
        """Requests recorded from now on belong to this second of the run (from 0)."""
        self._settle()
        self.second = second

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
    def seconds(self) -> dict[int, tuple[int, int]]:
        """Requests and failed ones by second of the run; seconds without any are left out."""
        self._settle()
        return dict(sorted(self._seconds.items()))

    def total(self) -> TransactionMetrics:
        """All transactions merged."""
        total = TransactionMetrics()
        for transaction in self.transactions:
            total.merge(transaction)
        return total

    def _settle(self) -> None:
        """Book what came since the last call on the current second."""
        now = (self.requests, self.failed_requests)
        gained = (now[0] - self._settled[0], now[1] - self._settled[1])
        self._settled = now
        if gained[0]:
            self._add_second(self.second, gained)

    def _add_second(self, second: int, gained: tuple[int, int]) -> None:
        requests, errors = self._seconds.get(second, (0, 0))
        self._seconds[second] = (requests + gained[0], errors + gained[1])

    # Merging and travelling.

    @staticmethod
    def merge(many: Iterable[LoadMetrics]) -> LoadMetrics:
        """All of them as one, exactly. Durations are the longest, counts and users are added up.

        Raises:
            ValueError: they are not of the same test cases.
        """
        parts = list(many)
        if not parts:
            return LoadMetrics((), (), ())
        merged = LoadMetrics(parts[0].transaction_keys, parts[0].page_keys, parts[0].case_keys)
        for part in parts:
            merged._add(part)
        merged._settled = (merged.requests, merged.failed_requests)
        return merged

    def _add(self, part: LoadMetrics) -> None:
        if part._keys() != self._keys():
            raise ValueError("metrics of different test cases cannot be merged")
        for name in _MEASURED:
            for mine, theirs in zip(getattr(self, name), getattr(part, name), strict=True):
                mine.merge(theirs)
        self.errors.merge(part.errors)
        self.lateness.merge(part.lateness)
        self.lag.merge(part.lag)
        for second, gained in part.seconds.items():
            self._add_second(second, gained)
        for name in ("cut", "cut_iterations", "users", "peak_users", "cpu_us"):
            setattr(self, name, getattr(self, name) + getattr(part, name))
        for name in ("elapsed_us", "second"):
            setattr(self, name, max(getattr(self, name), getattr(part, name)))

    def _keys(self) -> tuple[object, ...]:
        return self.transaction_keys, self.page_keys, self.case_keys

    def to_wire(self) -> dict[str, Any]:
        """Everything as builtin types: dicts, lists, strings and integers."""
        return self._small_wire() | {
            name: [one.to_wire() for one in getattr(self, name)] for name in _MEASURED
        }

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> LoadMetrics:
        """The metrics that `to_wire` described.

        Raises:
            ValueError: they come from another version of this program.
        """
        if wire.get("format") != _FORMAT:
            raise ValueError("the workers run different versions of pytest-loadtool")
        transactions, pages, cases = wire["keys"]
        self = cls(
            [TransactionKey(*key) for key in transactions], [PageKey(*key) for key in pages], cases
        )
        for name in _MEASURED:
            for measured, one in zip(getattr(self, name), wire[name], strict=True):
                measured.merge_wire(one)
        self.errors = ErrorLog.from_wire(wire["errors"])
        self.lateness = Histogram.from_wire(wire["lateness"])
        self.lag = Histogram.from_wire(wire["lag"])
        self._seconds = {second: (requests, errors) for second, requests, errors in wire["seconds"]}
        for name in _GAUGES:
            setattr(self, name, wire[name])
        self._settled = (self.requests, self.failed_requests)
        return self

    def snapshot(self) -> bytes:
        """`to_wire` as JSON."""
        return b"".join(self.snapshot_pieces())

    def snapshot_pieces(self) -> Iterator[bytes]:
        """The snapshot in pieces to be joined, each made in a fraction of a millisecond.

        For a driver with hundreds of transactions, whose event loop should turn in between. What is
        recorded meanwhile is in the snapshot or not; the next one has it.
        """
        yield _json(self._small_wire())[:-1]
        for name in _MEASURED:
            yield b',"%s":[' % name.encode()
            for number, one in enumerate(getattr(self, name)):
                yield (b"," if number else b"") + _json(one.to_wire())
            yield b"]"
        yield b"}"

    @classmethod
    def from_snapshot(cls, snapshot: bytes) -> LoadMetrics:
        """The metrics of `snapshot`.

        Raises:
            ValueError: it is not one, or from another version of this program.
        """
        return cls.from_wire(json.loads(snapshot))

    def _small_wire(self) -> dict[str, Any]:
        keys = [
            [[one.case, one.page, one.name] for one in self.transaction_keys],
            [[one.case, one.name] for one in self.page_keys],
            list(self.case_keys),
        ]
        return {
            "format": _FORMAT,
            "keys": keys,
            "errors": self.errors.to_wire(),
            "lateness": self.lateness.to_wire(),
            "lag": self.lag.to_wire(),
            "seconds": [[second, *counts] for second, counts in self.seconds.items()],
        } | {name: getattr(self, name) for name in _GAUGES}


def _check(
    transactions: Sequence[TransactionKey], pages: Sequence[PageKey], cases: Sequence[str]
) -> None:
    strays: list[object] = [page for page in pages if page.case not in cases]
    strays += [one for one in transactions if PageKey(one.case, one.page) not in set(pages)]
    if strays:
        raise ValueError(f"no place for {strays[0]}")


def _describe(example: Any) -> str:
    return str(example() if callable(example) else example)


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
