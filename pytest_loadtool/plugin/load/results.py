"""What came of a session's load tests: verdicts for pytest, numbers for the terminal and a file.

It also has where this session makes its load tests.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_loadtool import __version__
from pytest_loadtool.casefile.files import file_errors, replace_file
from pytest_loadtool.codec.printable import printable
from pytest_loadtool.errors import FileError
from pytest_loadtool.load import Summary
from pytest_loadtool.load.formatting import plural
from pytest_loadtool.load.hot_path import build
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.plugin.load.carriers import carrier_of
from pytest_loadtool.plugin.load.compare import BASELINE, baseline_of, history_of
from pytest_loadtool.plugin.load.explained import LoadResult
from pytest_loadtool.plugin.load.reports import reports_of
from pytest_loadtool.plugin.load.telemetry import TELEMETRY, Telemetry
from pytest_loadtool.plugin.options import server_of
from pytest_loadtool.plugin.paths import shown_error, slug, target_file, target_folder
from pytest_loadtool.plugin.replay_hooks import summary_hook
from pytest_loadtool.plugin.report_failure import LoadFailure
from pytest_loadtool.replay.hooking import raised
from pytest_loadtool.report.load.chart import glyphs_for
from pytest_loadtool.report.load.firsts import fix_first
from pytest_loadtool.report.load.json import RunEnvironment, load_data, load_document
from pytest_loadtool.report.load.text import load_text


def environment(config: pytest.Config, plan: LoadConfiguration) -> RunEnvironment:
    """Return what makes the load of a load configuration here."""
    return RunEnvironment(
        target=server_of(config) or plan.server,
        version=__version__,
        build=build(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        system=platform.system(),
        machine=platform.machine(),
        processors=os.cpu_count(),
        made_by=_made_by(config),
    )


def _made_by(config: pytest.Config) -> str:
    workers = config.getoption("tx", None)
    return plural(len(workers), "worker") if workers else carrier_of(config).name


#: Columns where there is no terminal: logs are wide, and names are best whole.
_NO_TERMINAL = (120, 24)

#: What came of all load tests so far, in the order they ran.
RESULTS = pytest.StashKey[list[LoadResult]]()


def failure_text(result: LoadResult) -> LoadFailure | None:
    """Return why pytest must call the test failed, or None.

    The first line stands by itself in pytest's short summary. In a JUnit file this text is all
    there is, so it has all reasons, and what to mend first.
    """
    found = result.summary.verdict
    if found.outcome == "passed":
        return None
    lines = [f"load test {found.outcome}: {found.reasons[0]}", *found.reasons[1:]]
    if result.told is not None and (block := fix_first(result.summary, result.told)):
        lines += ["", *block]
    return LoadFailure("\n".join(printable(line) for line in lines))


def properties(summary: Summary) -> list[tuple[str, object]]:
    """Return the main numbers, as properties of the test in a JUnit file."""
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


def top_of(config: pytest.Config) -> int | None:
    """Return how many transactions the report shows; None: all.

    Raises:
        pytest.UsageError: ``--load-top`` is no number.
    """
    wanted = config.getoption("load_top", default=None)
    if wanted is None or wanted == "all":
        return None
    if not wanted.isdecimal() or not int(wanted):
        raise pytest.UsageError(f"--load-top {wanted}: give a number of transactions, or all")
    return int(wanted)


def _data(results: Sequence[LoadResult], config: pytest.Config) -> list[dict[str, Any]]:
    return [
        load_data(one.summary, environment(config, one.summary.configuration), one.told)
        for one in results
    ]


def _document(results: Sequence[LoadResult], config: pytest.Config) -> dict[str, Any]:
    return load_document(_data(results, config))


def _json(results: Sequence[LoadResult], config: pytest.Config) -> bytes:
    return (json.dumps(_document(results, config), indent=2) + "\n").encode()


def _tables(results: Sequence[LoadResult], config: pytest.Config) -> Iterable[tuple[str, bytes]]:
    from pytest_loadtool.report.load.csv import load_tables

    return load_tables(_data(results, config))


def _logs(results: Sequence[LoadResult], _: pytest.Config) -> Iterable[tuple[str, bytes]]:
    from pytest_loadtool.report.load.hdr import load_logs

    for one in results:
        prefix = f"{slug(one.summary.name)}." if len(results) > 1 else ""
        for name, content in load_logs(one.summary):
            yield prefix + name, content


def _html(results: Sequence[LoadResult], config: pytest.Config) -> bytes:
    from pytest_loadtool.report.html.load import load_page, run_data

    return load_page(
        [
            run_data(one.summary, environment(config, one.summary.configuration).facts(), one.told)
            for one in results
        ]
    )


def _markdown(results: Sequence[LoadResult], config: pytest.Config) -> bytes:
    from pytest_loadtool.report.load.markdown import load_markdown

    page = config.getoption("load_html") or ""
    return load_markdown([one.summary for one in results], page).encode()


class LoadReporter:
    """Writes the results at the end of the session: only one process of a session has it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        history = history_of(config)

        def saved_runs(results: Sequence[LoadResult], _: pytest.Config) -> bytes:
            return history.text(one.summary.saved for one in results).encode()

        self._targets = [
            (option, path, text)
            for option, text in (
                ("load_json", _json),
                ("load_html", _html),
                ("load_summary", _markdown),
                ("load_save", saved_runs),
            )
            if (path := target_file(config, option)) is not None
        ]
        self._targets += reports_of(config, _document)
        self._folders = [
            (folder, files)
            for option, files in (("load_csv", _tables), ("load_hdr", _logs))
            if (folder := target_folder(config, option)) is not None
        ]
        top_of(config)  # says now if it is wrong
        self._problems: list[str] = []
        self._raised: list[str] = []
        self.incomplete = False
        """Whether a file could not be written, at the end of the session."""
        config.stash[BASELINE] = baseline_of(config)
        config.stash[TELEMETRY] = telemetry = Telemetry(config)
        config.add_cleanup(telemetry.close)
        config.stash[RESULTS] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the files: before workers are brought down, which can go wrong."""
        results: list[LoadResult] = self._config.stash[RESULTS]
        for option, path, text in self._targets:
            if option == "load_save" and not results:
                self._problems.append(f"no load was made, so {path} is as it was")
                continue
            self._write(session, {path: text(results, self._config)})
        for folder, files in self._folders:
            named = {folder / name: content for name, content in files(results, self._config)}
            self._write(session, named)
        for result in results:
            self._tell(session, result)

    def _write(self, session: pytest.Session, files: Mapping[Path, bytes]) -> None:
        for path, content in files.items():
            try:
                with file_errors(path, "write"):
                    path.parent.mkdir(exist_ok=True)
                replace_file(path, content)
            except FileError as error:
                self._problems.append(shown_error(error, self._config))
                self.incomplete = True
                session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def _tell(self, session: pytest.Session, result: LoadResult) -> None:
        """Call the functions of the project that want the results."""
        hook = summary_hook(self._config, result.path)
        if hook is None:
            return
        (summary,) = _data([result], self._config)
        try:
            hook.call(summary=summary)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever it is, even what ends a test or a program
            self._raised.append(raised(hook, error).message)
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
        width = shutil.get_terminal_size(_NO_TERMINAL).columns
        # Not sys.stdout's: capturing puts a stream with an encoding of its own there.
        glyphs = glyphs_for(getattr(sys.__stdout__, "encoding", None))
        top = top_of(self._config)
        for result in results:
            for line in load_text(result.summary, width, glyphs, told=result.told, top=top):
                terminalreporter.write_line(line)
            terminalreporter.write_line("")
            if result.problem:
                why = f"samples of what failed were not written: {result.problem}"
                terminalreporter.write_line(why, red=True)
        for problem in self._config.stash[TELEMETRY].problems():
            terminalreporter.write_line(problem, red=True)
        for problem in self._problems:
            terminalreporter.write_line(f"results were not written: {problem}", red=True)
        for message in self._raised:
            terminalreporter.write_line(message, red=True)
