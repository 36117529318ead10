"""Applications that nobody here wrote replay green, without an edit, and hold under load."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.applications import journey
from tests.applications.application import APPLICATIONS, application
from tests.applications.outcome import TOLERATED, USERS, examine

RECORDINGS = Path(__file__).parent / "recordings"

#: Installed from PyPI, recorded, replayed and loaded in less than 20 seconds.
QUICK = ("fastapi-oauth2", "strawberry-graphql")
HEAVY = ("django-admin", "jupyterlab", "dokuwiki", "oidc-provider")


def _check(name: str, folder: Path) -> None:
    outcome = examine(name, folder)  # fails unless both replays are green
    assert outcome.transactions >= 15
    assert outcome.correlated
    assert not outcome.false_positives
    if name not in TOLERATED:
        assert outcome.errors == 0
        assert outcome.requests == USERS * outcome.transactions


@pytest.mark.alone
@pytest.mark.promise(3, 72)
@pytest.mark.parametrize("name", QUICK)
def test_application(name: str, tmp_path: Path) -> None:
    """Recorded, configured, replayed twice on a server that was restarted, loaded by ten users."""
    _check(name, tmp_path)


@pytest.mark.alone
@pytest.mark.heavy
@pytest.mark.parametrize("name", HEAVY)
def test_heavy_application(name: str, tmp_path: Path) -> None:
    """The same where that takes a minute or more."""
    _check(name, tmp_path)


@pytest.mark.promise(3)
def test_recording_of_another_day(tmp_path: Path) -> None:
    """A recording that is kept here replays green on a server of today."""
    name = "django-admin.case.toml"
    for file in (name, "django-admin.har"):
        shutil.copy(RECORDINGS / file, tmp_path)
    django = application("django-admin")
    django.install()
    state = tmp_path / "state"
    state.mkdir()
    with django.serve(state) as url:
        journey.replay(tmp_path / name, url)


def test_all_applications_are_tested() -> None:
    """One that is added to the table is in one of the lists."""
    assert sorted((*QUICK, *HEAVY)) == sorted(APPLICATIONS)
