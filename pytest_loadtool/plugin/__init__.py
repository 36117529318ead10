"""pytest: the hooks. An edge, and the only room that knows pytest and pytest-xdist.

This module is loaded in every pytest run of every project that has the package installed, and in
every xdist worker, so it holds thin hooks only: nothing but pytest and this room's options is
imported until a hook has something to do.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_loadtool import CASE_SUFFIX, LOAD_SUFFIX, listeners
from pytest_loadtool.plugin import hookspecs, option_table, options

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_loadtool.capture import RecordingProxy
    from pytest_loadtool.workflow.unattended import RecordedCase

__all__ = ["loadtool_recorder", "loadtool_recorder_environment"]

#: What became of recordings from the tests of a session, with `--record-from-tests` or without.
_RECORDED = pytest.StashKey["list[RecordedCase]"]()


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks of replays."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of group "loadtool"."""
    option_table.declare(parser)


@pytest.hookimpl(trylast=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> None:
    """Add options that other plugins and conftests may have: now those are known."""
    option_table.declare_unless_taken(parser, load=early_config.known_args_namespace.load)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Refuse options that contradict each other; with ``--record`` the console is the whole run."""
    if config.option.help or config.option.version:
        return None
    options.settle(config)
    if config.option.record is None:
        return None
    try:
        from pytest_loadtool.plugin.record.hooks import main

        return main(config)
    except KeyboardInterrupt:  # while the console is imported; then it has a handler of its own
        sys.stderr.write("\ninterrupted\n")
        return pytest.ExitCode.INTERRUPTED


def pytest_configure(config: pytest.Config) -> None:
    """Hear of what tests record; prepare load tests or recording from tests, if they are asked
    for."""
    recorded: list[RecordedCase] = []
    config.stash[_RECORDED] = recorded
    listeners.append(recorded.append)
    if config.option.load:
        from pytest_loadtool.plugin.load.hooks import configure

        configure(config)
    elif config.option.loadtool_html and config.option.record is None:
        from pytest_loadtool.plugin.functional import html

        html.configure(config)
    if config.option.record_from_tests:
        from pytest_loadtool.plugin.record.hooks import record_tests

        record_tests(config, recorded)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Hear no more; an outer session does again."""
    recorded = config.stash.get(_RECORDED, None)
    if recorded is not None:
        listeners.remove(recorded.append)


@pytest.fixture(scope="session")
def loadtool_recorder(pytestconfig: pytest.Config) -> RecordingProxy:
    """Return how clients reach the recording proxy with --record-from-tests; without, changes
    nothing.

    `url`, `ca`, and settings for clients: `playwright`, `selenium(options)`, `httpx`, `requests`,
    `environment`.
    """
    from pytest_loadtool.capture import RecordingProxy

    plugin = pytestconfig.pluginmanager.get_plugin("loadtool-from-tests")
    return plugin.proxy if plugin is not None else RecordingProxy()


@pytest.fixture
def loadtool_recorder_environment(loadtool_recorder: RecordingProxy) -> Iterator[None]:
    """Clients that read the environment (httpx, requests, curl) go through the recording proxy.

    The variables are set while the test runs, with --record-from-tests only.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, value in loadtool_recorder.environment.items():
            patch.setenv(name, value)
        yield


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what is replayed otherwise than the test cases say."""
    return options.header(config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``--load`` nothing but load configurations is collected. What test cases upload, and be
    it a program in Python, never is."""
    folder, dot, files = collection_path.name.rpartition(".")
    if dot and files == "files" and collection_path.with_name(folder + CASE_SUFFIX).exists():
        return True
    if not config.option.load or collection_path.name.endswith(LOAD_SUFFIX):
        return None
    return True if collection_path.is_file() else None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect test cases, or with ``--load`` load configurations."""
    if parent.config.option.load:
        if file_path.name.endswith(LOAD_SUFFIX):
            from pytest_loadtool.plugin.load.item import LoadFile

            file: pytest.Collector = LoadFile.from_parent(parent, path=file_path)
            return file
    elif file_path.name.endswith(CASE_SUFFIX):
        from pytest_loadtool.plugin.functional.collect import CaseFile

        return CaseFile.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """While a test case or a load test runs, SIGTERM and SIGHUP interrupt pytest as Ctrl-C does: in
    a worker of pytest-xdist they are the controller's."""
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


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """In a worker of pytest-xdist, tell the controller what was recorded, to the last of it."""
    result = yield
    output = getattr(session.config, "workeroutput", None)
    if output is not None and (recorded := session.config.stash[_RECORDED]):
        from pytest_loadtool.plugin.record.recorded import hand_over

        hand_over(recorded, output)
    return result


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """In the controller, hear of it."""
    output = getattr(node, "workeroutput", None) or {}
    if "loadtool_recorded" in output:
        from pytest_loadtool.plugin.record.recorded import receive

        node.config.stash[_RECORDED] += receive(output)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was recorded from tests; which tests have accepted any certificate or take values by
    their place in a list, and which passed although they were not answered as recorded."""
    recorded = config.stash[_RECORDED]
    if (recorded or config.option.record_from_tests) and not config.option.collectonly:
        from pytest_loadtool.plugin.record.recorded import show

        show(recorded, terminalreporter, config)
    reports = (report for many in terminalreporter.stats.values() for report in many)
    if not any(getattr(report, "user_properties", ()) for report in reports):
        return
    from pytest_loadtool.plugin.functional.notices import notices

    for text in notices(terminalreporter.stats):
        terminalreporter.line(text, yellow=True)
