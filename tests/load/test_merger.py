"""The merger: who is how far, and the numbers of all, whatever happens to whom."""

from __future__ import annotations

from pytest_loadtool.load import (
    Failed,
    Final,
    LoadMetrics,
    Merger,
    PageKey,
    Share,
    Snapshot,
    TransactionKey,
)


def snapshot(requests: int) -> bytes:
    """A worker's metrics after so many requests."""
    metrics = LoadMetrics([TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"])
    for _ in range(requests):
        metrics.record(0, 200, 1000, 1100, 900, 10, 5)
    metrics.set_users(2)
    metrics.begin_second(1)
    return metrics.snapshot()


def running(*names: str) -> Merger:
    """A merger whose workers all run."""
    merger = Merger(names)
    for index, name in enumerate(names):
        merger.started(name, Share(index, len(names)))
    return merger


def states(merger: Merger) -> dict[str, str]:
    """The state of each worker."""
    return {worker.name: worker.state for worker in merger.result().workers}


def test_the_ordinary_course() -> None:
    """Snapshots, then final: only the last numbers of each count."""
    merger = running("a", "b")
    merger.receive("a", Snapshot(snapshot(3)))
    merger.receive("b", Snapshot(snapshot(4)))
    merger.receive("a", Snapshot(snapshot(7)))
    assert merger.result().metrics.requests == 11
    assert states(merger) == {"a": "running", "b": "running"}
    merger.receive("a", Final(snapshot(8)))
    merger.receive("b", Final(snapshot(9)))
    assert states(merger) == {"a": "final", "b": "final"}
    assert merger.result().metrics.requests == 17
    assert [worker.share for worker in merger.result().workers] == [Share(0, 2), Share(1, 2)]


def test_a_lost_worker_keeps_its_numbers() -> None:
    """What a worker had reported before it was lost stays; the others go on."""
    merger = running("a", "b", "c")
    merger.receive("b", Snapshot(snapshot(4)))
    merger.lost("b")
    merger.lost("c")
    merger.receive("a", Final(snapshot(10)))
    result = merger.result()
    assert states(merger) == {"a": "final", "b": "lost", "c": "lost"}
    assert result.metrics.requests == 14
    assert [worker.metrics is None for worker in result.workers] == [False, False, True]


def test_a_lost_worker_that_speaks_again_is_believed() -> None:
    """Silence is not always loss: newer numbers replace the older ones, and a final is a final."""
    merger = running("a")
    merger.lost("a")
    merger.receive("a", Snapshot(snapshot(5)))
    assert merger.result().metrics.requests == 5
    merger.receive("a", Final(snapshot(6)))
    assert states(merger) == {"a": "final"}
    assert merger.result().metrics.requests == 6


def test_nothing_follows_a_final() -> None:
    """After a worker's last numbers nothing changes them: not a late snapshot, not its loss."""
    merger = running("a")
    merger.receive("a", Final(snapshot(6)))
    merger.receive("a", Snapshot(snapshot(1)))
    merger.receive("a", Failed("late"))
    merger.lost("a")
    assert states(merger) == {"a": "final"}
    assert merger.result().metrics.requests == 6


def test_leftovers_of_another_run_are_ignored() -> None:
    """Numbers of a worker that was given no share yet belong to an earlier run."""
    merger = Merger(["a"])
    merger.receive("a", Snapshot(snapshot(3)))
    merger.receive("a", Final(snapshot(3)))
    assert states(merger) == {"a": "waiting"}
    assert merger.result().metrics.requests == 0


def test_failing_says_why() -> None:
    """A worker that cannot run tells why, and its text is kept."""
    merger = Merger(["a", "b"])
    merger.receive("a", Failed("no such file"))
    assert [(worker.state, worker.text) for worker in merger.result().workers] == [
        ("failed", "no such file"),
        ("waiting", ""),
    ]


def test_parts() -> None:
    """While it runs: the latest numbers of those who have reported any, and who still runs."""
    merger = running("a", "b", "c")
    merger.receive("a", Snapshot(snapshot(3)))
    merger.receive("a", Snapshot(snapshot(4)))
    merger.receive("b", Snapshot(snapshot(6)))
    merger.lost("b")
    assert [(part.requests, running) for part, running in merger.parts()] == [(4, True), (6, False)]
