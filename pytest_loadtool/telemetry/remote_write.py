"""Prometheus remote write 1.0: protobuf, compressed by snappy, with native histograms.

Names are those that Prometheus gives to metrics that it takes by OTLP, so dashboards need not know
the way.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote

import cramjam
import httpx
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from pytest_loadtool import __version__
from pytest_loadtool.telemetry.collector import CollectorError, Run, shown_url
from pytest_loadtool.telemetry.readings import SCALE, Exponential, Instrument, MetricReading

#: Seconds that one sending may take.
PATIENCE: Final = 3.0

#: Has headers, such as a token, as OTEL_EXPORTER_OTLP_HEADERS has them: ``name=value,name=value``.
HEADERS: Final = "LOADTOOL_REMOTE_WRITE_HEADERS"

#: prometheus/prompb/remote.proto and types.proto, as far as it is sent: messages, their fields by
#: number. What ends with a star is repeated; a capital begins the name of a message.
_MESSAGES: Final[Mapping[str, Mapping[int, tuple[str, str]]]] = {
    "WriteRequest": {1: ("timeseries", "TimeSeries*"), 3: ("metadata", "Metadata*")},
    "TimeSeries": {
        1: ("labels", "Label*"),
        2: ("samples", "Sample*"),
        4: ("histograms", "Histogram*"),
    },
    "Label": {1: ("name", "string"), 2: ("value", "string")},
    "Sample": {1: ("value", "double"), 2: ("timestamp", "int64")},
    "Metadata": {
        1: ("type", "uint32"),
        2: ("metric_family_name", "string"),
        4: ("help", "string"),
    },
    "Span": {1: ("offset", "sint32"), 2: ("length", "uint32")},
    "Histogram": {
        1: ("count_int", "uint64"),
        3: ("sum", "double"),
        4: ("schema", "sint32"),
        5: ("zero_threshold", "double"),
        6: ("zero_count_int", "uint64"),
        11: ("positive_spans", "Span*"),
        12: ("positive_deltas", "sint64*"),
        15: ("timestamp", "int64"),
    },
}
#: The types of `Metadata`.
_KINDS: Final = {"counter": 1, "gauge": 2, "histogram": 3}
_UNITS: Final = {"s": "_seconds", "By": "_bytes", "": ""}
#: Seconds up to which a time is nothing: Prometheus' own default.
_NOTHING: Final = 1e-128


def _messages() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(
        name="pytest_loadtool/remote_write.proto", package="pytest_loadtool", syntax="proto3"
    )
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, (field, kind) in fields.items():
            single = kind.rstrip("*")
            added = message.field.add(name=field, number=number)
            added.label = kinds.LABEL_REPEATED if kind != single else kinds.LABEL_OPTIONAL
            if single[0].isupper():
                added.type, added.type_name = kinds.TYPE_MESSAGE, f".pytest_loadtool.{single}"
            else:
                added.type = getattr(kinds, f"TYPE_{single.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"pytest_loadtool.{name}"))
        for name in _MESSAGES
    }


class RemoteWriteCollector:
    """The server that takes remote write at ``url``."""

    def __init__(self, url: str) -> None:
        self.name = f"--load-remote-write {shown_url(url)}"
        self._url = url
        self._messages = _messages()
        self._client = httpx.Client(
            timeout=PATIENCE,
            headers={
                "Content-Encoding": "snappy",
                "Content-Type": "application/x-protobuf",
                "User-Agent": f"pytest-loadtool/{__version__}",
                "X-Prometheus-Remote-Write-Version": "0.1.0",
                **dict(_headers(os.environ.get(HEADERS, ""))),
            },
        )

    def send(self, run: Run, readings: Sequence[MetricReading], now: float) -> None:
        """Send all of them.

        Raises:
            CollectorError: they were not taken.
        """
        body = bytes(cramjam.snappy.compress_raw(self.request(run, readings, now)))
        try:
            answer = self._client.post(self._url, content=body)
        except httpx.HTTPError as error:
            raise CollectorError(str(error) or type(error).__name__) from None
        if not answer.is_success:
            text = answer.text.strip()[:200]
            raise CollectorError(f"{answer.status_code} {answer.reason_phrase}: {text}")

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def request(self, run: Run, readings: Sequence[MetricReading], now: float) -> bytes:
        """Return the message for these readings."""
        known = self._messages
        request = known["WriteRequest"]()
        milliseconds = int(now * 1000)
        common = (("job", "pytest-loadtool"), ("test", run.test), ("run", run.run))
        for metric in dict.fromkeys(one.metric for one in readings):
            request.metadata.add(
                type=_KINDS[metric.kind],
                metric_family_name=prometheus_name(metric),
                help=metric.text,
            )
        for one in readings:
            labels = [("__name__", prometheus_name(one.metric)), *common, *one.labels]
            series = request.timeseries.add(
                labels=[known["Label"](name=name, value=value) for name, value in sorted(labels)]
            )
            if isinstance(one.value, Exponential):
                series.histograms.append(self._histogram(one.value, milliseconds))
            else:
                series.samples.add(value=one.value, timestamp=milliseconds)
        return bytes(request.SerializeToString())

    def _histogram(self, value: Exponential, milliseconds: int) -> Any:
        """Return a native histogram. Its bucket ``i`` ends where ours begins, hence the 1."""
        histogram = self._messages["Histogram"](
            count_int=value.count,
            sum=value.sum,
            schema=SCALE,
            zero_threshold=_NOTHING,
            zero_count_int=value.zeros,
            timestamp=milliseconds,
        )
        end = before = 0
        for index, count in value.buckets:
            if not histogram.positive_spans or index + 1 != end:
                histogram.positive_spans.add(offset=index + 1 - end, length=0)
            histogram.positive_spans[-1].length += 1
            histogram.positive_deltas.append(count - before)
            end, before = index + 2, count
        return histogram


def prometheus_name(metric: Instrument) -> str:
    """Return the name that Prometheus' OTLP receiver makes of an OpenTelemetry one."""
    total = "_total" if metric.kind == "counter" else ""
    return metric.name.replace(".", "_") + _UNITS[metric.unit] + total


def _headers(text: str) -> Iterator[tuple[str, str]]:
    for pair in filter(None, (one.strip() for one in text.split(","))):
        name, _, value = pair.partition("=")
        yield name.strip(), unquote(value.strip())
