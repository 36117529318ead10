"""One orchestration for all: a load run over processes with pipes, which the package knows nothing
of."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from pytest_loadtool.engine import run as orchestration
from pytest_loadtool.engine.local import run_alone
from pytest_loadtool.engine.prepare.share import prepare, read_test
from pytest_loadtool.engine.run import LoadRun
from pytest_loadtool.load import Progress, Share, Summary
from pytest_loadtool.report.load.json import load_data
from tests.engine.piped import Processes
from tests.load.simulation import ENVIRONMENT
from tests.plugin.loading import load
from tests.plugin.serving import Server, case, serving


@pytest.fixture
def server() -> Iterator[Server]:
    """A running server of its own for the test."""
    with serving() as running:
        yield running


def written(folder: Path, url: str, *targets: str, more: str = "", duration: str = "60s") -> Path:
    """A load test of four users."""
    (folder / "shop.case.toml").write_text(case(url, *targets))
    path = folder / "rush.load.toml"
    path.write_text(load("shop.case.toml", duration=duration, more=more))
    return path


def introduced(path: Path, workers: Processes, seen: list[Progress] | None = None) -> LoadRun:
    """A run of this file."""
    run = LoadRun(workers, workers.by_name)
    show = None if seen is None else seen.append
    run.introduce(read_test(path).configuration, show=show)
    return run


def states(summary: Summary) -> list[str]:
    """What became of the workers."""
    return [worker.state for worker in summary.workers]


def judged(run: LoadRun) -> Summary:
    """What came of a run that was started."""
    summary = run.summary()
    assert summary is not None
    return summary


def reported(run: LoadRun) -> bool:
    """Whether each worker has told of requests."""
    summary = run.summary()
    return summary is not None and all(worker.requests for worker in summary.workers)


def test_numbers_are_those_of_the_server(tmp_path: Path, server: Server) -> None:
    """Two processes share the load, are looked at meanwhile, and their numbers are one report, of
    the same shape as that of a run in this process."""
    path = written(tmp_path, server.url, "GET /", "GET /two", duration="1200ms")
    seen: list[Progress] = []
    with Processes(path, 2) as workers:
        run = introduced(path, workers, seen)
        while not run.over:
            workers.receive(run)
    summary = judged(run)
    assert states(summary) == ["final", "final"]
    assert [worker.users for worker in summary.workers] == [2, 2]
    assert summary.totals.requests == len(server.requests) > 0
    assert seen[0].requests == 0
    assert seen[-1].requests > 0

    test = read_test(path)
    share = prepare(test, [""], Share())
    alone = run_alone(share, test.configuration, interrupted=lambda: False)
    assert _shape(load_data(summary, ENVIRONMENT)) == _shape(load_data(alone, ENVIRONMENT))


def test_killed_worker_keeps_its_numbers(tmp_path: Path, server: Server) -> None:
    """What it had reported stays, and the others finish."""
    path = written(tmp_path, server.url, "GET /", more='thresholds = ["requests > 1"]')
    with Processes(path, 2) as workers:
        run = introduced(path, workers, [])
        while not reported(run):
            workers.receive(run)
        workers.by_name["process 0"].kill()
        while run.conductor.busy != ["process 1"]:
            workers.receive(run)
        run.stop()
        while not run.over:
            workers.receive(run)
    summary = judged(run)
    assert states(summary) == ["lost", "final"]
    assert summary.verdict.outcome == "inconclusive"
    assert all(worker.requests for worker in summary.workers)


def test_silent_worker_is_ended(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that stands still is ended by what carries its messages, and lost."""
    monkeypatch.setattr(orchestration, "SILENCE", 3.0)
    path = written(tmp_path, server.url, "GET /", duration="2s")
    with Processes(path, 2) as workers:
        run = introduced(path, workers)
        while len(server.requests) < 10:
            workers.receive(run)
        os.kill(workers.by_name["process 1"].pid, signal.SIGSTOP)
        while not run.over:
            workers.receive(run, 0.5)
            run.end_silent()
    assert states(judged(run)) == ["final", "lost"]


def test_threshold_ends_the_load(tmp_path: Path, server: Server) -> None:
    """One that says so stops the users of all processes long before their time."""
    more = 'thresholds = ["error rate > 50 % for 1 s: stop"]'
    path = written(tmp_path, server.url, "GET /status/500", more=more, duration="10m")
    with Processes(path, 2) as workers:
        run = introduced(path, workers)
        while not run.over:
            workers.receive(run)
    summary = judged(run)
    assert (summary.verdict.outcome, states(summary)) == ("failed", ["final", "final"])
    assert summary.totals.duration_s < 300


def test_interrupt_keeps_the_numbers(tmp_path: Path, server: Server) -> None:
    """Whoever ends a run waits until all have sent what they measured."""
    path = written(tmp_path, server.url, "GET /")
    with Processes(path, 2) as workers:
        run = introduced(path, workers)
        while len(server.requests) < 10:
            workers.receive(run)
        run.interrupt(partial(workers.receive, run))
        assert not run.running
    summary = judged(run)
    assert states(summary) == ["final", "final"]
    assert summary.verdict.reasons[0].startswith("stopped after")
    assert 10 <= summary.totals.requests <= len(server.requests)


def test_refused_share_ends_the_run_before_it_starts(tmp_path: Path, server: Server) -> None:
    """All hear of it, nobody sends anything, and the reason is kept."""
    path = written(tmp_path, server.url, "GET /?${users.name}")
    (tmp_path / "users.csv").write_text("name\nalice\n")
    with (tmp_path / "shop.case.toml").open("a") as file:
        file.write('[datasets.users]\nfile = "users.csv"\nsharable = false\n')
    with Processes(path, 2) as workers:
        run = introduced(path, workers)
        while not run.over:
            workers.receive(run)
    assert run.summary() is None
    assert set(run.conductor.refusals) == {"process 0", "process 1"}
    assert "has 1 row for 4 users" in run.conductor.refusals["process 0"]
    assert server.requests == []


def _shape(value: object) -> object:
    """The keys of a document, without its values."""
    if isinstance(value, dict):
        return {key: _shape(one) for key, one in value.items()}
    return type(value).__name__ if not isinstance(value, list) else "list"
