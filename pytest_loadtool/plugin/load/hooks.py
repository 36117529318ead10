"""`pytest --load`: what a session of load tests consists of. Imported only for one.

Each `*.load.toml` is one test. A session has one of three roles: it runs everything itself, it is
the controller of xdist workers, or it is one of them. Only the first two report.
"""

from __future__ import annotations

import pytest

from pytest_loadtool.plugin.load.item import ENGINE
from pytest_loadtool.plugin.load.outcome import LoadOutcomes
from pytest_loadtool.plugin.load.results import LoadReporter


def configure(config: pytest.Config) -> None:
    """Give the session its role.

    Raises:
        pytest.UsageError: the options cannot work, such as a file that cannot be written.
    """
    if hasattr(config, "workerinput"):
        from pytest_loadtool.plugin.load.xdist_worker import LoadWorker

        config.stash[ENGINE] = worker = LoadWorker(config)
        config.pluginmanager.register(worker, "loadtool-worker")
        return
    if config.option.collectonly:
        return
    reporter = LoadReporter(config)
    config.pluginmanager.register(reporter, "loadtool-reporter")
    config.pluginmanager.register(LoadOutcomes(config, reporter), "loadtool-outcomes")
    if config.getoption("dist", "no") != "no" and config.getoption("tx", None):
        from pytest_loadtool.plugin.load.xdist_controller import LoadController

        config.pluginmanager.register(LoadController(config), "loadtool-controller")
        return
    from pytest_loadtool.plugin.load.local import Here

    config.stash[ENGINE] = Here(config)
