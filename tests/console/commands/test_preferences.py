"""Preferences, Recording."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.casefile import HarWriter
from tests.console.running import run_script
from tests.recording.samples import SHOP, load, visit


@pytest.fixture
def traffic(tmp_path: Path) -> Path:
    """A document, and what its user does 20 seconds later."""
    path = tmp_path / "spa.har"
    with HarWriter(path) as writer:
        writer.append(visit(f"{SHOP}/app", 0, "<title>App"))
        writer.append(load(f"{SHOP}/api/orders", 20, "application/json", b"{}"))
    return path


@pytest.mark.promise(11)
@pytest.mark.promise(12)
@pytest.mark.usefixtures("traffic")
def test_grouping_is_chosen_and_its_threshold_set(tmp_path: Path) -> None:
    """Referrer Analysis by default; what is chosen holds for the next recording or import."""
    done = run_script(
        tmp_path,
        """
        preferences
        import spa.har
        preferences --grouping activity
        import spa.har --discard
        preferences --activity-threshold 1m
        import spa.har --discard
        quit
        """,
        status=2,
    )
    said = [line.strip() for line in done.stdout.splitlines()]
    assert [line.partition(".")[0] for line in said if line.startswith("The test case has")] == [
        "The test case has 1 page, 2 transactions",
        "The test case has 2 pages, 2 transactions",
        "The test case has 1 page, 2 transactions",
    ]
    assert "record_grouping = referrer  (Referrer Analysis)" in said
    assert "record_grouping = activity  (Activity Monitoring)" in said
    assert [line for line in said if line.startswith("record_activity_threshold")] == [
        "record_activity_threshold = 2s",
        "record_activity_threshold = 2s",
        "record_activity_threshold = 1m",
    ]


@pytest.mark.promise(12)
@pytest.mark.usefixtures("traffic")
def test_preferences_are_kept_in_the_configuration_file(tmp_path: Path) -> None:
    """What `preferences` prints is what to write there; nonsense is refused by its name."""
    configuration = tmp_path / "pytest.ini"
    configuration.write_text(
        "[pytest]\nrecord_grouping = activity\nrecord_activity_threshold = 1500ms\n"
    )
    done = run_script(tmp_path, "preferences\nimport spa.har\nquit\n", status=2)
    assert "record_activity_threshold = 1.5s" in done.stdout
    assert "The test case has 2 pages" in done.stdout
    configuration.write_text("[pytest]\nrecord_activity_threshold = short\n")
    done = run_script(tmp_path, "quit\n", status=4)
    assert "record_activity_threshold: " in done.stderr
    assert 'got "short"' in done.stderr
