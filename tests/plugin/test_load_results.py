"""The results of a session's load tests, and where they are written to."""

from __future__ import annotations

from dataclasses import replace

from pytest_loadtool.load.verdict.verdict import Verdict
from pytest_loadtool.plugin.load.results import document, failure_text
from tests.load.simulation import summary


def test_document_of_one_run_is_the_run_itself() -> None:
    """Nearly every session has one load test: its file is the documented object."""
    assert document([summary()])["verdict"] == summary().verdict.outcome


def test_document_of_any_other_number_is_a_list() -> None:
    """Several are under ``runs`` in the order they ran; none is an empty list, not an old file."""
    runs = document([summary(), summary()])
    assert runs == {"format": 1, "runs": [document([summary()])] * 2}
    assert document([]) == {"format": 1, "runs": []}


def test_failure_text_begins_with_the_outcome_and_the_first_reason() -> None:
    """The first line is all that pytest's summary shows; most frequent errors come last."""
    failed = Verdict("failed", ("error rate 1 %", "worker gw1 was lost"))
    text = failure_text(replace(summary(failing=200), verdict=failed)) or ""
    lines = text.splitlines()
    assert lines[:2] == ["load test failed: error rate 1 %", "worker gw1 was lost"]
    counts = [int(line.split()[0].replace(",", "")) for line in lines[2:]]
    assert counts
    assert counts == sorted(counts, reverse=True)


def test_passed_run_has_no_failure_text() -> None:
    """pytest calls a test failed if there is a text, however short."""
    assert failure_text(replace(summary(), verdict=Verdict("passed"))) is None
