"""What is said of a load test before it sends anything: that its time is too short."""

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
    reporter: pytest.TerminalReporter | None = config.pluginmanager.get_plugin("terminalreporter")
    hints = [text for name, length in lengths if (text := too_short(name, length, plan))]
    if reporter is None or not hints:
        return
    with uncaptured(config):
        reporter.ensure_newline()
        for text in hints:
            for line in wrap(printable(text), shutil.get_terminal_size().columns - len(_INDENT)):
                reporter.write_line(f"{_INDENT}{line}", yellow=True)
        reporter.flush()
