"""`pytest --load`: what a session of load tests consists of. Imported only for one.

Each `*.load.toml` is one test. A session has one of three roles: it leads each test itself, here or
on a cluster, it is the controller of xdist workers, or it is one of them. Only the first two
report.

It also has a load test in a JUnit file: its text, and a test case for each threshold, as CI servers
show those and their course from build to build.
"""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from pytest_loadtool.engine.signals import interruption
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.plugin.load import item as load_files
from pytest_loadtool.plugin.load.carriers import Prepare, carrier_of
from pytest_loadtool.plugin.load.compare import BASELINE
from pytest_loadtool.plugin.load.explained import explained
from pytest_loadtool.plugin.load.hints import write_hints, write_notes
from pytest_loadtool.plugin.load.interrupt import stopping
from pytest_loadtool.plugin.load.item import ENGINE, LoadItem
from pytest_loadtool.plugin.load.live import LivePage, LiveView, shown_on
from pytest_loadtool.plugin.load.outcome import (
    LoadOutcomes,
    ThresholdStep,
    end,
    ending,
    report_text,
    write_thresholds,
)
from pytest_loadtool.plugin.load.results import RESULTS, LoadReporter, properties
from pytest_loadtool.plugin.load.telemetry import TELEMETRY
from pytest_loadtool.plugin.private import junit_of
from pytest_loadtool.plugin.run_in_thread import run_apart


class JUnit:
    """Adds to the file that pytest writes with ``--junitxml``; without it does nothing."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a load test's report has besides its failure."""
        file = junit_of(self._config)
        text = report_text(report)
        if file is None or report.when != "call" or not text:
            return
        if file.logging not in ("system-out", "out-err", "all"):  # pytest writes it itself then
            output = ElementTree.Element("system-out")
            output.text = text
            file.node_reporter(report).append(output)
        steps: list[ThresholdStep] = report.__dict__["loadtool_thresholds"]
        for number, step in enumerate(steps):
            _add(file, f"{report.nodeid}::threshold {number}", step)


def _add(file: Any, nodeid: str, step: ThresholdStep) -> None:
    path, _, name = nodeid.partition("::")
    where = (path, None, name)
    passed, measured = step["passed"], step["measured"]
    text = None if passed else f"{step['threshold']}: {measured}"
    call = pytest.TestReport(nodeid, where, {}, "passed" if passed else "failed", text, "call")
    end = pytest.TestReport(
        nodeid, where, {}, "passed", None, "teardown", user_properties=[("measured", measured)]
    )
    file.node_reporter(nodeid).add_attribute("name", step["threshold"])
    for report in (call, end):
        file.pytest_runtest_logreport(report)


def configure(config: pytest.Config) -> None:
    """Give the session its role.

    Raises:
        pytest.UsageError: the options cannot work, such as a file that cannot be written.
    """
    config.pluginmanager.register(load_files, "loadtool-files")
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
        if config.option.load_on:
            raise pytest.UsageError(
                f"--load-on {config.option.load_on}: workers of pytest-xdist would make the load: "
                "leave out -n and --tx, or say -n 0"
            )
        from pytest_loadtool.plugin.load.xdist_controller import LoadController

        config.pluginmanager.register(LoadController(config), "loadtool-controller")
        return
    config.stash[ENGINE] = OneByOne(config, carrier_of(config).open(config))


class OneByOne:
    """The engine of a session that makes one load test after the other itself."""

    def __init__(self, config: pytest.Config, prepare: Prepare) -> None:
        self._config = config
        self._prepare = prepare

    def run(self, item: LoadItem, servers: tuple[str, ...]) -> None:
        """Run a load test from beginning to end.

        Raises:
            LoadTestFailedError: it failed.
            LoadTestInconclusiveError: nothing can be said of it.
            LoadToolError: it could not be run.
            KeyboardInterrupt: Ctrl-C, SIGTERM or SIGHUP; the results so far are kept.
        """
        configuration = item.load_test.configuration
        baseline = self._config.stash[BASELINE]
        earlier = baseline.of(configuration.name)  # says now if it has none
        prepared = self._prepare(item.load_test, servers)
        lengths = item.load_test.lengths
        write_hints(self._config, configuration, lengths)
        page = LivePage(self._config, configuration)
        with LiveView(self._config, configuration) as view, stopping(prepared.stop) as stop:
            try:
                summary = run_apart(
                    lambda: prepared.run(
                        interrupted=lambda: stop.heard > 0,
                        show=shown_on(view, page),
                        baseline=earlier,
                        tolerance=baseline.tolerance,
                        lengths=[length for _, length in lengths],
                        listeners=self._config.stash[TELEMETRY].senders(configuration.name),
                    )
                )
            except LoadToolError:
                if stop.heard:  # before it began
                    raise interruption(stop.heard) from None
                raise
        item.summary = summary
        write_notes(self._config, [*filter(None, [prepared.note])])
        write_thresholds(self._config, summary)
        result = explained(summary, item.path, self._config)
        self._config.stash[RESULTS].append(result)
        item.user_properties += properties(summary)
        if stop.heard:
            raise interruption(stop.heard)
        end(item, ending(result))
