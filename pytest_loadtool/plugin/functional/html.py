"""`--loadtool-html`: what the test cases of a session did, as a page.

The process that reports gathers it from the reports of tests, wherever they ran.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from pytest_loadtool import CASE_SUFFIX
from pytest_loadtool.casefile.files import replace_file
from pytest_loadtool.errors import FileError
from pytest_loadtool.plugin.functional.case_data import CaseData
from pytest_loadtool.plugin.functional.steps import StepResult
from pytest_loadtool.plugin.paths import shown_error, target_file


@dataclass(slots=True)
class _Entry:
    """A test so far. ``before`` are the outcomes of its attempts that were run again."""

    test: str
    outcome: str = ""
    seconds: float = 0.0
    text: str = ""
    case: CaseData | None = None
    steps: list[StepResult] = field(default_factory=list)
    before: list[str] = field(default_factory=list)


def configure(config: pytest.Config) -> None:
    """Gather what the page shows, if it is wanted and this process reports.

    Raises:
        pytest.UsageError: nothing can be written there.
    """
    if hasattr(config, "workerinput") or config.option.collectonly:
        return
    path = target_file(config, "loadtool_html")
    if path is not None:
        config.pluginmanager.register(CasesPage(config, path), "loadtool-html")


class CasesPage:
    """Gathers the reports of test cases, and writes the page at the end."""

    def __init__(self, config: pytest.Config, path: Path) -> None:
        self._config, self._path = config, path
        self._entries: dict[str, _Entry] = {}
        self._begun = time.time()
        self._problem = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Hear what became of a phase of a test; of one that is run again, of each attempt."""
        if not report.nodeid.partition("::")[0].endswith(CASE_SUFFIX):
            return
        entry = self._entries.setdefault(report.nodeid, _Entry(report.nodeid))
        outcome = _outcome(report)
        if outcome == "rerun":
            entry.before.append(report.longreprtext)
            return
        if report.when == "call" or not report.passed:
            if not (report.when == "teardown" and entry.outcome == "failed"):
                entry.outcome = outcome
            entry.text = "\n\n".join(filter(None, [entry.text, report.longreprtext]))
        if report.when == "call":
            entry.seconds = report.duration
            entry.steps = getattr(report, "loadtool_steps", [])
            entry.case = getattr(report, "loadtool_case", None)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Hear of a file that cannot be read."""
        if report.failed and report.nodeid.endswith(CASE_SUFFIX):
            self._entries[report.nodeid] = _Entry(report.nodeid, "error", text=report.longreprtext)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the page."""
        from pytest_loadtool.report.html.cases import cases_page

        begun = datetime.fromtimestamp(self._begun, UTC).astimezone().isoformat(" ", "seconds")
        content = cases_page(
            [self._told(one) for one in self._entries.values()],
            started=begun,
            seconds=time.time() - self._begun,
        )
        try:
            replace_file(self._path, content)
        except FileError as error:
            self._problem = shown_error(error, self._config)
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the page is, or why there is none."""
        if self._problem:
            terminalreporter.write_line(f"the page was not written: {self._problem}", red=True)

    def _told(self, entry: _Entry) -> dict[str, Any]:
        case = entry.case
        trace = case["trace"] if case is not None else ""
        return {
            "test": entry.test,
            "name": case["name"] if case is not None else Path(entry.test.partition("::")[0]).name,
            "outcome": entry.outcome or "error",
            "seconds": entry.seconds,
            "text": entry.text if entry.outcome else "It did not come to its end.",
            "before": entry.before,
            "pages": case["pages"] if case is not None else [],
            "steps": entry.steps,
            "diagnosis": case["diagnosis"] if case is not None else None,
            "trace": quote(os.path.relpath(trace, self._path.parent)) if trace else "",
        }


def _outcome(report: pytest.TestReport) -> str:
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    if report.failed and report.when != "call":
        return "error"
    return str(report.outcome)
