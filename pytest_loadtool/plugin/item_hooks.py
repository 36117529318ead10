"""What is done for tests of ours besides replaying them. pytest hears of it when there are some,
or may be in a worker of pytest-xdist: so nothing is imported until it is needed.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Have SIGTERM and SIGHUP interrupt pytest as Ctrl-C does while a test case or a load test
    runs: in a worker of pytest-xdist they are the controller's."""
    if not hasattr(item, "fixture_keys") or hasattr(item.config, "workerinput"):
        return (yield)
    from pytest_loadtool.engine.signals import interrupting

    with interrupting():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Give the report of a test case the list of its transactions."""
    report = yield
    if call.when == "call" and hasattr(item, "loadtool_steps"):
        report.__dict__["loadtool_steps"] = item.loadtool_steps
        if (data := getattr(item, "loadtool_case", None)) is not None:
            report.__dict__["loadtool_case"] = data
    return report


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Show the transactions that a worker of pytest-xdist replayed."""
    node = getattr(report, "node", None)
    if node is not None and hasattr(report, "loadtool_steps"):
        from pytest_loadtool.plugin.functional.steps import StepLines

        StepLines(node.config).write_all(report.loadtool_steps)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests have accepted any certificate or take values by their place in a list, and
    which passed although they were not answered as recorded."""
    reports = (report for many in terminalreporter.stats.values() for report in many)
    if not any(getattr(report, "user_properties", ()) for report in reports):
        return
    from pytest_loadtool.plugin.functional.notices import notices

    for text in notices(terminalreporter.stats):
        terminalreporter.line(text, yellow=True)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """In the controller of pytest-xdist, hear of what was recorded in a worker."""
    output = getattr(node, "workeroutput", None) or {}
    if "loadtool_recorded" in output:
        from pytest_loadtool.plugin.record.recorded import receive

        receive(node.config, output)
