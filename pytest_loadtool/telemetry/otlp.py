"""OTLP over HTTP, by OpenTelemetry's own exporter.

Headers, such as a token, certificates and the time it may take are what the environment says in
OpenTelemetry's variables (OTEL_EXPORTER_OTLP_HEADERS, …): the exporter reads them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

import requests
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Buckets,
    ExponentialHistogram,
    ExponentialHistogramDataPoint,
    Gauge,
    MetricExportResult,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.metrics.export import Metric as OtlpMetric
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from pytest_loadtool import __version__
from pytest_loadtool.telemetry.collector import CollectorError, Run, shown_url
from pytest_loadtool.telemetry.readings import SCALE, Exponential, Instrument, MetricReading

#: Seconds that one sending may take, with what the exporter tries again.
PATIENCE: Final = 2.0

#: What is worth telling of how `requests` says that it found nobody.
_CAUSE: Final = re.compile(r"Failed to (?:establish|resolve)[^\"]*")

_LOGGER: Final = "opentelemetry.exporter.otlp.proto.http"


class OtlpCollector:
    """The collector that listens at ``url``: its address may be without a path, or be that of
    whatever else takes OTLP."""

    def __init__(self, url: str) -> None:
        self.name = f"--load-otlp {shown_url(url)}"
        endpoint = url if urlsplit(url).path.strip("/") else url.rstrip("/") + "/v1/metrics"
        self._session = requests.Session()
        self._exporter = OTLPMetricExporter(
            endpoint=endpoint, timeout=PATIENCE, session=self._session
        )
        self._heard = _Listener()
        logger = logging.getLogger(_LOGGER)
        logger.addHandler(self._heard)
        logger.propagate = False  # what it says each second is told once, in the report

    def send(self, run: Run, readings: Sequence[MetricReading], now: float) -> None:
        """Send all of them.

        Raises:
            CollectorError: they were not taken.
        """
        scope = InstrumentationScope("pytest-loadtool", __version__)
        resource = Resource(
            {
                "service.name": "pytest-loadtool",
                "service.version": __version__,
                "service.instance.id": run.run,
            }
        )
        metrics = list(_metrics(run, readings, now))
        scoped = ScopeMetrics(scope, metrics, "")
        data = MetricsData([ResourceMetrics(resource, [scoped], "")])
        self._heard.first = ""
        if self._exporter.export(data) is not MetricExportResult.SUCCESS:
            raise CollectorError(self._heard.first or "it refused them")

    def close(self) -> None:
        """Close its connections, and hear no more."""
        self._session.close()
        logging.getLogger(_LOGGER).removeHandler(self._heard)


class _Listener(logging.Handler):
    """Keeps the first of what the exporter says, which has the cause; then it gives up."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.first = ""

    def emit(self, record: logging.LogRecord) -> None:
        if not self.first:
            text = record.getMessage()
            found = _CAUSE.search(text)
            self.first = found[0] if found else text


def _metrics(run: Run, readings: Sequence[MetricReading], now: float) -> Iterator[OtlpMetric]:
    """Yield all points of a metric together."""
    by_metric: dict[Instrument, list[MetricReading]] = {}
    for one in readings:
        by_metric.setdefault(one.metric, []).append(one)
    times = int(run.began * 1e9), int(now * 1e9)
    common = {"test": run.test, "run": run.run}
    for metric, some in by_metric.items():
        points = [(common | dict(one.labels), one.value) for one in some]
        yield OtlpMetric(metric.name, metric.text, metric.unit, _data(metric, points, times))


def _data(
    metric: Instrument,
    points: Sequence[tuple[dict[str, str], float | Exponential]],
    times: tuple[int, int],
) -> Sum | Gauge | ExponentialHistogram:
    cumulative = AggregationTemporality.CUMULATIVE
    if metric.kind == "histogram":
        return ExponentialHistogram(
            [
                _histogram(labels, value, times)
                for labels, value in points
                if isinstance(value, Exponential)
            ],
            cumulative,
        )
    numbers = [
        NumberDataPoint(labels, *times, value)
        for labels, value in points
        if not isinstance(value, Exponential)
    ]
    if metric.kind == "gauge":
        return Gauge(numbers)
    return Sum(numbers, cumulative, is_monotonic=True)


def _histogram(
    labels: dict[str, str], value: Exponential, times: tuple[int, int]
) -> ExponentialHistogramDataPoint:
    offset = value.buckets[0][0] if value.buckets else 0
    counts = [0] * (value.buckets[-1][0] - offset + 1 if value.buckets else 0)
    for index, count in value.buckets:
        counts[index - offset] = count
    return ExponentialHistogramDataPoint(
        labels,
        *times,
        value.count,
        value.sum,
        SCALE,
        value.zeros,
        Buckets(offset, counts),
        Buckets(0, []),
        0,
        value.min,
        value.max,
    )
