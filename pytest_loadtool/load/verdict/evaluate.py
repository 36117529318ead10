"""From what was measured to a summary that says whether it is good."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pytest_loadtool.load.cluster.merger import RunResult
from pytest_loadtool.load.verdict.comparison import TOLERANCE
from pytest_loadtool.load.verdict.saved import SavedRun
from pytest_loadtool.load.verdict.summarise import summarise
from pytest_loadtool.load.verdict.summary import Summary
from pytest_loadtool.load.verdict.threshold import Watch
from pytest_loadtool.load.verdict.verdict import verdict
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import LoadConfiguration


def judge(
    result: RunResult,
    configuration: LoadConfiguration,
    started: datetime,
    watch: Watch,
    *,
    baseline: SavedRun | None = None,
    tolerance: float = TOLERANCE,
    interrupted: bool = False,
    lengths: Sequence[Length] = (),
) -> Summary:
    """The summary of a run, with its verdict, compared with ``baseline``.

    ``watch`` has looked at it while it lasted. ``tolerance`` is how much worse than the baseline,
    as a share, it may be. ``lengths`` are how long an iteration of each test case takes.
    """
    metrics = result.metrics
    thresholds = watch.results(metrics)
    found = verdict(
        metrics,
        configuration,
        result.workers,
        stopped_after=metrics.elapsed_us / 1e6 if interrupted else None,
        thresholds=thresholds,
        lengths=lengths,
    )
    return summarise(
        metrics,
        configuration,
        result.workers,
        found,
        started=started,
        thresholds=thresholds,
        baseline=baseline,
        tolerance=tolerance,
    )
