"""How long an iteration takes, worked out before anything is sent."""

from __future__ import annotations

from statistics import fmean

from pytest_loadtool.codec.flow_tree import may_be_skipped, rounds_of
from pytest_loadtool.model.case import PARTS, Page, TestCase
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.replay.compile.order import order_of
from pytest_loadtool.replay.compile.pauses import pauses_of

#: Of how many users the think times are looked at, where these are drawn.
_SAMPLE = 20


def length_of(case: TestCase, think_time: ThinkTime, users: int = 1) -> Length:
    """Return how long an iteration of ``case`` takes with this ``think_time``: the first of each
    user, on average, whose think times are those that it will have."""
    numbers = range(min(users, _SAMPLE) if think_time.drawn else 1)
    thinking = dict.fromkeys(PARTS, 0.0)
    waiting = dict.fromkeys(PARTS, 0.0)
    for page, pauses in zip(case.pages, pauses_of(case, think_time), strict=True):
        often = rounds_of(case, page.flow)
        paused = fmean(sum(pause(user, 0) for pause in pauses) for user in numbers)
        thinking[page.once] += often * paused
        waiting[page.once] += often * _waiting(page)
    start = thinking["start"] + waiting["start"]
    return Length(thinking[None], waiting[None], start, frozenset(may_be_skipped(case)))


def _waiting(page: Page) -> float:
    """For how long a user waits for the answers of a page: each request goes out once those have
    come that had come when it was recorded."""
    took = [one.recorded.took if one.recorded is not None else 0.0 for one in page.transactions]
    order = order_of(page.transactions, [()] * len(took))
    ends: list[float] = []
    begin, done = 0.0, 0
    for position, needed in enumerate(order.after):
        begin = max([begin, *(ends[one] for one in order.finish_order[done:needed])])
        done = needed
        ends.append(begin + took[position])
    return max(ends)
