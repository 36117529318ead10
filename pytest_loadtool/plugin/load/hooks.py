"""`pytest --load`: what a session of load tests consists of. Imported only for one.

Each `*.load.toml` is one test. A session has one of three roles: it runs everything itself, it is
the controller of xdist workers, or it is one of them. Only the first two report.
"""

from __future__ import annotations

import pytest

from pytest_loadtool.engine.prepare.share import prepare
from pytest_loadtool.engine.signals import interruption
from pytest_loadtool.load import Share
from pytest_loadtool.plugin.load.compare import BASELINE
from pytest_loadtool.plugin.load.explained import explained
from pytest_loadtool.plugin.load.hints import write_hints
from pytest_loadtool.plugin.load.interrupt import stopping
from pytest_loadtool.plugin.load.item import ENGINE, LoadItem
from pytest_loadtool.plugin.load.junit import JUnit
from pytest_loadtool.plugin.load.live import LiveView
from pytest_loadtool.plugin.load.live_page import LivePage, shown_on
from pytest_loadtool.plugin.load.outcome import LoadOutcomes, end, ending, write_thresholds
from pytest_loadtool.plugin.load.results import RESULTS, LoadReporter, properties
from pytest_loadtool.plugin.load.telemetry import TELEMETRY
from pytest_loadtool.plugin.run_in_thread import run_apart


def configure(config: pytest.Config) -> None:
    """Give the session its role.

    Raises:
        pytest.UsageError: the options cannot work, such as a file that cannot be written.
    """
    if hasattr(config, "workerinput"):
        from pytest_loadtool.plugin.load.xdist_worker import LoadWorker

        config.stash[ENGINE] = worker = LoadWorker(config)
        config.pluginmanager.register(worker, "loadtool-worker")
        return
    if config.option.collectonly:
        return
    reporter = LoadReporter(config)
    config.pluginmanager.register(reporter, "loadtool-reporter")
    config.pluginmanager.register(LoadOutcomes(config, reporter), "loadtool-outcomes")
    config.pluginmanager.register(JUnit(config), "loadtool-junit")
    if config.getoption("dist", "no") != "no" and config.getoption("tx", None):
        from pytest_loadtool.plugin.load.xdist_controller import LoadController

        config.pluginmanager.register(LoadController(config), "loadtool-controller")
        return
    config.stash[ENGINE] = Here(config)


class Here:
    """The engine of a session without workers."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def run(self, item: LoadItem, servers: tuple[str, ...]) -> None:
        """Run a load test from beginning to end.

        Raises:
            LoadTestFailedError: it failed.
            LoadTestInconclusiveError: nothing can be said of it.
            LoadToolError: it could not be run.
            KeyboardInterrupt: Ctrl-C, SIGTERM or SIGHUP; the results so far are kept.
        """
        from pytest_loadtool.engine.local import run_alone

        configuration = item.load_test.configuration
        baseline = self._config.stash[BASELINE]
        earlier = baseline.of(configuration.name)  # says now if it has none
        share = prepare(item.load_test, servers, Share())
        lengths = item.load_test.lengths
        write_hints(self._config, configuration, lengths)
        page = LivePage(self._config, configuration)
        with LiveView(self._config, configuration) as view, stopping(share.runner.stop) as stop:
            summary = run_apart(
                lambda: run_alone(
                    share,
                    configuration,
                    interrupted=lambda: stop.heard > 0,
                    show=shown_on(view, page),
                    baseline=earlier,
                    tolerance=baseline.tolerance,
                    lengths=[length for _, length in lengths],
                    listeners=self._config.stash[TELEMETRY].senders(configuration.name),
                )
            )
        item.summary = summary
        write_thresholds(self._config, summary)
        result = explained(summary, item.path, self._config)
        self._config.stash[RESULTS].append(result)
        item.user_properties += properties(summary)
        if stop.heard:
            raise interruption(stop.heard)
        end(item, ending(result))
