"""`--load-save` and `--load-compare`: runs kept in a file, and the runs that are compared with.

One file holds the runs of a session, by the name of their load configuration; with `--load-history`
also some of sessions before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
    runs: Mapping[str, tuple[SavedRun, ...]] | None = None
    tolerance: float = TOLERANCE

    def of(self, name: str) -> tuple[SavedRun, ...]:
        """Return the earlier runs of the load configuration ``name``, the oldest first; none if
        nothing is compared.

        Raises:
            LoadToolError: there is none in the file. To be asked before load is made.
        """
        if self.runs is None:
            return ()
        if name not in self.runs:
            known = ", ".join(map(repr, self.runs)) or "none at all"
            raise LoadToolError(
                f"--load-compare: {self.file} has no run of {name!r}, only of {known}: save one "
                "with --load-save, or leave --load-compare out"
            )
        return self.runs[name]


BASELINE = pytest.StashKey[Baseline]()


def baseline_of(config: pytest.Config) -> Baseline:
    """Return what ``--load-compare`` and ``--load-tolerance`` say.

    Raises:
        pytest.UsageError: there is no such file, or it is not one that ``--load-save`` has written.
    """
    name = config.getoption("load_compare")
    if not name:
        return Baseline()
    share = config.getoption("load_tolerance")
    tolerance = parse_share(share) if share else TOLERANCE
    return Baseline(name, _read(config, "--load-compare", name), tolerance)


def history_of(config: pytest.Config) -> SavedRuns:
    """Return what ``--load-history`` says of the file of ``--load-save``.

    Raises:
        pytest.UsageError: there is a file, and it is not one that ``--load-save`` has written.
    """
    name, most = config.getoption("load_save"), int(config.getoption("load_history") or 1)
    if not name or most == 1 or not Path(config.invocation_params.dir, name).exists():
        return SavedRuns(most)
    return SavedRuns(most, _read(config, "--load-save", name))


@dataclass(frozen=True, slots=True)
class SavedRuns:
    """The earlier runs that a file keeps beside new ones: of each load test, ``most`` in all."""

    most: int
    earlier: Mapping[str, tuple[SavedRun, ...]] = field(default_factory=dict)

    def text(self, runs: Iterable[SavedRun]) -> str:
        """Return the content of the file after these runs."""
        kept = dict(self.earlier)
        for run in runs:
            kept[run.name] = (*kept.get(run.name, ()), run)[-self.most :]
        every = [run.to_wire() for some in kept.values() for run in some]
        return json.dumps({"kind": _KIND, "runs": every}) + "\n"


def _read(config: pytest.Config, option: str, name: str) -> dict[str, tuple[SavedRun, ...]]:
    try:
        return _parsed(read_text(Path(config.invocation_params.dir, name)))
    except FileError as error:
        raise pytest.UsageError(f"{option}: {error}") from None
    except ValueError as error:
        use = "compared with" if option == "--load-compare" else "added to"
        raise pytest.UsageError(
            f"{option}: {name} cannot be {use}: {error}; name a file that --load-save has written"
        ) from None


def _parsed(text: str) -> dict[str, tuple[SavedRun, ...]]:
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON ({error})") from None
    if not isinstance(document, dict) or document.get("kind") != _KIND:
        raise ValueError("it holds no saved runs")
    runs = document.get("runs")
    if not isinstance(runs, list):
        raise ValueError("its runs are no list")
    found: dict[str, tuple[SavedRun, ...]] = {}
    for number, wire in enumerate(runs):
        try:
            run = SavedRun.from_wire(wire)
        except ValueError as error:
            raise ValueError(f"runs[{number}]: {error}") from None
        found[run.name] = (*found.get(run.name, ()), run)
    return found
