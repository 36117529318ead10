"""`pytest --record` and `--record-from-tests`: from pytest's options to the console."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.plugin.options import trust_of
from pytest_loadtool.plugin.overrides import put_on_path
from pytest_loadtool.plugin.private import give_back_stdin
from pytest_loadtool.plugin.replay_hooks import hooks_for

if TYPE_CHECKING:
    from pytest_loadtool.console import Settings
    from pytest_loadtool.recording import DomainFilter, Grouping


def main(config: pytest.Config) -> int:
    """Open the console in place of a test run, and return the exit status.

    Raises:
        pytest.UsageError: it cannot be opened like this.
    """
    _refuse_workers(config)
    if not config.option.record_script:
        _check_extra("prompt_toolkit")
    from pytest_loadtool.console import run

    give_back_stdin(config)  # nothing is captured after the console, so nothing is resumed
    put_on_path(config.rootpath)
    try:
        return run(_settings(config))
    except LoadToolError as error:
        raise pytest.UsageError(str(error)) from None


def record_tests(config: pytest.Config) -> None:
    """Have this session's tests recorded.

    Raises:
        pytest.UsageError: they cannot be.
    """
    _check_extra("mitmproxy")
    from pytest_loadtool.plugin.record.from_tests import FromTests
    from pytest_loadtool.plugin.record.recorded import recorded_in
    from pytest_loadtool.workflow.project import Project

    directory = Path(config.invocation_params.dir, config.option.record_from_tests)
    if directory.exists() and not directory.is_dir():
        raise pytest.UsageError(f"--record-from-tests: {directory} is not a directory")
    # The port of the configuration file is one, and each worker of pytest-xdist needs its own.
    project = Project(**_project(config) | {"port": 0})
    recorded = recorded_in(config)
    plugin = FromTests(directory, project, recorded, replace=bool(config.option.record_replace))
    config.pluginmanager.register(plugin, "loadtool-from-tests")
    if config.pluginmanager.has_plugin("playwright"):
        from pytest_loadtool.plugin.record import from_playwright

        config.pluginmanager.register(from_playwright, "loadtool-from-playwright")


def _check_extra(name: str) -> None:
    """Make sure that a package of the extra is there."""
    if find_spec(name) is None:
        what = "the console at a terminal" if name == "prompt_toolkit" else "recording"
        raise pytest.UsageError(f"{what} needs {name}: pip install 'pytest-loadtool[record]'")


def _refuse_workers(config: pytest.Config) -> None:
    workers = config.getoption("numprocesses", default=None) or config.getoption("tx", default=None)
    if workers:
        raise pytest.UsageError("--record opens one console: leave out -n and --tx")


def _settings(config: pytest.Config) -> Settings:
    from pytest_loadtool.console import Settings

    directory = Path(config.invocation_params.dir)
    file = config.getoption("record")
    replay = config.getoption("replay_har")
    return Settings(
        **_project(config),
        hooks=partial(hooks_for, config),
        case_path=directory / file if file else None,
        url=config.getoption("record_url") or "",
        browser=config.getoption("record_browser") or "",
        script=config.getoption("record_script") or "",
        colour=config.option.color,
        reset=config.getoption("record_reset") or "",
        replay_har=directory / replay if replay else None,
    )


def _project(config: pytest.Config) -> dict[str, Any]:
    """Return the fields of the `Project`."""
    return {
        "directory": Path(config.invocation_params.dir),
        "port": int(config.getoption("record_port") or 0),
        "domains": _domains(config),
        "grouping": _grouping(config),
        "proxy": config.getoption("loadtool_proxy") or "",
        "strict": bool(config.getoption("loadtool_strict")),
        "rules": tuple(config.getini("loadtool_asm_rules")),
        "trust": trust_of(config),
    }


def _domains(config: pytest.Config) -> DomainFilter:
    from pytest_loadtool.recording import TRACKERS, Domain, DomainFilter

    lists: dict[str, tuple[Domain, ...]] = {}
    for name in ("record_only", "record_block"):
        try:
            lists[name] = tuple(map(Domain.parse, config.getoption(name) or ()))
        except ValueError as error:
            raise pytest.UsageError(f"--{name.replace('_', '-')}: {error}") from None
    trackers = TRACKERS if config.getoption("record_block_trackers") else ()
    return DomainFilter(lists["record_only"], lists["record_block"] + trackers)


def _grouping(config: pytest.Config) -> Grouping:
    from pytest_loadtool.casefile import parse_duration
    from pytest_loadtool.recording import Grouping

    default = Grouping()
    threshold = config.getini("record_activity_threshold")
    try:
        return Grouping(
            config.getini("record_grouping") or default.algorithm,
            parse_duration(threshold) if threshold else default.threshold,
        )
    except ValueError as error:
        name = "record_activity_threshold" if threshold else "record_grouping"
        raise pytest.UsageError(f"{name}: {error}") from None
