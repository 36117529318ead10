"""The recorded traffic of a test case, for those who explain why it failed."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool.casefile.trust import UNTRUSTED, Trust, named_path
from pytest_loadtool.codec.suffixes import har_path
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.errors import FileError


def evidence_of(path: Path, trust: Trust) -> Evidence:
    """Return the recorded traffic, kept beside the test case under its name."""
    har = har_path(path)
    if trust.untrusted:
        return Evidence(note=f"the recorded traffic is not read: {UNTRUSTED}")
    if not har.exists():
        return Evidence(note=f"the recorded traffic, {har.name}, is not beside the test case")
    from pytest_loadtool.casefile import read_har

    try:
        return Evidence(read_har(named_path(path, har.name, trust, limit=None)))
    except FileError as error:
        return Evidence(note=f"the recorded traffic cannot be read: {error}")
