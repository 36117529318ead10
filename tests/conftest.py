"""What all tests share: the promises they keep, and pytest's own tools for testing plugins."""

from __future__ import annotations

import os
from importlib.metadata import entry_points

import pytest
from hypothesis import settings

pytest_plugins = ["pytester", "tests.promises"]

#: Runs of pytest that tests start do without the plugins that are here for the tests themselves:
#: importing them takes as long as the rest of a short run.
WITHOUT_OTHERS = " ".join(
    f"-p no:{one.name}"
    for one in entry_points(group="pytest11")
    if one.name.partition(".")[0] not in ("loadtool", "xdist")
)

# A busy machine is no failure. --hypothesis-profile=thorough tries more.
settings.register_profile("gate", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("gate")


@pytest.fixture(scope="session", autouse=True)
def unknown_to_their_runs() -> None:
    """Let the runs of pytest that tests start know nothing of this one; its workers have begun."""
    os.environ["PYTEST_ADDOPTS"] = WITHOUT_OTHERS
    for name in [name for name in os.environ if name.startswith("PYTEST_XDIST_")]:
        del os.environ[name]


@pytest.fixture
def pytester(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """pytest's own, with the options that it drops."""
    monkeypatch.setenv("PYTEST_ADDOPTS", WITHOUT_OTHERS)
    return pytester
