"""The merger: who is how far, and the numbers of all, whatever happens to whom."""

from __future__ import annotations

from pytest_loadtool.load import (
    Failed,
    Final,
    Go,
    Heartbeat,
    LoadMetrics,
    Merger,
    PageKey,
    Ready,
    Share,
    Snapshot,
    TransactionKey,
)


def snapshot(requests: int) -> bytes:
    """A worker's metrics after so many requests."""
    metrics = LoadMetrics([TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"])
    for _ in range(requests):
        metrics.record(0, 200, 1000, 1100, 10, 5)
    metrics.set_users(2)
    metrics.begin_second(1)
    return metrics.snapshot()


def running(*names: str) -> Merger:
    """A merger whose workers all run."""
    merger = Merger(names)
    for name in names:
        merger.receive(name, Ready())
    merger.deal(epoch=100.0)
    return merger


def complete(merger: Merger) -> bool:
    """Whether nothing more is to come."""
    return merger.complete


def states(merger: Merger) -> dict[str, str]:
    """The state of each worker."""
    return {worker.name: worker.state for worker in merger.result().workers}


def test_the_ordinary_course() -> None:
    """Ready, go, snapshots, final: only the last numbers of each count, and then it is complete."""
    merger = Merger(["a", "b"])
    merger.receive("a", Ready())
    assert list(merger.ready) == []
    merger.receive("b", Ready())
    assert merger.ready == ("a", "b")
    assert merger.deal(5.0, ("http://x",)) == {
        "a": Go(5.0, 0, 2, ("http://x",)),
        "b": Go(5.0, 1, 2, ("http://x",)),
    }
    merger.receive("a", Snapshot(snapshot(3)))
    merger.receive("b", Snapshot(snapshot(4)))
    merger.receive("a", Snapshot(snapshot(7)))
    assert merger.result().metrics.requests == 11
    assert not complete(merger)
    merger.receive("a", Final(snapshot(8)))
    merger.receive("b", Heartbeat())
    merger.receive("b", Final(snapshot(9)))
    assert complete(merger)
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
    assert complete(merger)
    assert states(merger) == {"a": "final", "b": "lost", "c": "lost"}
    assert result.metrics.requests == 14
    assert [worker.metrics is None for worker in result.workers] == [False, False, True]


def test_a_loss_before_the_start_costs_nothing() -> None:
    """Shares are dealt to those who are there, so they are the whole load."""
    merger = Merger(["a", "b", "c"])
    merger.receive("a", Ready())
    merger.lost("b")
    assert list(merger.ready) == []
    merger.receive("c", Ready())
    orders = merger.deal(1.0)
    assert {name: order.share for name, order in orders.items()} == {
        "a": Share(0, 2),
        "c": Share(1, 2),
    }


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
    """A worker that cannot run tells why; its text is kept, and nobody waits for it."""
    merger = Merger(["a", "b"])
    merger.receive("a", Failed("no such file"))
    merger.receive("b", Ready())
    assert merger.ready == ("b",)
    assert [(worker.state, worker.text) for worker in merger.result().workers] == [
        ("failed", "no such file"),
        ("ready", ""),
    ]


def test_a_worker_started_by_other_means() -> None:
    """A carrier that deals shares itself tells so, and the books are the same."""
    merger = Merger()
    merger.started("main", Share(0, 1))
    assert not complete(merger)
    merger.receive("main", Final(snapshot(2)))
    assert complete(merger)
    assert merger.result().metrics.requests == 2


def test_a_glimpse() -> None:
    """While it runs: sums of the latest snapshots, users and rates of those who still run."""
    merger = running("a", "b", "c")
    merger.receive("a", Snapshot(snapshot(4)))
    merger.receive("b", Snapshot(snapshot(6)))
    assert (merger.glimpse().users, merger.glimpse().requests_per_second) == (4, 10)
    merger.lost("b")
    seen = merger.glimpse()
    assert (seen.users, seen.requests_per_second) == (2, 4)
    assert (seen.requests, seen.statuses) == (10, {200: 10})
    assert seen.response.percentile(95) == merger.result().metrics.total().response.percentile(95)
