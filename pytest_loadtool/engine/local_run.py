"""A load test in one process: its only share is the whole load."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pytest_loadtool.engine.prepare.share import PreparedShare
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.load import (
    Glimpse,
    Lookout,
    MergedMetrics,
    RunResult,
    Share,
    Summary,
    Watch,
    WorkerResult,
    judge,
)
from pytest_loadtool.load.verdict.comparison import TOLERANCE
from pytest_loadtool.load.verdict.saved import SavedRun
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import LoadConfiguration

#: What the only worker is called in the results.
_NAME = "main"


def run_alone(
    share: PreparedShare,
    configuration: LoadConfiguration,
    *,
    interrupted: Callable[[], bool],
    show: Callable[[Glimpse], None] | None = None,
    baseline: SavedRun | None = None,
    tolerance: float = TOLERANCE,
    lengths: Sequence[Length] = (),
) -> Summary:
    """Run the prepared ``share`` from beginning to end, and judge it.

    Blocks, as `LoadRunner.run` does; ``show`` is called each second with how the run is getting on.
    ``lengths`` are how long an iteration of each test case takes. Whoever ends the run early by
    ``share.runner.stop()`` makes ``interrupted`` true before. What keeps the run from going on is
    part of the verdict.
    """
    lookout, watch = Lookout(), Watch(configuration.thresholds, configuration.duration)
    started = datetime.now(UTC).astimezone()
    # Not the metrics themselves: of these somebody has the sums already that are looked at.
    measured = share.runner.reported

    def tick(_report: bytes) -> None:
        if watch.look([measured]):
            share.runner.stop()
        if show is not None:
            show(lookout.look([(measured, True)], watch.states()))

    tick(share.runner.report())
    worker = WorkerResult(_NAME, "final", Share(), share.metrics)
    try:
        share.runner.run(time.time(), tick)
    except LoadToolError as error:
        worker = replace(worker, state="failed", text=str(error))
    return judge(
        RunResult(MergedMetrics.of([share.metrics]), (worker,)),
        configuration,
        started,
        watch,
        baseline=baseline,
        tolerance=tolerance,
        interrupted=interrupted(),
        lengths=lengths,
    )
