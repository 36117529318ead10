"""A load run in this process: one worker has the whole load, and its messages are calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_loadtool.engine.prepare.share import PreparedShare
from pytest_loadtool.engine.run import Listener, LoadRun
from pytest_loadtool.engine.worker import Worker
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.load import Progress, Summary
from pytest_loadtool.load.metrics.course import RunCourse
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
    show: Callable[[Progress], None] | None = None,
    baseline: Sequence[SavedRun] = (),
    tolerance: float = TOLERANCE,
    lengths: Sequence[Length] = (),
    listeners: Sequence[Listener] = (),
) -> Summary:
    """Run the prepared ``share`` from beginning to end, and judge it.

    Blocks, as `LoadRunner.run` does; all else is as in `LoadRun.introduce`. Whoever ends the run
    early by ``share.runner.stop()`` makes ``interrupted`` true before. What keeps the run from
    going on is part of the verdict.
    """
    worker = _Here(share)
    run = LoadRun(worker, [_NAME], lead_time=0)
    run.introduce(
        configuration,
        lengths=lengths,
        baseline=baseline,
        tolerance=tolerance,
        show=show,
        listeners=listeners,
    )
    worker.take_part(run)
    summary = run.summary(interrupted=interrupted())
    assert summary is not None, "a share that is prepared is run"
    return summary


@dataclass(frozen=True, slots=True)
class LocalRun:
    """A load test that this process is ready to run."""

    share: PreparedShare
    configuration: LoadConfiguration
    note: str = ""

    def stop(self) -> None:
        """Stop now. May be called in a handler of signals."""
        self.share.runner.stop()

    def run(self, *, interrupted: Callable[[], bool], **introduction: Any) -> Summary:
        """Run the share, as `run_alone` does."""
        return run_alone(self.share, self.configuration, interrupted=interrupted, **introduction)


class _Here:
    """The `Workers` of a run in this process."""

    def __init__(self, share: PreparedShare) -> None:
        self._share = share
        share.runner.reporter.course = RunCourse()
        self._orders: deque[tuple[Any, ...]] = deque()

    def take_part(self, run: LoadRun) -> None:
        """Do all that the run says, which answers each message before the next."""

        def tell(kind: str, *fields: Any) -> None:
            if kind == "snapshot":  # the sums of all reports are here: nobody adds them up again
                for listener in run.listeners:
                    listener.hear(*fields)
                fields = (self._share.runner.reporter,)
            run.hear(_NAME, kind, *fields)

        worker = Worker(lambda _servers, _share: self._share, self._orders.popleft, tell, _text)
        tell("ready")
        worker.take_part()  # up to "lead"
        tell("prepared", ())
        worker.take_part()
        run.leave(_NAME)

    def send(self, _worker: str, kind: str, *fields: Any) -> None:
        """Keep an order until the worker asks for it; but stop at once."""
        if kind == "stop":
            self._share.runner.stop()
        else:
            self._orders.append((kind, *fields))

    def end(self, worker: str) -> None:
        """Do nothing: the worker is this process."""


def _text(error: Exception) -> str:
    """Return what keeps users from going on; raise what is a mistake of our own."""
    if isinstance(error, LoadToolError):
        return str(error)
    raise error
