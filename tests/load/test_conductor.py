"""The course of one load test over several workers, without any worker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pytest_loadtool.load.cluster.conductor import LEAD_TIME, Conductor, Instruction, Phase

NOW = 1000.0
URLS = ("http://127.0.0.1:1", "")
GO = NOW + LEAD_TIME


def a_test(*workers: str) -> Conductor:
    return Conductor(list(workers), clock=lambda: NOW)


def sent(orders: Sequence[Instruction]) -> list[tuple[str, str, Any]]:
    return [(order.worker, order.kind, order.fields) for order in orders]


def kinds(orders: Sequence[Instruction]) -> list[tuple[str, str]]:
    return [(order.worker, order.kind) for order in orders]


def is_over(test: Conductor) -> bool:
    # As a property it would be the same each time to the type checker.
    return test.over


def armed(*workers: str) -> Conductor:
    """A test whose shares are dealt and not yet answered."""
    test = a_test(*workers)
    for worker in workers:
        test.hear(worker, "ready")
    test.hear(workers[0], "prepared", URLS)
    assert test.phase is Phase.ARMING
    return test


def running(*workers: str) -> Conductor:
    test = armed(*workers)
    for worker in workers:
        test.hear(worker, "armed", 1)
    assert test.phase is Phase.RUNNING
    return test


@pytest.mark.promise(3)
def test_whole_course_of_a_test_on_two_workers() -> None:
    """Fixtures are set up by the first worker alone, both start at the same moment, and the
    fixtures are torn down after both have finished."""
    test = a_test("gw0", "gw1")
    assert sent(test.hear("gw1", "ready")) == []
    assert sent(test.hear("gw0", "ready")) == [("gw0", "lead", ())]
    assert sent(test.hear("gw0", "prepared", URLS)) == [
        ("gw0", "share", (1, 0, 2, URLS, ())),
        ("gw1", "share", (1, 1, 2, URLS, ())),
    ]
    assert sent(test.hear("gw1", "armed", 1)) == []
    assert sent(test.hear("gw0", "armed", 1)) == [("gw0", "go", (GO,)), ("gw1", "go", (GO,))]
    assert sent(test.hear("gw0", "snapshot", b"")) == []
    assert sent(test.hear("gw0", "final", b"")) == []
    assert sent(test.hear("gw1", "final", b"")) == [("gw0", "release", ())]
    assert test.leave("gw1") == []
    assert not is_over(test)
    assert test.leave("gw0") == []
    assert is_over(test)
    assert test.started


def test_shares_wait_for_the_last_worker() -> None:
    """The application may be up before all workers are there; nobody starts before."""
    test = a_test("gw0", "gw1")
    assert kinds(test.hear("gw0", "ready")) == [("gw0", "lead")]
    assert test.hear("gw0", "prepared", ()) == []
    assert kinds(test.hear("gw1", "ready")) == [("gw0", "share"), ("gw1", "share")]


def test_failed_fixtures_send_the_others_away() -> None:
    """When the leader leaves without having prepared, nobody runs and nobody is left waiting."""
    test = a_test("gw0", "gw1", "gw2")
    test.hear("gw0", "ready")
    test.hear("gw1", "ready")
    assert kinds(test.leave("gw0")) == [("gw1", "skip")]
    assert kinds(test.hear("gw2", "ready")) == [("gw2", "skip")]
    test.leave("gw1")
    test.leave("gw2")
    assert test.over
    assert not test.started


def test_refused_share_ends_the_test_before_it_starts() -> None:
    """One worker that cannot take its share (too few rows) means that nobody sends a request."""
    test = armed("gw0", "gw1")
    assert kinds(test.hear("gw1", "refused", 1, "4 rows for 20 users")) == [("gw1", "skip")]
    assert kinds(test.hear("gw0", "armed", 1)) == [("gw0", "skip")]
    assert test.refusals == {"gw1": "4 rows for 20 users"}
    test.leave("gw0")
    test.leave("gw1")
    assert test.over
    assert not test.started


def test_worker_lost_before_the_start_leaves_its_share_to_the_others() -> None:
    """Shares are dealt again: what runs is the whole load; the answer to the old deal is stale."""
    test = armed("gw0", "gw1", "gw2")
    assert sent(test.lose("gw1")) == [
        ("gw0", "share", (2, 0, 2, URLS, ())),
        ("gw2", "share", (2, 1, 2, URLS, ())),
    ]
    assert test.hear("gw0", "armed", 1) == []
    assert test.hear("gw2", "armed", 2) == []
    assert kinds(test.hear("gw0", "armed", 2)) == [("gw0", "go"), ("gw2", "go")]
    assert test.lost == {"gw1": Phase.ARMING}


@pytest.mark.parametrize("prepared", [False, True])
def test_leader_lost_before_the_start_is_replaced(prepared: bool) -> None:
    """With the leader its application is gone: the next worker sets it up again."""
    test = a_test("gw0", "gw1")
    test.hear("gw0", "ready")
    test.hear("gw1", "ready")
    if prepared:
        test.hear("gw0", "prepared", URLS)
    assert kinds(test.lose("gw0")) == [("gw1", "lead")]
    other = ("http://127.0.0.1:2", "")
    share = test.hear("gw1", "prepared", other)
    number = 2 if prepared else 1
    assert sent(share) == [("gw1", "share", (number, 0, 1, other, ()))]


def test_worker_lost_while_it_runs_does_not_stop_the_others() -> None:
    """The rest finishes, and who was lost when is known."""
    test = running("gw0", "gw1")
    assert test.lose("gw1") == []
    assert test.lost == {"gw1": Phase.RUNNING}
    assert kinds(test.hear("gw0", "final", b"")) == [("gw0", "release")]
    test.leave("gw0")
    assert test.over


def test_lost_leader_is_not_released() -> None:
    """Nothing is sent to a worker that is gone; the test is over without it."""
    test = running("gw0", "gw1")
    assert test.lose("gw0") == []
    assert test.hear("gw1", "final", b"") == []
    test.leave("gw1")
    assert test.over


def test_all_workers_lost_is_over() -> None:
    """With nobody left the test does not wait for anybody."""
    test = running("gw0", "gw1")
    test.lose("gw0")
    assert not test.over
    test.lose("gw1")
    assert test.over


def test_stop_cuts_a_run_short() -> None:
    """Those that run are told to stop; the end is the ordinary one."""
    test = running("gw0", "gw1")
    assert kinds(test.stop()) == [("gw0", "stop"), ("gw1", "stop")]
    test.hear("gw1", "final", b"")
    assert kinds(test.hear("gw0", "final", b"")) == [("gw0", "release")]


def test_stop_before_the_start_lets_nobody_begin() -> None:
    """Who waits is sent away at once, who is busy when it reports back."""
    test = a_test("gw0", "gw1", "gw2")
    test.hear("gw0", "ready")
    test.hear("gw1", "ready")
    assert kinds(test.stop()) == [("gw1", "skip")]
    assert kinds(test.hear("gw0", "prepared", URLS)) == [("gw0", "skip")]
    assert kinds(test.hear("gw2", "ready")) == [("gw2", "skip")]
    assert not test.started


def test_late_worker_takes_part_if_nothing_is_dealt_yet() -> None:
    """A replacement that joins while the others gather gets a share like them."""
    test = a_test("gw1")
    test.hear("gw1", "ready")
    test.join("gw2")
    assert test.hear("gw1", "prepared", ()) == []
    assert kinds(test.hear("gw2", "ready")) == [("gw1", "share"), ("gw2", "share")]


def test_messages_of_a_lost_worker_are_ignored() -> None:
    """What was still on its way when a worker died changes nothing."""
    test = running("gw0", "gw1")
    test.lose("gw1")
    assert test.hear("gw1", "final", b"") == []
    assert test.leave("gw1") == []
    assert test.phase is Phase.RUNNING
