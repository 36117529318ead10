"""`--load-save` and `--load-compare`: runs kept in a file, and the runs that are compared with.

One file holds the runs of a session, by the name of their load configuration.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_loadtool.casefile.files import read_text
from pytest_loadtool.casefile.quantities import parse_share
from pytest_loadtool.errors import FileError, LoadToolError
from pytest_loadtool.load.verdict.comparison import TOLERANCE
from pytest_loadtool.load.verdict.saved import SavedRun

_KIND = "load runs saved by pytest-loadtool"


@dataclass(frozen=True, slots=True)
class Baseline:
    """Earlier runs by name, and how much worse (a share) this session's may be."""

    file: str = ""
    runs: Mapping[str, SavedRun] | None = None
    tolerance: float = TOLERANCE

    def of(self, name: str) -> SavedRun | None:
        """The earlier run of the load configuration ``name``; None if nothing is compared.

        Raises:
            LoadToolError: there is none in the file. To be asked before load is made.
        """
        if self.runs is None:
            return None
        if name not in self.runs:
            known = ", ".join(map(repr, self.runs)) or "none at all"
            raise LoadToolError(
                f"--load-compare: {self.file} has no run of {name!r}, only of {known}: save one "
                "with --load-save, or leave --load-compare out"
            )
        return self.runs[name]


BASELINE = pytest.StashKey[Baseline]()


def baseline_of(config: pytest.Config) -> Baseline:
    """What ``--load-compare`` and ``--load-tolerance`` say.

    Raises:
        pytest.UsageError: there is no such file, or it is not one that ``--load-save`` has written.
    """
    name = config.getoption("load_compare")
    if not name:
        return Baseline()
    share = config.getoption("load_tolerance")
    tolerance = parse_share(share) if share else TOLERANCE
    try:
        text = read_text(Path(config.invocation_params.dir, name))
        return Baseline(name, _parsed(text), tolerance)
    except FileError as error:
        raise pytest.UsageError(f"--load-compare: {error}") from None
    except ValueError as error:
        raise pytest.UsageError(
            f"--load-compare: {name} cannot be compared with: {error}; "
            "name a file that --load-save has written"
        ) from None


def saved_text(runs: Iterable[SavedRun]) -> str:
    """The content of a file of these runs."""
    return json.dumps({"kind": _KIND, "runs": [run.to_wire() for run in runs]}) + "\n"


def _parsed(text: str) -> dict[str, SavedRun]:
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON ({error})") from None
    if not isinstance(document, dict) or document.get("kind") != _KIND:
        raise ValueError("it holds no saved runs")
    runs = document.get("runs")
    if not isinstance(runs, list):
        raise ValueError("its runs are no list")
    found: dict[str, SavedRun] = {}
    for number, wire in enumerate(runs):
        try:
            run = SavedRun.from_wire(wire)
        except ValueError as error:
            raise ValueError(f"runs[{number}]: {error}") from None
        if run.name in found:
            raise ValueError(f"runs[{number}]: name: a run before it has {run.name!r}, too")
        found[run.name] = run
    return found
