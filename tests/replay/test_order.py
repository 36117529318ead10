"""How the transactions of a page may overlap on replay."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.model.case import Recorded, Request, Transaction
from pytest_loadtool.replay.compile.order import order_of


def page(*times: tuple[float, float]) -> list[Transaction]:
    return [
        Transaction(Request("GET", "/"), recorded=Recorded(200, at=at, took=took))
        for at, took in times
    ]


def nothing(transactions: list[Transaction]) -> list[list[int]]:
    return [[] for _ in transactions]


def test_hand_written_pages_go_one_after_the_other() -> None:
    """Without recorded times there is nothing to overlap by."""
    transactions = [Transaction(Request("GET", "/"))] * 3
    order = order_of(transactions, nothing(transactions))
    assert not order.overlapped
    assert order.after == (0, 1, 2)


def test_resources_overlap_as_recorded() -> None:
    """The document first; its resources together; the script's call when the script has come."""
    transactions = page((0, 1), (1.1, 2), (1.1, 1), (2.2, 1))
    order = order_of(transactions, nothing(transactions))
    assert order.overlapped
    assert order.finish_order == (0, 2, 1, 3)
    assert order.after == (0, 1, 1, 2)


def test_a_value_is_never_used_before_its_producer_answered() -> None:
    """Even where the times, edited by hand, would allow it."""
    transactions = page((0, 5), (1, 1), (1, 1))
    order = order_of(transactions, [[], [], [1]])
    assert order.finish_order.index(1) < order.after[2]


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0.001, 10)), min_size=1, max_size=30))
def test_every_page_can_be_finished(times: list[tuple[float, float]]) -> None:
    """Whatever the times, no step waits for itself or a later one."""
    transactions = page(*sorted(times))
    order = order_of(transactions, nothing(transactions))
    started: set[int] = set()
    finished = 0
    while finished < len(transactions):
        startable = {i for i, needed in enumerate(order.after) if needed <= finished}
        started |= startable
        assert order.finish_order[finished] in started
        finished += 1
