"""A load test under way, in words."""

from __future__ import annotations

from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.report.load.status import waiting

LOAD = LoadConfiguration("shop", (CaseShare("shop.case.toml"),), 5, 10.0)


def test_what_a_run_waits_for_in_the_end() -> None:
    """Who thinks, for how long, and when that is cut."""
    assert waiting([52.4, 3.0, 1.0, 2.0, 9.0], 12.0, LOAD) == (
        "5 users are in think time, longest 52 s more; cut in 28 s"
    )
    assert waiting([0.4], 12.0, LOAD) == "1 user is in think time; cut in 28 s"
    assert waiting([7.0], 12.0, LOAD) == "1 user is in think time, longest 7 s more; cut in 28 s"
    assert waiting([], 39.0, LOAD) == "cut in 1 s"


def test_a_run_that_still_has_time_waits_for_nothing() -> None:
    """Nor one that only its iterations end."""
    assert waiting([5.0], 9.0, LOAD) == ""
    assert waiting([5.0], 9.0, LoadConfiguration("shop", LOAD.cases, 5, None)) == ""
