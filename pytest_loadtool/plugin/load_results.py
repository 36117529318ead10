"""What came of a session's load tests: verdicts for pytest, numbers for the terminal and a file."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from pytest_loadtool.casefile.files import replace_file
from pytest_loadtool.errors import FileError
from pytest_loadtool.load import RunResult, Summary, Watch, summarise, verdict
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.report.excerpt import printable
from pytest_loadtool.report.load_json import FORMAT, load_data
from pytest_loadtool.report.load_text import load_text

__all__ = [
    "RESULTS",
    "LoadReporter",
    "document",
    "failure_text",
    "judge",
    "properties",
    "target_file",
]

#: How many of a run's errors its failure names. The report has all of them.
_ERRORS_IN_FAILURE = 5

#: The summaries of all load tests so far, in the order they ran.
RESULTS = pytest.StashKey[list[Summary]]()


def judge(
    result: RunResult,
    configuration: LoadConfiguration,
    started: datetime,
    *,
    interrupted: bool = False,
    watch: Watch | None = None,
) -> Summary:
    """The summary of a run, with its verdict. ``watch`` has looked at it while it lasted."""
    metrics = result.metrics
    thresholds = (watch or Watch(configuration.thresholds)).results(metrics)
    found = verdict(
        metrics,
        configuration,
        result.workers,
        stopped_after=metrics.elapsed_us / 1e6 if interrupted else None,
        thresholds=thresholds,
    )
    return summarise(
        metrics, configuration, result.workers, found, started=started, thresholds=thresholds
    )


def failure_text(summary: Summary) -> str | None:
    """Why pytest must call the test failed, or None.

    The first line stands by itself in pytest's short summary. In a JUnit file this text is all
    there is, so it has the most frequent errors, too.
    """
    found = summary.verdict
    if found.outcome == "passed":
        return None
    errors = sorted(summary.errors, key=lambda error: -error.count)[:_ERRORS_IN_FAILURE]
    lines = [
        f"load test {found.outcome}: {found.reasons[0]}",
        *found.reasons[1:],
        *(f"  {one.count:,} x {one.page} / {one.transaction}: {one.message}" for one in errors),
    ]
    return "\n".join(printable(line) for line in lines)


def properties(summary: Summary) -> list[tuple[str, object]]:
    """The main numbers, as properties of the test in a JUnit file."""
    totals = summary.totals
    times = totals.response_time
    return [
        ("load_verdict", summary.verdict.outcome),
        ("load_requests", totals.requests),
        ("load_errors", totals.errors),
        ("load_throughput_rps", round(totals.throughput_rps, 3)),
        ("load_response_time_p50_ms", times.p50),
        ("load_response_time_p95_ms", times.p95),
    ]


def target_file(config: pytest.Config) -> Path | None:
    """Where ``--load-json`` wants the results.

    Raises:
        pytest.UsageError: nothing can be written there. Said now, and not after an hour of load.
    """
    name = config.getoption("load_json")
    if not name:
        return None
    path = Path(config.invocation_params.dir, name)
    if path.is_dir():
        raise pytest.UsageError(f"--load-json: {name} is a directory: name a file in it")
    if path.exists() and not path.is_file():
        raise pytest.UsageError(f"--load-json: {name} is no ordinary file: name one to be replaced")
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise pytest.UsageError(f"--load-json: there is no directory {folder}: make it first")
    if not os.access(folder, os.W_OK):
        raise pytest.UsageError(f"--load-json: nothing can be written to {folder}")
    return path


def document(results: Sequence[Summary]) -> dict[str, object]:
    """What ``--load-json`` writes: one run as it is, any other number as a list under ``runs``."""
    runs = [load_data(summary) for summary in results]
    return runs[0] if len(runs) == 1 else {"format": FORMAT, "runs": runs}


class LoadReporter:
    """Writes the results at the end of the session: only one process of a session has it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._file = target_file(config)
        self._problem = ""
        config.stash[RESULTS] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the file: before workers are brought down, which can go wrong."""
        if self._file is None:
            return
        results: list[Summary] = self._config.stash[RESULTS]
        text = json.dumps(document(results), indent=2) + "\n"
        try:
            replace_file(self._file, text.encode())
        except FileError as error:
            self._problem = str(error)
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, exitstatus: int
    ) -> None:
        """Write the report."""
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            terminalreporter.write_line("no load test found: --load runs *.load.toml files")
        results = self._config.stash[RESULTS]
        if results:
            terminalreporter.write_sep("=", "load test results")
        for summary in results:
            for line in load_text(summary, shutil.get_terminal_size().columns):
                terminalreporter.write_line(line)
            terminalreporter.write_line("")
        if self._problem:
            terminalreporter.write_line(f"--load-json: {self._problem}", red=True)
