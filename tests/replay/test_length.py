"""How long an iteration takes, as it is worked out and as a virtual user acts it out."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.case import Page, Recorded, Request, TestCase, Transaction
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import Distribution, ThinkTime
from pytest_loadtool.replay import VirtualUser, compile_case
from pytest_loadtool.replay.compile.pauses import length_of
from tests.replay.playbook import Diary, Playbook, first_row


def get(target: str, at: float, took: float, pause: float = 0.0) -> Transaction:
    return Transaction(
        Request("GET", target), recorded=Recorded(200, at=at, took=took, pause=pause)
    )


#: Two resources that overlap, a click, and two pages more.
CASE = TestCase(
    "case",
    (
        Page("a", (get("/a", 0, 1), get("/b", 1, 2), get("/c", 1, 3), get("/d", 11, 1, 7.0)), 20.0),
        Page("b", (get("/e", 0, 0.5),), 4.0),
        Page("c", (get("/f", 0, 0.25),), 60.0),
    ),
    "http://h",
)


def acted_out(think_time: ThinkTime, user: int) -> float:
    """The think times of the first iteration of a user, as it waits for them."""
    plan = compile_case(CASE, think_time=think_time)
    diary = Diary()
    book = Playbook(plan, VirtualUser(plan, first_row, diary, number=user), diary)
    waited = 0.0
    while not book.ended:
        if book.wait is not None:
            waited += book.wait
            book.wake()
        else:
            book.answer(next(iter(book.under_way)))
    return waited


@pytest.mark.parametrize(
    ("think_time", "thinking"),
    [
        (ThinkTime(), 31.0),
        (ThinkTime(scale=0.5), 15.5),
        (ThinkTime(scale=0.0), 0.0),
        (ThinkTime(cap=5.0), 14.0),
        (ThinkTime(drawn=Distribution("constant", (2.0,))), 6.0),
        (ThinkTime(drawn=Distribution("constant", (2.0,)), cap=1.5), 4.5),
    ],
)
def test_think_times(think_time: ThinkTime, thinking: float) -> None:
    """All of them, within pages and between them, as the load test has them; none at the end. Then
    the answers, as far as one waits for the other."""
    length = length_of(CASE, think_time)
    assert (length.thinking, length.waiting) == pytest.approx((thinking, 5.75))
    assert length.total == pytest.approx(thinking + 5.75)
    assert acted_out(think_time, 0) == pytest.approx(thinking)


@pytest.mark.parametrize(
    "drawn",
    [
        Distribution("uniform", (1.0, 5.0)),
        Distribution("normal", (3.0, 2.0)),
        Distribution("exponential", (3.0,)),
    ],
)
def test_drawn_think_times(drawn: Distribution) -> None:
    """Those that the users will have, on average."""
    think_time = ThinkTime(cap=4.0, drawn=drawn)
    mean = sum(acted_out(think_time, user) for user in range(3)) / 3
    assert length_of(CASE, think_time, users=3).thinking == pytest.approx(mean)


def test_what_was_not_recorded_takes_nobody_knows_how_long() -> None:
    """It counts as nothing."""
    page = Page("p", (Transaction(Request("GET", "/")), get("/a", 0, 1)), 9.0)
    assert length_of(TestCase("case", (page,), "http://h"), ThinkTime()) == Length(0.0, 1.0)
