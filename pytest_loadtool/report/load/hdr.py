"""Times over the run as logs of HdrHistogram (log format 1.3, histograms V2): for its plotter, and
for whoever merges runs.

Histograms here have the buckets of one with three significant digits, so they are written as they
are. Values are microseconds. https://github.com/HdrHistogram/HdrHistogram
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from datetime import datetime
from urllib.parse import quote

from pytest_loadtool.load.metrics.buckets import BUCKETS
from pytest_loadtool.load.metrics.sparse import SparseHistogram
from pytest_loadtool.load.verdict.summary import Summary

#: What encoded and compressed histograms of version 2 begin with.
_ENCODED, _COMPRESSED = 0x1C849303, 0x1C849304
_DIGITS = 3


def load_logs(summary: Summary) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of a run's logs: of response and of service times.

    Intervals without a tag are of all requests; a tag is the names of case, page and transaction,
    percent-encoded, with slashes between.
    """
    stretches = list(summary.course.stretches())
    every = [("", one.second, one.length, one.response) for one in stretches]
    for index, key in enumerate(summary.saved.transactions):
        tag = "/".join(quote(name, safe="") for name in key)
        every += [(tag, one.second, one.length, one.response) for one in summary.course.of(index)]
    yield "response-times.hlog", _log(summary, every)
    service = [("", one.second, one.length, one.service) for one in stretches]
    yield "service-times.hlog", _log(summary, service)


def _log(summary: Summary, intervals: Iterable[tuple[str, int, int, SparseHistogram]]) -> bytes:
    start = datetime.fromisoformat(summary.started).timestamp()
    lines = [
        f"#[Load test, values in microseconds: {summary.name!r}]",
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {start:.3f} (seconds since epoch), {summary.started}]",
        f"#[BaseTime: {start:.3f} (seconds since epoch)]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    for tag, second, length, times in sorted(intervals, key=lambda one: one[1]):
        if times.count:
            (most,) = times.percentiles([100])
            content = b64encode(compressed(times)).decode()
            prefix = f"Tag={tag}," if tag else ""
            lines.append(f"{prefix}{second:.3f},{length:.3f},{most / 1000:.3f},{content}")
    return ("\n".join(lines) + "\n").encode()


def compressed(times: SparseHistogram) -> bytes:
    """Return a histogram of version 2, encoded and compressed. A coarse bucket counts under the
    highest of its values."""
    numbers, counts = times.buckets()
    highest = times.bounds(numbers[-1])[1]
    payload, follows = bytearray(), 0
    for number, count in zip(numbers, counts, strict=True):
        number = _number(times.bounds(number)[1])
        if number > follows:
            payload += _zigzag(follows - number)  # so many that are empty
        payload += _zigzag(count)
        follows = number + 1
    most = max(2 * BUCKETS, 1 << highest.bit_length())
    head = struct.pack(">iiiiqqd", _ENCODED, len(payload), 0, _DIGITS, 1, most, 1.0)
    packed = zlib.compress(head + payload)
    return struct.pack(">ii", _COMPRESSED, len(packed)) + packed


def _number(value: int) -> int:
    """Return the number of the bucket that a value falls into."""
    shift = value.bit_length() - BUCKETS.bit_length()
    return value if shift < 0 else (shift + 1) * BUCKETS + (value >> shift & BUCKETS - 1)


def _zigzag(value: int) -> bytes:
    """Return a signed number in up to nine bytes, seven bits in each but the last."""
    left, written = (value << 1) ^ (value >> 63), bytearray()
    while left > 127 and len(written) < 8:
        written.append(left & 127 | 128)
        left >>= 7
    written.append(left)
    return bytes(written)
