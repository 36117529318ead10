"""Sends what a run tells to collectors, in a thread of its own: who makes load does not wait.

The run hands over its workers' reports as they are. All that is done with them is done here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from datetime import datetime
from queue import Empty, SimpleQueue

from pytest_loadtool.load.metrics import reports
from pytest_loadtool.load.metrics.merged import MergedMetrics
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.telemetry.collector import CollectorError, MetricsCollector, Run
from pytest_loadtool.telemetry.readings import MetricReading, readings

#: Seconds between two sendings: reports come once a second.
_BETWEEN = 0.9
#: Seconds that the last sending may take.
_PATIENCE = 15.0


class Sender:
    """Sends the metrics of one run to a collector, once a second while it lasts."""

    def __init__(self, collector: MetricsCollector, test: str) -> None:
        self._collector = collector
        self._test = test
        self._heard: SimpleQueue[bytes | LoadMetrics] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._over = threading.Event()
        self._tries = self._failed = 0
        self._why = ""

    def begin(self, started: datetime) -> None:
        """The run begins now."""
        run = Run(self._test, started.timestamp(), started.isoformat(timespec="seconds"))
        self._thread = threading.Thread(
            target=self._send_all, args=(run,), name="metrics", daemon=True
        )
        self._thread.start()

    def hear(self, report: bytes) -> None:
        """Take a worker's report of what it measured since the last one."""
        self._heard.put(report)

    def end(self, metrics: LoadMetrics) -> None:
        """Send what the run came to, and wait for that, but not for long."""
        if self._thread is not None and self._thread.is_alive():
            self._heard.put(metrics)
            self._over.set()
            self._thread.join(_PATIENCE)

    def problem(self) -> str:
        """Return what to tell people, if anything."""
        if self._failed:
            some = "all" if self._failed < self._tries else "any"
            how_often = f"{self._failed} of {self._tries} times"
            return f"{self._collector.name} did not take {some} metrics ({how_often}): {self._why}"
        if self._thread is not None and self._thread.is_alive():
            return f"{self._collector.name} was too slow to take the last metrics"
        return ""

    def _send_all(self, run: Run) -> None:
        merged: MergedMetrics | None = None
        while True:
            heard: list[bytes | LoadMetrics] = [self._heard.get()]
            try:
                while True:
                    heard.append(self._heard.get_nowait())
            except Empty:
                pass
            for one in heard:
                if not isinstance(one, bytes):
                    self._send(run, list(readings(one)))
                    return
                wire = reports.read(one)
                if merged is None:
                    merged = reports.from_wire(wire)
                    nothing = MergedMetrics.for_reports_of(merged)
                    # Counters begin with nothing, or their first step would be lost.
                    self._send(run, list(readings(nothing)), run.began)
                else:
                    merged.add_wire(wire)
            assert merged is not None
            self._send(run, list(readings(merged)))
            self._over.wait(_BETWEEN)

    def _send(self, run: Run, told: Sequence[MetricReading], now: float | None = None) -> None:
        self._tries += 1
        try:
            self._collector.send(run, told, time.time() if now is None else now)
        except CollectorError as error:
            self._failed += 1
            self._why = self._why or str(error)
