"""For how long a virtual user does nothing: after a page, and within one.

It also has how long an iteration takes, worked out before anything is sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from random import Random
from statistics import fmean

from pytest_loadtool.model.case import PARTS, Page, TestCase
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.replay.compile.order import order_of
from pytest_loadtool.replay.compile.sampling import draw
from pytest_loadtool.replay.user.plan import Pause
from pytest_loadtool.structure.flow_tree import may_be_skipped, rounds_of


def pauses_of(case: TestCase, think_time: ThinkTime) -> Iterator[list[Pause]]:
    """Yield the pauses of each page, those within it and after it."""
    for index, (page, after) in enumerate(
        zip(case.pages, pauses_after(case, think_time), strict=True)
    ):
        yield [*pauses_inside(page, index, think_time).values(), *([after] if after else [])]


def pauses_after(case: TestCase, think_time: ThinkTime) -> list[Pause | None]:
    """Return the think time after each page. Nobody thinks about the end, unless it comes again."""
    return [
        _pause(page.think_time, f"{index}", think_time)
        if index + 1 < len(case.pages) or page.flow
        else None
        for index, page in enumerate(case.pages)
    ]


def pauses_inside(page: Page, index: int, think_time: ThinkTime) -> dict[int, Pause]:
    """Return the think times before transactions of the page at ``index``, by their positions."""
    found: dict[int, Pause] = {}
    for position, transaction in enumerate(page.transactions):
        recorded = transaction.recorded
        if position and recorded is not None and recorded.pause:
            pause = _pause(recorded.pause, f"{index}.{position}", think_time)
            if pause is not None:
                found[position] = pause
    return found


def _pause(recorded: float, place: str, think_time: ThinkTime) -> Pause | None:
    """Return a pause that is drawn for the user, its iteration and the place: the same in each run,
    over any workers."""
    drawn, cap = think_time.drawn, inf if think_time.cap is None else think_time.cap
    if drawn is None:
        seconds = min(recorded * think_time.scale, cap)
    elif drawn.kind == "constant":  # which needs no random numbers, and these are not cheap
        seconds = min(drawn.parameters[0], cap)
    else:
        random = Random()  # noqa: S311  chance, not secrets

        def pause(user: int, iteration: int) -> float:
            random.seed(f"{user}/{iteration}/{place}")
            return min(draw(drawn, random), cap)

        return pause
    return (lambda _user, _iteration: seconds) if seconds else None


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
    """Return for how long a user waits for the answers of a page: each request goes out once those
    have come that had come when it was recorded."""
    took = [one.recorded.took if one.recorded is not None else 0.0 for one in page.transactions]
    order = order_of(page.transactions, [()] * len(took))
    ends: list[float] = []
    begin, done = 0.0, 0
    for position, needed in enumerate(order.after):
        begin = max([begin, *(ends[one] for one in order.finish_order[done:needed])])
        done = needed
        ends.append(begin + took[position])
    return max(ends)
