"""What came of a session's load tests: verdicts for pytest, numbers for the terminal and a file."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence

import pytest

from pytest_loadtool.casefile.files import replace_file
from pytest_loadtool.codec.printable import printable
from pytest_loadtool.errors import FileError
from pytest_loadtool.load import Summary
from pytest_loadtool.plugin.load.compare import BASELINE, baseline_of, history_of
from pytest_loadtool.plugin.load.environment import environment
from pytest_loadtool.plugin.paths import shown_error, target_file
from pytest_loadtool.report.load.json import FORMAT, load_data
from pytest_loadtool.report.load.sparkline import glyphs_for
from pytest_loadtool.report.load.text import load_text

#: How many of a run's errors its failure names. The report has all of them.
_MOST_ERRORS = 5

#: The summaries of all load tests so far, in the order they ran.
RESULTS = pytest.StashKey[list[Summary]]()


def failure_text(summary: Summary) -> str | None:
    """Why pytest must call the test failed, or None.

    The first line stands by itself in pytest's short summary. In a JUnit file this text is all
    there is, so it has the most frequent errors, too.
    """
    found = summary.verdict
    if found.outcome == "passed":
        return None
    errors = sorted(summary.errors, key=lambda error: -error.count)[:_MOST_ERRORS]
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


def document(results: Sequence[Summary]) -> dict[str, object]:
    """What ``--load-json`` writes: one run as it is, any other number as a list under ``runs``."""
    runs = [load_data(summary) for summary in results]
    return runs[0] if len(runs) == 1 else {"format": FORMAT, "runs": runs}


def _json_text(results: Sequence[Summary], _: pytest.Config) -> bytes:
    return (json.dumps(document(results), indent=2) + "\n").encode()


def _html(results: Sequence[Summary], config: pytest.Config) -> bytes:
    from pytest_loadtool.report.html.load import load_page, run_data

    return load_page([run_data(one, environment(config, one.configuration)) for one in results])


class LoadReporter:
    """Writes the results at the end of the session: only one process of a session has it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        history = history_of(config)

        def saved_text(results: Sequence[Summary], _: pytest.Config) -> bytes:
            return history.text(summary.saved for summary in results).encode()

        self._targets = [
            (option, path, text)
            for option, text in (
                ("load_json", _json_text),
                ("load_html", _html),
                ("load_save", saved_text),
            )
            if (path := target_file(config, option)) is not None
        ]
        self._problems: list[str] = []
        self.incomplete = False
        """Whether a file could not be written, at the end of the session."""
        config.stash[BASELINE] = baseline_of(config)
        config.stash[RESULTS] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the files: before workers are brought down, which can go wrong."""
        results: list[Summary] = self._config.stash[RESULTS]
        for option, path, text in self._targets:
            if option == "load_save" and not results:
                self._problems.append(f"no load was made, so {path} is as it was")
                continue
            try:
                replace_file(path, text(results, self._config))
            except FileError as error:
                self._problems.append(shown_error(error, self._config))
                self.incomplete = True
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
        width = shutil.get_terminal_size().columns
        # Not sys.stdout's: capturing puts a stream with an encoding of its own there.
        glyphs = glyphs_for(getattr(sys.__stdout__, "encoding", None))
        for summary in results:
            for line in load_text(summary, width, glyphs):
                terminalreporter.write_line(line)
            terminalreporter.write_line("")
        for problem in self._problems:
            terminalreporter.write_line(f"results were not written: {problem}", red=True)
