"""What a timer asks for, and what a person does."""

from __future__ import annotations

from random import Random

import pytest

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import Grouping, build_case, paused
from tests.recording.samples import SHOP, load, visit


def get(path: str, at: float) -> Exchange:
    return load(f"{SHOP}{path}", at, "application/json", b"{}", referer=f"{SHOP}/app", took=0.05)


def session(interval: float, *clicks: float) -> list[Exchange]:
    """An application that asks for news all the time, also by another query, and clicks."""
    random = Random(1)
    news = [
        get(f"/news?after={number}", 1.0 + number * interval + random.uniform(0, 0.02))
        for number in range(int(25 / interval))
    ]
    app = visit(f"{SHOP}/app", 0, "<title>App", took=0.2)
    clicked = [get(f"/api/{number}", at) for number, at in enumerate(clicks)]
    return sorted([app, *news, *clicked], key=lambda one: one.started)


@pytest.mark.parametrize("interval", [0.5, 1.0, 2.5, 5.0])
def test_a_poll_is_no_page_and_hides_none(interval: float) -> None:
    """Each click is one, whether the timer is quicker than the threshold or slower."""
    exchanges = session(interval, 4.3, 9.6, 16.7)
    case = build_case(exchanges, name="case", grouping=Grouping("activity", 2.0)).case
    assert [page.transactions[0].title for page in case.pages] == [
        "GET /app", "GET /api/0", "GET /api/1", "GET /api/2",
    ]  # fmt: skip
    (page,) = build_case(exchanges, name="case").case.pages
    assert page.think_time == 0


def test_polls_come_at_their_pace() -> None:
    """On replay as they came: the time between two of them is a pause."""
    (page,) = build_case(session(5.0), name="case").case.pages
    assert paused(page) == pytest.approx(20.55, abs=0.3)


def test_a_person_is_no_timer() -> None:
    """Who asks for the same now and then; what is fetched at once; too few to tell."""
    for times in ([3, 7, 10, 16, 21], [3, 3.1, 3.2, 3.3, 3.4, 8], [3, 6, 9, 12]):
        exchanges = [visit(f"{SHOP}/app", 0, "<title>App"), *(get("/api", at) for at in times)]
        case = build_case(exchanges, name="case", grouping=Grouping("activity", 2.0)).case
        gaps = [after - before for before, after in zip([0.0, *times], times, strict=False)]
        assert len(case.pages) == 1 + sum(gap > 2 for gap in gaps)
