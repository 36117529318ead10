"""pytest: the hooks. An edge, and the only room that knows pytest and pytest-xdist.

This module is loaded in every pytest run of every project that has the package installed, and in
every xdist worker, so it holds thin hooks only: nothing but pytest and this room's options is
imported until a hook has something to do. It asserts nothing: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_loadtool import CASE_SUFFIX, listeners
from pytest_loadtool.plugin.option_table import (
    pytest_addoption,
    pytest_load_initial_conftests,
    untouched,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_loadtool.capture import RecordingProxy
    from pytest_loadtool.replay.hook_arguments import HookRequest, HookResponse, HookUser
    from pytest_loadtool.workflow.unattended import RecordedCase

__all__ = [
    "loadtool_recorder",
    "loadtool_recorder_environment",
    "pytest_addoption",
    "pytest_load_initial_conftests",
]


class _OwnNames(type):
    """Have `dir` of a class leave out the names of `object`, at each of which pluggy looks long."""

    def __dir__(cls) -> Iterable[str]:
        return vars(cls)


class ReplayHooks(metaclass=_OwnNames):
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


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> object:
    """Refuse options that contradict each other; with ``--record`` the console is the whole run."""
    if config.option.help or config.option.version or untouched(config):
        return None
    from pytest_loadtool.plugin.run import take_effect

    return take_effect(config)


def pytest_configure(config: pytest.Config) -> None:
    """Hear of what tests record. What options ask for, `plugin.run` does."""
    hear = partial(_hear, config)
    listeners.append(hear)
    config.add_cleanup(partial(listeners.remove, hear))  # then an outer session hears again
    if config.option.load or getattr(config.option, "dist", "no") != "no":
        _hear_of_items(config)


def _hear(config: pytest.Config, recorded: RecordedCase) -> None:
    from pytest_loadtool.plugin.record.recorded import recorded_in

    recorded_in(config).append(recorded)


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


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Collect nothing that test cases upload, and be it a program in Python."""
    folder, dot, files = collection_path.name.rpartition(".")
    if dot and files == "files" and collection_path.with_name(folder + CASE_SUFFIX).exists():
        return True
    return None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect test cases."""
    if parent.config.option.load or not file_path.name.endswith(CASE_SUFFIX):
        return None
    from pytest_loadtool.plugin.functional.collect import CaseFile

    _hear_of_items(parent.config)
    return CaseFile.from_parent(parent, path=file_path)
