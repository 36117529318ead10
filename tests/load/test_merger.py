"""The merger: who is how far, and the numbers of all, whatever happens to whom."""

from __future__ import annotations

import pytest

from pytest_loadtool.load import LoadMetrics, MergedMetrics, Merger, PageKey, Share, TransactionKey
from pytest_loadtool.load.metrics import reports


class Peer:
    """A worker that reports to a merger."""

    def __init__(self, merger: Merger, name: str, titles: str = "t") -> None:
        self._merger, self._name = merger, name
        keys = [TransactionKey("c", "p", title) for title in titles]
        # What reports leave alone, and what they forget when it is told.
        self.whole, self.metrics = (LoadMetrics(keys, [PageKey("c", "p")], ["c"]) for _ in range(2))
        self._both = self.whole, self.metrics
        self._reporter = reports.Reporter(self.metrics)

    def work(self, requests: int, users: int = 2) -> None:
        """Measure so many requests more, in a second of their own."""
        for one in self._both:
            for number in range(requests):
                one.record(0, 200, 1000 * number, 1100 * number, 900, 10, 5)
            one.set_users(users)
            one.begin_second(one.second + 1)

    def report(self, requests: int, users: int = 2) -> None:
        """Send a snapshot, after so many requests more."""
        self.work(requests, users)
        self._merger.receive(self._name, "snapshot", b"".join(self._reporter.report()))

    def finish(self, requests: int) -> None:
        """Send the last snapshot, after so many requests more, and say that it is."""
        self.report(requests, 0)
        self._merger.receive(self._name, "final")


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
    """Snapshots, which add up, then final: there are no more."""
    merger = running("a", "b")
    a, b = Peer(merger, "a"), Peer(merger, "b")
    a.report(3)
    b.report(4)
    a.report(4)
    assert merger.result().metrics.requests == 11
    assert states(merger) == {"a": "running", "b": "running"}
    a.finish(1)
    b.finish(5)
    assert states(merger) == {"a": "final", "b": "final"}
    assert merger.result().metrics.requests == 17
    assert [worker.share for worker in merger.result().workers] == [Share(0, 2), Share(1, 2)]


def test_a_lost_worker_keeps_its_numbers() -> None:
    """What a worker had reported before it was lost stays; the others go on."""
    merger = running("a", "b", "c")
    Peer(merger, "b").report(4)
    merger.lost("b")
    merger.lost("c")
    Peer(merger, "a").finish(10)
    result = merger.result()
    assert states(merger) == {"a": "final", "b": "lost", "c": "lost"}
    assert result.metrics.requests == 14
    assert [worker.totals is None for worker in result.workers] == [False, False, True]


def test_a_lost_worker_that_speaks_again_is_believed() -> None:
    """Silence is not always loss: newer numbers are added, and a final is a final."""
    merger = running("a")
    worker = Peer(merger, "a")
    merger.lost("a")
    worker.report(5)
    assert merger.result().metrics.requests == 5
    worker.finish(1)
    assert states(merger) == {"a": "final"}
    assert merger.result().metrics.requests == 6


def test_nothing_follows_a_final() -> None:
    """After a worker's last numbers nothing changes them: not a late snapshot, not its loss."""
    merger = running("a")
    worker = Peer(merger, "a")
    worker.finish(6)
    worker.report(1)
    merger.receive("a", "failed", "late")
    merger.lost("a")
    assert states(merger) == {"a": "final"}
    assert merger.result().metrics.requests == 6


def test_leftovers_of_another_run_are_ignored() -> None:
    """Numbers of a worker that was given no share yet belong to an earlier run."""
    merger = Merger(["a"])
    worker = Peer(merger, "a")
    worker.report(3)
    worker.finish(3)
    assert states(merger) == {"a": "waiting"}
    assert merger.result().metrics.requests == 0


def test_failing_says_why() -> None:
    """A worker that cannot run tells why, and its text is kept."""
    merger = Merger(["a", "b"])
    merger.receive("a", "failed", "no such file")
    assert [(worker.state, worker.text) for worker in merger.result().workers] == [
        ("failed", "no such file"),
        ("waiting", ""),
    ]


def test_merged_while_it_runs() -> None:
    """It is what all have reported, and users and rates of those who are running."""
    merger = running("a", "b", "c")
    a, b, c = (Peer(merger, name) for name in "abc")
    a.report(3, users=5)
    a.report(4, users=1)
    b.report(6)
    c.report(2)
    assert (merger.merged().users, merger.merged().last_requests) == (5, 12)
    merger.lost("b")
    c.finish(5)
    merged = merger.merged()
    assert (merged.users, merged.last_requests) == (1, 4)
    assert merged.requests == merged.total().requests == 20
    whole = MergedMetrics.of([a.whole, b.whole, c.whole])
    assert merged.total().response == whole.total().response
    assert [one.requests for one in merger.course.stretches()] == [3 + 6 + 2, 4 + 5, 0]


def test_what_is_now_comes_between_reports() -> None:
    """A worker with long reports says each second what is now, until its next report."""
    merger = running("a")
    a = Peer(merger, "a")
    a.report(3, users=5)
    merger.receive("a", "alive", (7, 40, 2))
    merged = merger.merged()
    assert (merged.users, merged.last_requests, merged.last_errors) == (7, 40, 2)
    a.report(4, users=1)
    assert (merger.merged().users, merger.merged().last_requests) == (1, 4)


def test_other_test_cases_are_refused() -> None:
    """Workers that do not run the same test are no run."""
    merger = running("a", "b")
    Peer(merger, "a").report(1)
    with pytest.raises(ValueError, match="different test cases"):
        Peer(merger, "b", titles="tu").report(1)
