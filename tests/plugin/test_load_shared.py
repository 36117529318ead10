"""The controller's books of one load test."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.plugin.load.compare import Baseline
from pytest_loadtool.plugin.load.shared import SharedTest


def test_a_file_that_has_become_wrong(pytestconfig: pytest.Config) -> None:
    """Between the workers' reading it and the controller's: it is called as elsewhere."""
    folder = Path(pytestconfig.invocation_params.dir)
    path = folder / "gone" / "rush.load.toml"
    test = SharedTest("gone/rush.load.toml::rush", ["gw0"], Baseline())
    [skip] = test.hear("gw0", "ready", (str(path), ("gone/rush.load.toml", 0, "rush")))
    assert (skip.worker, skip.kind) == ("gw0", "skip")
    test.leave("gw0")
    assert test.over
    setup, call, teardown = test.reports(pytestconfig, test.summary())
    assert (setup.outcome, call.outcome, teardown.outcome) == ("passed", "failed", "passed")
    assert call.longrepr == "gone/rush.load.toml: no such file"
