"""A folder to load-test from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.loading import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A folder of its own, with nothing in it."""
    return Project(tmp_path)
