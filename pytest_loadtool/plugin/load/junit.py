"""A load test in a JUnit file: its text, and a test case for each threshold, as CI servers show
those and their course from build to build."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from pytest_loadtool.plugin.load.outcome import ThresholdStep, report_text
from pytest_loadtool.plugin.private import junit_of


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
