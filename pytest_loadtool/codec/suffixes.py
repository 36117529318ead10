"""What the files of a test case are called."""

from __future__ import annotations

from pathlib import Path, PurePath

from pytest_loadtool import CASE_SUFFIX


def case_name(case_path: PurePath) -> str:
    """Return the stem that a test case shares with its traffic: ``shop`` of ``shop.case.toml``."""
    return case_path.name.removesuffix(CASE_SUFFIX)


def har_path(case_path: Path) -> Path:
    """Return the file that holds the traffic of a saved test case."""
    return case_path.with_name(f"{case_name(case_path)}.har")
