"""The recorded traffic of a test case, for those who explain why it failed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_loadtool.casefile.trust import UNTRUSTED, Trust, named_path
from pytest_loadtool.codec.suffixes import har_path
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase


def evidence_of(path: Path, case: TestCase, trust: Trust) -> Evidence:
    """Return the recorded traffic, kept beside the test case under its name, and what its datasets
    are."""
    if trust.untrusted:
        return Evidence(note=f"the recorded traffic is not read: {UNTRUSTED}")
    from pytest_loadtool.casefile import known_columns

    return _with_traffic(path, trust, known_columns(path, case.datasets, trust))


def _with_traffic(path: Path, trust: Trust, columns: Mapping[str, tuple[str, ...]]) -> Evidence:
    har = har_path(path)
    if not har.exists():
        return Evidence(
            note=f"the recorded traffic, {har.name}, is not beside the test case", columns=columns
        )
    from pytest_loadtool.casefile import read_har

    try:
        return Evidence(read_har(named_path(path, har.name, trust, limit=None)), columns=columns)
    except FileError as error:
        return Evidence(note=f"the recorded traffic cannot be read: {error}", columns=columns)
