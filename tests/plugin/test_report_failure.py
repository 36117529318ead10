"""Failures in plain words, on a terminal and elsewhere."""

from __future__ import annotations

from io import StringIO

import pytest
from _pytest._io import TerminalWriter

from pytest_loadtool.plugin.report_failure import WrappedText

TEXT = "load test failed: error rate 1 %, 0 % is allowed\n  5 x Home / GET /: status 500\n\nend"


class Terminal(StringIO):
    """Something that says it is one."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("file", "written"),
    [
        (StringIO(), f"{TEXT}\n"),
        (
            Terminal(),
            "load test failed: error\n  rate 1 %, 0 % is\n  allowed\n"
            "  5 x Home / GET /:\n    status 500\n\nend\n",
        ),
    ],
    ids=["log", "terminal"],
)
def test_lines_are_broken_between_words(file: StringIO, written: str) -> None:
    """On a terminal, which would break them within words; a log has them whole."""
    writer = TerminalWriter(file)
    writer.hasmarkup = False
    writer.fullwidth = 23
    WrappedText(TEXT).toterminal(writer)
    assert file.getvalue() == written
