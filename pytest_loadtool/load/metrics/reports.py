"""How a worker's numbers travel to whoever merges them.

A snapshot is the whole truth about a worker, in the end. While it runs it reports what came since
its last report: that is in proportion to the requests of a second, where the whole is not.
`MergedMetrics` are what reports add up to, at the other end and at the worker's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pytest_loadtool.load.metrics.keys import PageKey, TransactionKey
from pytest_loadtool.load.metrics.merged import MergedMetrics
from pytest_loadtool.load.metrics.metrics import ADDED, DELAYS, LONGEST, MEASURED, LoadMetrics

_FORMAT = 7


def to_wire(metrics: LoadMetrics, known: LoadMetrics | None = None) -> dict[str, Any]:
    """Everything, or what came after ``known``, which is the same as it was before.

    Of builtin types: dicts, lists, strings and integers. What is recorded meanwhile, in another
    thread, is in it or not.
    """
    wire = _small_wire(metrics, known)
    for name in MEASURED:
        mine = getattr(metrics, name)
        before = [None] * len(mine) if known is None else getattr(known, name)
        wire[name] = [one.to_wire(then) for one, then in zip(mine, before, strict=True)]
    return wire


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


def snapshot(metrics: LoadMetrics) -> bytes:
    """`to_wire` as JSON."""
    return _json(to_wire(metrics))


def from_snapshot(taken: bytes) -> MergedMetrics:
    """The metrics of `snapshot`.

    Raises:
        ValueError: it is not one, or from another version of this program.
    """
    return from_wire(json.loads(taken))


def report(metrics: LoadMetrics, reported: MergedMetrics) -> Iterator[bytes]:
    """A snapshot of what came after ``reported``, which learns of it.

    In pieces to be joined, each made in a fraction of a millisecond: for a driver with hundreds
    of transactions, whose event loop should turn in between. What is recorded meanwhile is in
    this report or in the next.
    """
    small = _small_wire(metrics, reported)
    reported.add_small(small)
    yield _json(small)[:-1]
    for name in MEASURED:
        yield b',"%s":[' % name.encode()
        known = getattr(reported, name)
        for number, one in enumerate(getattr(metrics, name)):
            wire = one.to_wire(known[number])
            reported.add_measured(name, number, wire)
            yield (b"," if number else b"") + _json(wire)
        yield b"]"
    yield b"}"


def _small_wire(metrics: LoadMetrics, known: LoadMetrics | None) -> dict[str, Any]:
    """All but the measures of transactions, pages and cases."""
    keys = [
        [[one.case, one.page, one.name] for one in metrics.transaction_keys],
        [[one.case, one.name] for one in metrics.page_keys],
        list(metrics.case_keys),
    ]
    small: dict[str, Any] = {
        "format": _FORMAT,
        "keys": keys,
        "detailed_pages": metrics.detailed_pages,
        "errors": metrics.errors.to_wire(None if known is None else known.errors),
        "firsts": metrics.firsts.to_wire(None if known is None else known.firsts),
        "timeline": metrics.timeline.to_wire(None if known is None else known.timeline),
    }
    for name in DELAYS:
        before = None if known is None else getattr(known, name)
        small[name] = getattr(metrics, name).to_wire(before)
    for name in ADDED:
        small[name] = getattr(metrics, name) - (0 if known is None else getattr(known, name))
    for name in LONGEST:
        small[name] = getattr(metrics, name)
    return small


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
