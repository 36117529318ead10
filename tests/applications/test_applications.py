"""Applications that nobody here wrote replay green, without an edit, and hold under load."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.applications.application import APPLICATIONS
from tests.applications.outcome import USERS, examine

#: Installed from PyPI in less than 20 seconds.
QUICK = ("django-admin", "fastapi-oauth2", "strawberry-graphql")
HEAVY = ("jupyterlab", "dokuwiki", "oidc-provider")


def _check(name: str, folder: Path) -> None:
    outcome = examine(name, folder)  # fails unless both replays are green
    assert outcome.transactions >= 15
    assert outcome.correlated
    assert not outcome.false_positives
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
    """The same where the installation takes a minute or more."""
    _check(name, tmp_path)


def test_all_applications_are_tested() -> None:
    """One that is added to the table is in one of the lists."""
    assert sorted((*QUICK, *HEAVY)) == sorted(APPLICATIONS)
