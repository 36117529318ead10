"""A load test in one process: its only share is the whole load."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.load import (
    Failed,
    Final,
    Glimpse,
    Lookout,
    Merger,
    Share,
    Snapshot,
    Summary,
    Watch,
    judge,
)
from pytest_loadtool.load.comparison import TOLERANCE, SavedRun
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.transport.share import PreparedShare

__all__ = ["run_alone"]

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
) -> Summary:
    """Run the prepared ``share`` from beginning to end, and judge it.

    Blocks, as `LoadRunner.run` does; ``show`` is called each second with how the run is getting on.
    Whoever ends the run early by ``share.runner.stop()`` makes ``interrupted`` true before. What
    keeps the run from going on is part of the verdict.
    """
    merger, lookout = Merger([_NAME]), Lookout()
    watch = Watch(configuration.thresholds, configuration.duration)
    merger.started(_NAME, Share())
    started = datetime.now(UTC).astimezone()

    def tick(report: bytes) -> None:
        merger.receive(_NAME, Snapshot(report))
        if watch.look([share.metrics]):
            share.runner.stop()
        if show is not None:
            show(lookout.look([(share.metrics, True)], watch.states()))

    tick(share.runner.report())
    end: Failed | Final
    try:
        share.runner.run(time.time(), tick)
    except LoadToolError as error:
        end = Failed(str(error))
    else:
        end = Final(share.metrics.snapshot())
    merger.receive(_NAME, Snapshot(share.runner.report()))
    merger.receive(_NAME, end)
    return judge(
        merger.result(),
        configuration,
        started,
        watch,
        baseline=baseline,
        tolerance=tolerance,
        interrupted=interrupted(),
    )
