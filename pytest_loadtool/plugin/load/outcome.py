"""What a load test's report says besides its text, and what follows for the session's exit status.

pytest knows passed and failed. A load test that is inconclusive is reported as failed, because it
must not look green; that nothing but this is wrong, the exit status tells.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple, TypedDict

import pytest

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.load import Summary
from pytest_loadtool.load.verdict.threshold import amount
from pytest_loadtool.plugin.functional.steps import StepLines
from pytest_loadtool.plugin.load.explained import LoadResult
from pytest_loadtool.plugin.load.item import (
    LoadItem,
    LoadTestFailedError,
    LoadTestInconclusiveError,
)
from pytest_loadtool.plugin.load.results import LoadReporter, failure_text
from pytest_loadtool.report.load.text import load_text

#: The exit status when load tests were inconclusive and nothing failed. pytest itself uses 0 to 5,
#: its plugins 6 and 7.
EXIT_INCONCLUSIVE = 10


#: The text of a load test, among the sections of its reports: as a part of the test's output, which
#: pytest-html, Allure and others show.
_KEY = "stdout (load test)"
_SECTION = f"Captured {_KEY} call"

_WIDTH = 120


class ThresholdStep(TypedDict):
    """A threshold as a step of its load test, of types that pytest-xdist can send."""

    threshold: str
    measured: str
    passed: bool


def threshold_steps(summary: Summary) -> list[ThresholdStep]:
    """Return the thresholds of a run, in the order of the load configuration."""
    return [
        ThresholdStep(
            threshold=printable(one.threshold.text),
            measured=amount(one.measured, one.threshold.unit),
            passed=one.passed,
        )
        for one in summary.thresholds
    ]


def write_thresholds(config: pytest.Config, summary: Summary) -> None:
    """Write a line for each threshold below that of its test, if pytest is verbose."""
    lines = StepLines(config)
    for step in threshold_steps(summary):
        lines.write_line("", f"{step['threshold']}: {step['measured']}", failed=not step["passed"])


class Ending(NamedTuple):
    """The end of a load test, as it travels to the worker whose pytest reports it, too."""

    outcome: str
    failure: str
    text: str


def ending(result: LoadResult) -> Ending:
    """Return how a load test ended."""
    failure = str(failure_text(result) or "")  # a class of our own does not travel
    return Ending(result.summary.verdict.outcome, failure, _text(result))


def _text(result: LoadResult) -> str:
    return "\n".join(load_text(result.summary, _WIDTH, told=result.told))


def add_text(report: pytest.TestReport, result: LoadResult) -> None:
    """Let a report that is made here, of a test that others ran, have the text."""
    report.sections.append((_SECTION, _text(result)))


def end(item: pytest.Item, found: Ending) -> None:
    """End the call of a load test: its reports have the text, and it passes, or does not.

    Raises:
        LoadTestFailedError: it failed.
        LoadTestInconclusiveError: nothing can be said of it.
    """
    item.add_report_section("call", _KEY, found.text)
    if found.failure:
        failed = found.outcome == "failed"
        raise (LoadTestFailedError if failed else LoadTestInconclusiveError)(found.failure)


def add_outcome(report: pytest.TestReport, summary: Summary) -> None:
    """Let the report of the call phase say what plugins and conftests may want to know."""
    report.__dict__["loadtool_verdict"] = summary.verdict.outcome
    report.__dict__["loadtool_thresholds"] = threshold_steps(summary)


def report_text(report: pytest.TestReport) -> str:
    """Return the text of a load test that a report has, or nothing."""
    return "".join(text for name, text in report.sections if name == _SECTION)


class LoadOutcomes:
    """Sets the exit status. Only the process that reports has it.

    ``reporter`` writes the results' files before.
    """

    def __init__(self, config: pytest.Config, reporter: LoadReporter) -> None:
        self._reporter = reporter
        self._full_trace = config.option.fulltrace
        self._inconclusive = 0
        self._reports: list[pytest.TestReport] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the outcome of a load test that ran in this process."""
        report = yield
        if call.when == "call" and isinstance(item, LoadItem) and item.summary is not None:
            add_outcome(report, item.summary)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the failures that are inconclusive tests."""
        if report_text(report):
            self._reports.append(report)
        if report.failed and getattr(report, "loadtool_verdict", "") == "inconclusive":
            self._inconclusive += 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Have pytest quote the one line that it shows, and not the source of each frame above it:
        that takes as long as everything else after Ctrl-C."""
        if not self._full_trace:
            excinfo.traceback = excinfo.traceback[-1:]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Say so where all that failed was inconclusive: not if results could not be written. The
        texts go from the reports: the terminal writes them in a place of their own."""
        for report in self._reports:
            report.sections = [one for one in report.sections if one[0] != _SECTION]
        if (
            session.exitstatus == pytest.ExitCode.TESTS_FAILED
            and session.testsfailed == self._inconclusive > 0
            and not self._reporter.incomplete
        ):
            session.exitstatus = EXIT_INCONCLUSIVE
