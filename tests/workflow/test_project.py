"""Paths as they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.workflow.project import Project


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/here/cases/shop.case.toml", "cases/shop.case.toml"),
        ("/elsewhere/shop.har", "/elsewhere/shop.har"),
        (
            "/home/somebody/projects/a-customer/tests/load/cases/shop.har",
            "/home/…/cases/shop.har",
        ),
        (f"/here/{'long' * 20}.har", f"{'long' * 20}.har"),
    ],
)
def test_long_paths_are_shortened_in_the_middle(path: str, shown: str) -> None:
    """Where one reads them; relative to the folder that one is in."""
    assert Project(Path("/here")).brief(Path(path)) == shown
