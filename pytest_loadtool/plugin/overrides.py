"""Which way a test case goes: over which transport, through which proxy, to a server or an
application in this process.

The command line comes before the test case, and a server that is named from outside before an
application.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.plugin.proxy import through_proxy


def on_its_way(case: TestCase, config: pytest.Config) -> TestCase:
    """Return ``case`` with what ``--loadtool-transport``, ``--loadtool-app``,
    ``--loadtool-strict``, ``--loadtool-traceparent`` and ``--proxy-url`` say in place of its own.

    pytest's rootdir is put on ``sys.path`` if there is an application to be imported.
    """
    transport = config.getoption("loadtool_transport", default=None)
    app = config.getoption("loadtool_app", default=None)
    if transport:
        case = replace(case, transport=transport)
    if app:
        case = replace(case, app=app, server_fixture="")
    if config.getoption("loadtool_strict", default=None):
        case = replace(case, strict=True)
    if config.getoption("loadtool_traceparent", default=None):
        case = replace(case, traced=True)
    if case.app:
        put_on_path(config.rootpath)
    return through_proxy(case, config)


def put_on_path(root: Path) -> None:
    """Let Python find a project's modules, such as an application, in its directory."""
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
