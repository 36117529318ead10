"""Where this session makes its load tests."""

from __future__ import annotations

import os
import platform

import pytest

from pytest_loadtool import __version__
from pytest_loadtool.load.formatting import plural
from pytest_loadtool.load.hot_path import build
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.plugin.options import server_of
from pytest_loadtool.report.load.environment import RunEnvironment


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
    if config.getoption("load_on", None):
        return "a Dask cluster"
    workers = config.getoption("tx", None)
    return plural(len(workers), "worker") if workers else "this process"
