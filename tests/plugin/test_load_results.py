"""The results of a session's load tests, and where they are written to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_loadtool.load.verdict.verdict import Verdict
from pytest_loadtool.plugin.load.explained import LoadResult
from pytest_loadtool.plugin.load.results import failure_text
from tests.load.simulation import summary, told

PATH = Path("rush.load.toml")


def test_failure_text_begins_with_the_outcome_and_the_first_reason() -> None:
    """The first line is all that pytest's summary shows; what to mend first comes last."""
    failed = Verdict("failed", ("error rate 1 %", "worker gw1 was lost"))
    found = replace(summary(failing=200), verdict=failed)
    text = failure_text(LoadResult(PATH, found, told(found))) or ""
    lines = text.splitlines()
    assert lines[:3] == ["load test failed: error rate 1 %", "worker gw1 was lost", ""]
    assert lines[3].startswith("FIX FIRST  500  ")
    assert any(line.startswith("  cause    ") for line in lines)


def test_passed_run_has_no_failure_text() -> None:
    """pytest calls a test failed if there is a text, however short."""
    passed = replace(summary(), verdict=Verdict("passed"))
    assert failure_text(LoadResult(PATH, passed)) is None
