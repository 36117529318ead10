"""What a worker of a cluster is, before anything is sent to it.

The function travels by value: it must run where pytest-loadtool is not installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kind:
    """What has to be the same here and there: versions, and whether the hot path is compiled."""

    version: str
    python: str
    build: str

    def __str__(self) -> str:
        """``pytest-loadtool 1.0 (compiled), Python 3.11``."""
        if not self.version:
            return "no pytest-loadtool"
        return f"pytest-loadtool {self.version} ({self.build}), Python {self.python}"


def look() -> dict[str, Any]:
    """Return what this process is: builtin types only."""
    import sys

    found = {"version": "", "python": "{}.{}".format(*sys.version_info[:2]), "build": ""}
    try:
        import pytest_loadtool
        from pytest_loadtool.load.metrics import histogram
    except ImportError:
        return found
    build = "pure Python" if histogram.__file__.endswith(".py") else "compiled"
    return {**found, "version": pytest_loadtool.__version__, "build": build}


def here() -> Kind:
    """Return what this process is."""
    return Kind(**look())


def differences(found: dict[str, Kind], mine: Kind) -> list[str]:
    """Return a sentence for each worker that cannot take part, by name."""
    return [f"{name} has {one}" for name, one in sorted(found.items()) if one != mine]
