"""Where metrics go, and what may go wrong on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from pytest_loadtool.telemetry.readings import MetricReading


@dataclass(frozen=True, slots=True)
class Run:
    """The run that is told of: the name of its load configuration, and when it began, in seconds
    since 1970 and as text."""

    test: str
    began: float
    run: str


class CollectorError(Exception):
    """A collector did not take what was sent; the text says why."""


class MetricsCollector(Protocol):
    """Takes readings. ``name`` is what messages call it."""

    name: str

    def send(self, run: Run, readings: Sequence[MetricReading], now: float) -> None:
        """Send all readings of ``run`` at the time ``now``, in seconds since 1970.

        Raises:
            CollectorError: it did not take them.
        """

    def close(self) -> None:
        """Close its connections."""


def shown_url(url: str) -> str:
    """Return the address without what may be secret: user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"
