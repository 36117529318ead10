"""A change that is answered and not done is found in the state of the application."""

from __future__ import annotations

from pathlib import Path

from tests.applications.sabotage import report, sabotage


def test_sabotage(tmp_path: Path) -> None:
    """One place is found and reported with what the replay said; willing servers make no red."""
    done = sabotage("fastapi-oauth2", tmp_path, places=1, replays=1)
    (place,) = done.places
    assert place.missed
    assert not done.reds
    _, _, row, _, changes, replays = report([done])
    assert f"`{place.title}`" in row
    assert changes.startswith("1 changes not done: ")
    assert replays == "1 replays with all changes done: 0 red"
