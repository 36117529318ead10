"""pytest: the hooks. An edge, and the only room that knows pytest and pytest-xdist.

This module is loaded in every pytest run of every project that has the package installed, and in
every xdist worker, so it holds thin hooks only: nothing but pytest and this room's options is
imported until a hook has something to do. It asserts nothing: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_loadtool import CASE_SUFFIX, LOAD_SUFFIX, listeners
from pytest_loadtool.plugin import option_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_loadtool.capture import RecordingProxy
    from pytest_loadtool.replay.hook_arguments import HookRequest, HookResponse, HookUser
    from pytest_loadtool.workflow.unattended import RecordedCase

__all__ = ["loadtool_recorder", "loadtool_recorder_environment"]


class ReplayHooks:
    """The hooks that a conftest.py or a plugin may implement, to take part in replays.

    Where nobody does, nothing is called. All but the last are called on the event loop of all users
    of the process, so what takes long there has all of them wait. They stand here as each module
    more costs an idle run.
    """

    def pytest_loadtool_request(self, request: HookRequest, user: HookUser) -> None:
        """Called before a request is sent, with all that will be sent: its headers, target and body
        may be changed, the user's variables be read and set."""

    def pytest_loadtool_response(
        self, response: HookResponse, request: HookRequest, user: HookUser
    ) -> None:
        """Called when a response has come, before extractors and validators look at it. What is
        raised fails the transaction."""

    def pytest_loadtool_iteration_start(self, user: HookUser) -> None:
        """Called when an iteration begins, before its first request is made."""

    def pytest_loadtool_iteration_end(self, user: HookUser, failed: bool) -> None:
        """Called when an iteration has ended; ``failed`` says whether a transaction of it has."""

    def pytest_loadtool_summary(self, summary: dict[str, Any]) -> None:
        """Called for each load test of a session when its results are ready: what ``--load-json``
        has of a run. What is raised fails the session."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks of replays."""
    pluginmanager.add_hookspecs(ReplayHooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    option_table.declare(parser)


@pytest.hookimpl(trylast=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> None:
    """Add options that other plugins and conftests may have: now those are known."""
    option_table.declare_unless_taken(parser, load=early_config.known_args_namespace.load)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Refuse options that contradict each other; with ``--record`` the console is the whole run."""
    if config.option.help or config.option.version or option_table.untouched(config):
        return None
    from pytest_loadtool.plugin import options

    options.settle(config)
    config.pluginmanager.register(options, "loadtool-options")
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

    def hear(recorded: RecordedCase) -> None:
        from pytest_loadtool.plugin.record.recorded import recorded_in

        recorded_in(config).append(recorded)

    listeners.append(hear)
    config.add_cleanup(lambda: listeners.remove(hear))  # then an outer session hears again
    if getattr(config.option, "dist", "no") != "no":
        _hear_of_items(config)
    if config.option.load:
        from pytest_loadtool.plugin.load.hooks import configure

        configure(config)
    elif config.option.loadtool_html and config.option.record is None:
        from pytest_loadtool.plugin.functional import html

        html.configure(config)
    if config.option.record_from_tests:
        from pytest_loadtool.plugin.record.hooks import record_tests

        record_tests(config)


def _hear_of_items(config: pytest.Config) -> None:
    """From now on do for tests of ours what pytest does not: there are some, or workers of
    pytest-xdist may have some."""
    if not config.pluginmanager.has_plugin("loadtool-items"):
        from pytest_loadtool.plugin import item_hooks

        config.pluginmanager.register(item_hooks, "loadtool-items")


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


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Collect nothing but load configurations with ``--load``. What test cases upload, and be it a
    program in Python, never is."""
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

            _hear_of_items(parent.config)
            file: pytest.Collector = LoadFile.from_parent(parent, path=file_path)
            return file
    elif file_path.name.endswith(CASE_SUFFIX):
        from pytest_loadtool.plugin.functional.collect import CaseFile

        _hear_of_items(parent.config)
        return CaseFile.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """In the controller of pytest-xdist, hear of what was recorded in a worker."""
    output = getattr(node, "workeroutput", None) or {}
    if "loadtool_recorded" in output:
        from pytest_loadtool.plugin.record.recorded import receive

        receive(node.config, output)
