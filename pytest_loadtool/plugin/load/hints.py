"""What is said of a load test beside its results: that its time is too short, who makes it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from textwrap import wrap

import pytest

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.load.verdict.unfinished import too_short
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.plugin.private import uncaptured

_INDENT = "    "


def write_hints(
    config: pytest.Config,
    plan: LoadConfiguration,
    lengths: Sequence[tuple[str, Length]],
) -> None:
    """Write a line for each test case, named with its length, that ``plan`` has no time for."""
    write_notes(
        config,
        [
            text
            for at, (name, length) in enumerate(lengths)
            if (text := too_short(name, length, plan.schedule_of(at), plan.grace))
        ],
    )


def write_notes(config: pytest.Config, notes: Sequence[str]) -> None:
    """Write what is to be known of a load test, below its name."""
    reporter: pytest.TerminalReporter | None = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not notes:
        return
    with uncaptured(config):
        reporter.ensure_newline()
        for text in notes:
            for line in wrap(printable(text), shutil.get_terminal_size().columns - len(_INDENT)):
                reporter.write_line(f"{_INDENT}{line}", yellow=True)
        reporter.flush()
