"""A load test in pytest's own process: one share, which is the whole load."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.load import Failed, Final, Lookout, Merger, Share, Snapshot, Watch
from pytest_loadtool.plugin.live import LiveView
from pytest_loadtool.plugin.load_compare import BASELINE
from pytest_loadtool.plugin.load_interrupt import stopping
from pytest_loadtool.plugin.load_item import LoadItem, LoadTestFailedError
from pytest_loadtool.plugin.load_outcome import write_thresholds
from pytest_loadtool.plugin.load_results import RESULTS, failure_text, judge, properties
from pytest_loadtool.plugin.load_share import PreparedShare, prepare

__all__ = ["Here"]

#: What the only worker is called in the results.
_NAME = "main"


class Here:
    """The engine of a session without workers."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def run(self, item: LoadItem, servers: tuple[str, ...]) -> None:
        """Run a load test from beginning to end.

        Raises:
            LoadTestFailedError: it did not pass.
            LoadToolError: it could not be run.
            KeyboardInterrupt: Ctrl-C; the results so far are kept.
        """
        configuration = item.load_test.configuration
        baseline = self._config.stash[BASELINE]
        baseline.of(configuration.name)  # says now if it has none
        share = prepare(item.load_test, servers, Share())
        merger, watch = Merger([_NAME]), Watch(configuration.thresholds, configuration.duration)
        lookout = Lookout()
        merger.started(_NAME, Share())
        started = datetime.now(UTC).astimezone()
        with LiveView(self._config, configuration) as view, stopping(share.runner.stop) as stop:

            def tick(snapshot: bytes) -> None:
                merger.receive(_NAME, Snapshot(snapshot))
                if watch.look([share.metrics]):
                    share.runner.stop()
                if view.wanted:
                    view.show(lookout.look([(share.metrics, True)], watch.states()))

            tick(share.metrics.snapshot())
            end = _drive(share, tick)
        merger.receive(_NAME, Snapshot(share.metrics.snapshot()))
        merger.receive(_NAME, end or Final(share.metrics.snapshot()))
        summary = judge(
            merger.result(),
            configuration,
            started,
            baseline,
            interrupted=stop.heard,
            watch=watch,
        )
        item.summary = summary
        write_thresholds(self._config, summary)
        self._config.stash[RESULTS].append(summary)
        item.user_properties += properties(summary)
        if stop.heard:
            raise KeyboardInterrupt
        text = failure_text(summary)
        if text is not None:
            raise LoadTestFailedError(text)


def _drive(share: PreparedShare, tick: Callable[[bytes], None]) -> Failed | None:
    """Run it to its end; why it had to end early, if it had to."""
    try:
        share.run(time.time(), tick)
    except LoadToolError as error:
        return Failed(str(error))
    return None
