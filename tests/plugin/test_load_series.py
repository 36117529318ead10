"""What pytest is told of a load test over several workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.plugin.load.compare import BASELINE, Baseline
from pytest_loadtool.plugin.load.series import Frame, SharedTest


class Sent:
    """A carrier that keeps what it is given."""

    def __init__(self) -> None:
        self.frames: list[tuple[str, Frame]] = []

    def send(self, worker: str, frame: Frame) -> None:
        """Keep a message."""
        self.frames.append((worker, frame))

    def end(self, worker: str) -> None:
        """Nobody is ended."""
        raise AssertionError(worker)


def test_a_file_that_has_become_wrong(pytester: pytest.Pytester) -> None:
    """Between the workers' reading it and the controller's: it is called as elsewhere."""
    config = pytester.parseconfig()
    config.stash[BASELINE] = Baseline()
    path = Path(config.invocation_params.dir, "gone", "rush.load.toml")
    sent = Sent()
    test = SharedTest(config, "gone/rush.load.toml::rush", ["gw0"], sent)
    test.hear("gw0", "ready", (str(path), ("gone/rush.load.toml", 0, "rush")))
    assert sent.frames == [("gw0", ("gone/rush.load.toml::rush", "skip"))]
    test.run.leave("gw0")
    assert test.run.over
    setup, call, teardown = test.reports(test.result())
    assert (setup.outcome, call.outcome, teardown.outcome) == ("passed", "failed", "passed")
    assert call.longrepr == "gone/rush.load.toml: no such file"
