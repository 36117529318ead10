"""How a worker's numbers travel to whoever merges them.

It reports what came since its last report: that is in proportion to the requests of a second, where
the whole is not. `MergedMetrics` are what reports add up to, at the other end and at the worker's
own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pytest_loadtool.load.metrics.course import RunCourse
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.keys import FlowKey, PageKey, TransactionKey
from pytest_loadtool.load.metrics.merged import MergedMetrics
from pytest_loadtool.load.metrics.metrics import ADDED, DELAYS, GREATEST, MEASURED, LoadMetrics
from pytest_loadtool.load.metrics.packed import PackedSlices, to_bytes
from pytest_loadtool.load.metrics.slices import KINDS, Slices

_FORMAT = 13
_TIMES = len(KINDS)


def to_wire(metrics: LoadMetrics) -> dict[str, Any]:
    """Return everything, of builtin types: dicts, lists, strings and integers."""
    wire = _small_wire(metrics, None) | {"custom": metrics.custom.to_wire()}
    for name in MEASURED:
        wire[name] = [one.to_wire() for one in getattr(metrics, name)]
    return wire


def from_wire(wire: dict[str, Any]) -> MergedMetrics:
    """Return the metrics that `to_wire` or a first report described.

    Raises:
        ValueError: they come from another version of this program.
    """
    if wire.get("format") != _FORMAT:
        raise ValueError("the workers run different versions of pytest-loadtool")
    transactions, pages, cases, flows = wire.get("keys") or json.loads(wire["names"])
    metrics = MergedMetrics(
        [TransactionKey(*key) for key in transactions],
        [PageKey(*key) for key in pages],
        cases,
        flows=[FlowKey(*key) for key in flows],
        detailed_pages=wire["detailed_pages"],
    )
    metrics.add_wire(wire)
    return metrics


def read(report: bytes) -> dict[str, Any]:
    """Return what `Reporter.report` told, with `PackedSlices` in it. Its ``names`` are bytes, which
    are the same if the transactions are, and empty but in a first report.

    Raises:
        ValueError: it comes from another version of this program.
    """
    head, names, rest = report.split(b"\n", 2)
    wire: dict[str, Any] = json.loads(head)
    if wire.get("format") != _FORMAT:
        raise ValueError("the workers run different versions of pytest-loadtool")
    wire["names"], content = names, memoryview(rest)
    found = []
    for one in wire["slices"]:
        slices, end = PackedSlices.of_bytes(one, content)
        found.append(slices)
        content = content[end:]
    wire["slices"] = found
    return wire


class Reporter:
    """Reports of ``metrics``, which are recorded meanwhile: each of what came since the last one.

    ``reported`` is what they add up to; without ``course``, in a process that only reports, but for
    how many requests took how long, which nobody asks for again: so a worker does not grow with the
    length of a run. What came in which part of the run, of ``length`` seconds
    (a power of two), is told exactly: as ``slices``, of each transaction that had requests in it,
    and as ``beats``, of all together. ``course``, if there is one, is told at once. Only the first
    report has the names of transactions.
    """

    def __init__(
        self, metrics: LoadMetrics, course: RunCourse | None = None, length: int = 1
    ) -> None:
        self._metrics = metrics
        self.reported = MergedMetrics.for_reports_of(metrics)
        self.course = course
        self._length = length
        self._slices: dict[int, Slices] = {}
        self._beats: list[list[Any]] = []
        self._user_seconds = 0
        self._named = False
        # What beats have said already; the users are of that second.
        self._second = self._users = self._opened = self._cpu_us = 0
        self._lateness = Histogram()
        self._causes: dict[str, int] = {}
        metrics.on_turn = self._turned
        metrics.on_second = self._passed

    def report(self) -> Iterator[bytes]:
        """Yield a snapshot of what came since the last one.

        In pieces to be joined, each made in a fraction of a millisecond: for a driver with
        hundreds of transactions, whose event loop should turn in between. What is recorded
        meanwhile is in this report or in the next.
        """
        metrics, reported = self._metrics, self.reported
        small = _small_wire(metrics, reported)
        reported.add_small(small)
        keys, names = small.pop("keys"), b""
        if not self._named:
            self._named, names = True, _json(keys)
        yield _json(small)[:-1]
        for name in ("pages", "cases", "flows"):
            yield b',"%s":[' % name.encode()
            known = getattr(reported, name)
            for number, one in enumerate(getattr(metrics, name)):
                wire = one.to_wire(known[number])
                reported.add_measured(name, number, wire)
                yield (b"," if number else b"") + _json(wire)
            yield b"]"
        for index in range(len(metrics.transactions)):
            self._slice(index)
            yield b""
        self._note_users(metrics.second)
        self._beat(metrics.second)
        beats, self._beats = self._beats, []
        slices, self._slices = self._slices, {}
        packed = [to_bytes(one) for _, one in sorted(slices.items())]
        yield b',"beats":' + _json(beats)
        yield b',"slices":' + _json([head for head, _ in packed]) + b"}\n" + names + b"\n"
        yield from (content for _, content in packed)

    def _turned(self, index: int) -> None:
        """A transaction is recorded in a later second than before: perhaps in a later part."""
        if self._part(self._metrics.transactions[index].second) != self._part(self._metrics.second):
            self._slice(index)

    def _slice(self, index: int) -> None:
        """Take what a transaction did in its part."""
        transaction, before = self._metrics.transactions[index], self.reported.transactions[index]
        wire = transaction.take(before)
        if not wire:
            return
        second = self._part(transaction.second)
        slices = self._slices.get(second)
        if slices is None:
            slices = self._slices[second] = Slices(second, self._length)
        if self.course is None:
            slices.add_transaction(index, wire, before)
            before.merge_wire([*wire[:-_TIMES], *(times[:3] for times in wire[-_TIMES:])])
            return
        own = Slices(second, self._length)
        own.add_transaction(index, wire, before)
        slices.extend(own)
        self.course.add_slices(own)
        self.reported.add_measured("transactions", index, wire)

    def _part(self, second: int) -> int:
        """Return the second in which a part of the run begins."""
        return second // self._length * self._length

    def _passed(self, second: int) -> None:
        """A second is over, and perhaps its part."""
        self._note_users(second)
        if self._part(second) != self._part(second + 1):
            self._beat(second)

    def _note_users(self, second: int) -> None:
        if second != self._second:
            self._second, self._users = second, 0
        self._user_seconds += self._metrics.busiest - self._users
        self._users = self._metrics.busiest

    def _beat(self, second: int) -> None:
        """Take what there is to say of a part, all transactions together."""
        metrics = self._metrics
        opened, lateness = metrics.connect.count, metrics.lateness.to_wire(self._lateness)
        causes = {
            cause: more
            for cause, count in metrics.causes.items()
            if (more := count - self._causes.get(cause, 0))
        }
        beat: list[Any] = [
            self._user_seconds,
            metrics.longest_us,
            opened - self._opened,
            metrics.cpu_us - self._cpu_us,
            lateness,
            causes,
            metrics.custom.to_wire(self.reported.custom),
        ]
        self.reported.custom.merge_wire(beat[-1])
        self._lateness.merge_wire(lateness)
        self._user_seconds, self._opened, self._cpu_us = 0, opened, metrics.cpu_us
        metrics.longest_us = 0
        self._causes.update(metrics.causes)
        self._beats.append([self._part(second), self._length, *beat])
        if self.course is not None:
            self.course.add_beat(self._part(second), beat, self._length)


def _small_wire(metrics: LoadMetrics, known: LoadMetrics | None) -> dict[str, Any]:
    """Return all but the measures of transactions, pages, cases and flows."""
    keys = [
        [[one.case, one.page, one.name] for one in metrics.transaction_keys],
        [[one.case, one.name, one.once] for one in metrics.page_keys],
        list(metrics.case_keys),
        [[one.case, one.name, one.rule, one.within] for one in metrics.flow_keys],
    ]
    small: dict[str, Any] = {
        "format": _FORMAT,
        "keys": keys,
        "detailed_pages": metrics.detailed_pages,
        "errors": metrics.errors.to_wire(None if known is None else known.errors),
        "firsts": metrics.firsts.to_wire(None if known is None else known.firsts),
        "traces": metrics.traces.to_wire(None if known is None else known.traces),
    }
    for name in DELAYS:
        before = None if known is None else getattr(known, name)
        small[name] = getattr(metrics, name).to_wire(before)
    for name in ADDED:
        small[name] = getattr(metrics, name) - (0 if known is None else getattr(known, name))
    for name in GREATEST:
        small[name] = getattr(metrics, name)
    return small


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
