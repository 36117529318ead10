"""What all tests share: the promises they keep, and pytest's own tools for testing plugins."""

from __future__ import annotations

import os

import pytest

pytest_plugins = ["pytester", "tests.promises"]


def pytest_configure(config: pytest.Config) -> None:
    """Under pytest-xdist, let the runs of pytest that tests start know nothing of that."""
    if hasattr(config, "workerinput"):
        for name in [name for name in os.environ if name.startswith("PYTEST_XDIST_")]:
            del os.environ[name]
