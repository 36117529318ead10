"""A load test in pytest's own process: one share, which is the whole load."""

from __future__ import annotations

import pytest

from pytest_loadtool.engine.prepare.share import prepare
from pytest_loadtool.engine.signals import interruption
from pytest_loadtool.load import Share
from pytest_loadtool.plugin.load.compare import BASELINE
from pytest_loadtool.plugin.load.hints import write_hints
from pytest_loadtool.plugin.load.interrupt import stopping
from pytest_loadtool.plugin.load.item import LoadItem, LoadTestFailedError
from pytest_loadtool.plugin.load.live import LiveView
from pytest_loadtool.plugin.load.outcome import write_thresholds
from pytest_loadtool.plugin.load.results import RESULTS, failure_text, properties
from pytest_loadtool.plugin.run_in_thread import run_apart


class Here:
    """The engine of a session without workers."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def run(self, item: LoadItem, servers: tuple[str, ...]) -> None:
        """Run a load test from beginning to end.

        Raises:
            LoadTestFailedError: it did not pass.
            LoadToolError: it could not be run.
            KeyboardInterrupt: Ctrl-C, SIGTERM or SIGHUP; the results so far are kept.
        """
        from pytest_loadtool.engine.local_run import run_alone

        configuration = item.load_test.configuration
        baseline = self._config.stash[BASELINE]
        earlier = baseline.of(configuration.name)  # says now if it has none
        share = prepare(item.load_test, servers, Share())
        lengths = item.load_test.lengths
        write_hints(self._config, configuration, lengths)
        with LiveView(self._config, configuration) as view, stopping(share.runner.stop) as stop:
            summary = run_apart(
                lambda: run_alone(
                    share,
                    configuration,
                    interrupted=lambda: stop.heard > 0,
                    show=view.show if view.wanted else None,
                    baseline=earlier,
                    tolerance=baseline.tolerance,
                    lengths=[length for _, length in lengths],
                )
            )
        item.summary = summary
        write_thresholds(self._config, summary)
        self._config.stash[RESULTS].append(summary)
        item.user_properties += properties(summary)
        if stop.heard:
            raise interruption(stop.heard)
        text = failure_text(summary)
        if text is not None:
            raise LoadTestFailedError(text)
