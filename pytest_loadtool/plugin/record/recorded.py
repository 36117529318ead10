"""What a session has recorded from its tests, with `--record-from-tests` or without, as the end of
its report says it. pytest hears of it when something was recorded."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from pytest_loadtool.plugin.paths import shown_path
from pytest_loadtool.workflow.unattended import RecordedCase

_RECORDED = pytest.StashKey[list[RecordedCase]]()

#: Where a worker of pytest-xdist leaves it for the controller.
_OUTPUT = "loadtool_recorded"


def recorded_in(config: pytest.Config) -> list[RecordedCase]:
    """Return what became of the recordings of this session so far, to be added to."""
    if _RECORDED not in config.stash:
        config.stash[_RECORDED] = []
        config.pluginmanager.register(sys.modules[__name__], "loadtool-recorded")
    return config.stash[_RECORDED]


def receive(config: pytest.Config, output: Mapping[str, Any]) -> None:
    """Take in the controller what a worker has left in its output."""
    recorded_in(config).extend(RecordedCase(**fields) for fields in output[_OUTPUT])


# Within what pytest-xdist has around it, which sends the output away.
@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """Tell the controller what was recorded, to the last of it, in a worker of pytest-xdist."""
    result = yield
    output = getattr(session.config, "workeroutput", None)
    if output is not None and (recorded := recorded_in(session.config)):
        output[_OUTPUT] = [asdict(one) for one in recorded]
    return result


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was recorded."""
    if config.option.collectonly:
        return
    terminalreporter.section("recorded from tests")
    lines = list(_lines(recorded_in(config), config))
    for line in lines or [
        "nothing: no test sent anything through the proxy of the fixture loadtool_recorder"
    ]:
        terminalreporter.line(line)


def _lines(recorded: Iterable[RecordedCase], config: pytest.Config) -> Iterator[str]:
    for one in sorted(recorded, key=lambda recorded: recorded.file):
        yield f"{shown_path(Path(one.file), config)}: {one.summary}"
        yield from one.notes
