"""What a session has recorded from its tests, as the end of its report says it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_loadtool.console.program import recorded_so_far
from pytest_loadtool.console.unattended import Recorded
from pytest_loadtool.plugin.paths import shown_path

if TYPE_CHECKING:
    import pytest

#: Where a worker of pytest-xdist leaves it for the controller.
OUTPUT = "loadtool_recorded"


def hand_over(output: dict[str, Any]) -> None:
    """In a worker, at its end: leave all there is in its output."""
    output[OUTPUT] = [asdict(one) for one in recorded_so_far]


def receive(output: Mapping[str, Any]) -> None:
    """In the controller: take what a worker has left in its output."""
    recorded_so_far.extend(Recorded(**fields) for fields in output[OUTPUT])


def show(reporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the section, if there is anything to say."""
    lines = list(_lines(config))
    if lines:
        reporter.section("recorded from tests")
    for line in lines:
        reporter.line(line)
    recorded_so_far.clear()


def _lines(config: pytest.Config) -> Iterator[str]:
    for one in sorted(recorded_so_far, key=lambda recorded: recorded.file):
        yield f"{shown_path(Path(one.file), config)}: {one.summary}"
        yield from one.notes
    if not recorded_so_far and config.option.record_from_tests:
        yield "nothing: no test sent anything through the proxy of the fixture loadtool_recorder"
