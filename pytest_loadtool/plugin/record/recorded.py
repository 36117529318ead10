"""What a session has recorded from its tests, as the end of its report says it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_loadtool.plugin.paths import shown_path
from pytest_loadtool.workflow.unattended import RecordedCase

if TYPE_CHECKING:
    import pytest

#: Where a worker of pytest-xdist leaves it for the controller.
OUTPUT = "loadtool_recorded"


def hand_over(recorded: Iterable[RecordedCase], output: dict[str, Any]) -> None:
    """In a worker, at its end: leave all there is in its output."""
    output[OUTPUT] = [asdict(one) for one in recorded]


def receive(output: Mapping[str, Any]) -> Iterator[RecordedCase]:
    """In the controller: take what a worker has left in its output."""
    return (RecordedCase(**fields) for fields in output[OUTPUT])


def show(
    recorded: Iterable[RecordedCase], reporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Write the section."""
    reporter.section("recorded from tests")
    lines = list(_lines(recorded, config))
    for line in lines or [
        "nothing: no test sent anything through the proxy of the fixture loadtool_recorder"
    ]:
        reporter.line(line)


def _lines(recorded: Iterable[RecordedCase], config: pytest.Config) -> Iterator[str]:
    for one in sorted(recorded, key=lambda recorded: recorded.file):
        yield f"{shown_path(Path(one.file), config)}: {one.summary}"
        yield from one.notes
