"""What is told of a load test at a moment: all numbers of the run so far, as collectors want them.

Everything is cumulative, so what a collector missed is in what it gets next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2
from typing import Literal

from pytest_loadtool.load.metrics.buckets import BUCKETS
from pytest_loadtool.load.metrics.custom import CustomMetrics
from pytest_loadtool.load.metrics.histogram import Histogram, highest
from pytest_loadtool.load.metrics.metrics import LoadMetrics

#: Each bucket ends where the next begins, at 2 ** (1/32) of what it begins with: 2.2 %.
SCALE = 5

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Instrument:
    """An instrument of measurement. ``name`` and ``unit`` are OpenTelemetry's."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    unit: str
    text: str


REQUESTS = Instrument("loadtool.requests", "counter", "", "Requests finished, well or not")
ERRORS = Instrument("loadtool.errors", "counter", "", "Requests with at least one failure")
RECEIVED = Instrument("loadtool.received", "counter", "By", "Heads and bodies of responses")
SENT = Instrument("loadtool.sent", "counter", "By", "Heads and bodies of requests")
RESPONSE = Instrument("loadtool.response.time", "histogram", "s", "From when a request was due")
SERVICE = Instrument("loadtool.service.time", "histogram", "s", "From when a request was sent")
ITERATIONS = Instrument("loadtool.iterations", "counter", "", "Iterations of test cases, finished")
FAILED = Instrument("loadtool.iterations.failed", "counter", "", "Of these, with a failed request")
USERS = Instrument("loadtool.users", "gauge", "", "Virtual users at work")
DROPPED = Instrument("loadtool.dropped", "counter", "", "Arrivals that could not start")
CONNECTIONS = Instrument("loadtool.connections", "counter", "", "Connections opened")
CPU = Instrument("loadtool.generator.cpu", "counter", "s", "Processor time that making load took")
COUNTERS = Instrument("loadtool.counters", "counter", "", "What counters of functions came to")
RATES = Instrument("loadtool.rates", "counter", "", "Values that were recorded of rates")
TRENDS = Instrument("loadtool.trends", "histogram", "", "Values that were recorded of trends")
LATENESS = Instrument("loadtool.generator.lateness", "histogram", "s", "How late users went on")


@dataclass(frozen=True, slots=True)
class Exponential:
    """A histogram with buckets of equal ratio, in seconds: bucket ``i`` is above 2 ** (i / 32) and
    up to 2 ** ((i + 1) / 32).

    ``zeros`` are not in ``buckets``. A value stands in the bucket of the end of its own bucket in
    the report, which is at most 0.1 % greater; count, sum, least and most are exact.
    """

    count: int
    sum: float
    min: float
    max: float
    zeros: int
    buckets: tuple[tuple[int, int], ...]
    """Those with something in them, ascending, each with its count."""


@dataclass(frozen=True, slots=True)
class MetricReading:
    """The value of a metric for these labels."""

    metric: Instrument
    labels: Labels
    value: float | Exponential


def readings(metrics: LoadMetrics) -> Iterator[MetricReading]:
    """Yield all that is told."""
    names = metrics.transaction_names()
    for key, name, one in zip(metrics.transaction_keys, names, metrics.transactions, strict=True):
        labels = (("case", key.case), ("page", key.page), ("transaction", name))
        for status, count in one.statuses.items():
            yield MetricReading(REQUESTS, (*labels, ("status", str(status))), count)
        yield MetricReading(ERRORS, labels, one.errors)
        yield MetricReading(RECEIVED, labels, one.received)
        yield MetricReading(SENT, labels, one.sent)
        yield MetricReading(RESPONSE, labels, exponential(one.response))
        yield MetricReading(SERVICE, labels, exponential(one.service))
    for case, spans in zip(metrics.case_keys, metrics.cases, strict=True):
        yield MetricReading(ITERATIONS, (("case", case),), spans.durations.count)
        yield MetricReading(FAILED, (("case", case),), spans.failed)
    yield from _custom(metrics.custom)
    yield MetricReading(USERS, (), metrics.users)
    yield MetricReading(DROPPED, (), metrics.dropped)
    yield MetricReading(CONNECTIONS, (), metrics.connect.count)
    yield MetricReading(CPU, (), metrics.cpu_us / 1e6)
    yield MetricReading(LATENESS, (), exponential(metrics.lateness))


def _custom(custom: CustomMetrics) -> Iterator[MetricReading]:
    """Yield metrics of functions, which may have any name: it is a label. Trends hold millionths,
    as times do of a second."""
    for name, count in custom.counters.items():
        yield MetricReading(COUNTERS, (("metric", name),), count)
    for name, (true, of) in custom.rates.items():
        for value, count in (("true", true), ("false", of - true)):
            yield MetricReading(RATES, (("metric", name), ("value", value)), count)
    for name, trend in custom.trends.items():
        yield MetricReading(TRENDS, (("metric", name),), exponential(trend))


def exponential(times: Histogram) -> Exponential:
    """Return a histogram of microseconds as one of seconds."""
    total, least, most, *rows = times.to_wire()
    counts: dict[int, int] = {}
    zeros = 0
    for shift, buckets, found in rows:
        for bucket, count in zip(buckets, found, strict=True):
            if shift < 0 and not bucket:
                zeros = count
                continue
            index = _index(shift, bucket)
            counts[index] = counts.get(index, 0) + count
    return Exponential(
        count=zeros + sum(counts.values()),
        sum=total / 1e6,
        min=least / 1e6,
        max=most / 1e6,
        zeros=zeros,
        buckets=tuple(sorted(counts.items())),
    )


_INDEX: dict[int, int] = {}


def _index(shift: int, bucket: int) -> int:
    """Return the exponential bucket of a row's bucket: it is asked for often, and there are few."""
    number = (shift + 1) * BUCKETS + bucket
    index = _INDEX.get(number)
    if index is None:
        index = ceil(log2(highest(shift, bucket) / 1e6) * (1 << SCALE)) - 1
        _INDEX[number] = index
    return index
