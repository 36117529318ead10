"""Which way a test case goes: over which transport, to a server or an application in this process.

The command line comes before the test case, and a server that is named from outside before an
application.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.plugin.paths import key_error

if TYPE_CHECKING:
    from pytest_loadtool.replay import Plan

__all__ = ["check_way", "on_its_way"]


def on_its_way(case: TestCase, config: pytest.Config) -> TestCase:
    """``case`` with what ``--loadtool-transport`` and ``--loadtool-app`` say in place of its own.

    pytest's rootdir is put on ``sys.path`` if there is an application to be imported.
    """
    transport = config.getoption("loadtool_transport", default=None)
    app = config.getoption("loadtool_app", default=None)
    if transport:
        case = replace(case, transport=transport)
    if app:
        case = replace(case, app=app, server_fixture="")
    root = str(config.rootpath)
    if case.app and root not in sys.path:
        sys.path.insert(0, root)
    return case


def check_way(plan: Plan, path: Path) -> None:
    """Find out before the first request whether the application, if there is one, can be asked.

    Raises:
        FileError: it cannot.
    """
    case = plan.case
    if not case.app:
        return
    from pytest_loadtool.transport.apps import load_app

    try:
        if case.transport == "raw":
            raise ReplayError(
                "--loadtool-transport raw does not reach an application in this process: leave it "
                "out, or name a server with --loadtool-server"
            )
        load_app(case.app)
    except ReplayError as error:
        raise key_error(path, ("app",), str(error)) from None
