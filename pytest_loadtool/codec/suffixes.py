"""What files of a project are called: pytest collects them by their suffixes.

Nothing is imported here that an idle pytest does not have.
"""

from __future__ import annotations

from pathlib import Path

CASE_SUFFIX = ".case.toml"
LOAD_SUFFIX = ".load.toml"


def case_name(case_path: Path) -> str:
    """The stem that a test case shares with its traffic: ``shop`` of ``shop.case.toml``."""
    return case_path.name.removesuffix(CASE_SUFFIX)


def har_path(case_path: Path) -> Path:
    """The file that holds the traffic of a saved test case."""
    return case_path.with_name(f"{case_name(case_path)}.har")
