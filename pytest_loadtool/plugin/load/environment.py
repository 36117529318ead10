"""Where a load test was made: for the reader who compares it with another."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator

import pytest

from pytest_loadtool import __version__
from pytest_loadtool.load.formatting import plural
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.plugin.options import build, server_of


def environment(config: pytest.Config, plan: LoadConfiguration) -> Iterator[tuple[str, str]]:
    """Yield facts about the generator and its target, each with its name."""
    yield "Target", server_of(config) or plan.server or "as the test cases say"
    yield "pytest-loadtool", f"{__version__}, {build()}"
    yield "Python", f"{platform.python_implementation()} {platform.python_version()}"
    yield "Machine", f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    workers = config.getoption("tx", None)
    yield "Made by", plural(len(workers), "worker") if workers else "this process"
