"""A change that is answered and not done is found in the state of the application."""

from __future__ import annotations

from pathlib import Path

from tests.applications.sabotage import kept, report


def test_sabotage(tmp_path: Path) -> None:
    """One place is found and reported with what the replay said; willing servers make no red."""
    results = tmp_path / "results"
    done = kept("fastapi-oauth2", tmp_path, 1, 1, results)
    assert kept("none at all", tmp_path, 1, 1, _named(results, "none at all")) == done
    (place,) = done.places
    assert place.missed
    assert not done.reds
    _, _, row, _, changes, replays, minutes = report([done])
    assert f"`{place.title}`" in row
    assert changes.startswith("1 changes not done: ")
    assert minutes.endswith(" minutes")
    assert replays == "1 replays with all changes done: 0 red"


def _named(results: Path, name: str) -> Path:
    """The same results, of an application that there is not."""
    (one,) = results.iterdir()
    one.rename(one.with_name(one.name.replace("fastapi-oauth2", name)))
    return results
