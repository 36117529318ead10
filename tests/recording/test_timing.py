"""Think times, and when things happened within a page."""

from __future__ import annotations

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from tests.recording.samples import SHOP, load, visit


def thinking(*exchanges: Exchange) -> list[float]:
    """The think time after each page."""
    return [page.think_time for page in build_case(exchanges, name="case").case.pages]


def test_thinking_begins_with_the_last_response_and_ends_with_the_next_request() -> None:
    """To the millisecond; there is none after the last page."""
    assert thinking(
        visit(f"{SHOP}/a", 0, "<title>A", took=0.5),
        load(f"{SHOP}/a.png", 0.6, "image/png", referer=f"{SHOP}/a", took=0.4),
        visit(f"{SHOP}/b", 4.23456, "<title>B", took=0.1),
    ) == [3.235, 0.0]


def test_a_page_that_loads_into_the_next_leaves_no_time_to_think() -> None:
    """Never less than nothing."""
    assert thinking(
        visit(f"{SHOP}/a", 0, "<title>A", took=0.1),
        load(f"{SHOP}/a.png", 0.2, "image/png", referer=f"{SHOP}/a", took=9),
        visit(f"{SHOP}/b", 3, "<title>B"),
    ) == [0.0, 0.0]


def test_a_program_does_not_think() -> None:
    """A gap of a few milliseconds is the client's own, and would only be noise in the file."""
    assert thinking(
        visit(f"{SHOP}/a", 0, "<title>A", took=0.1),
        visit(f"{SHOP}/b", 0.104, "<title>B", took=0.1),
        visit(f"{SHOP}/c", 0.215, "<title>C"),
    ) == [0.0, 0.011, 0.0]


def test_offsets_count_from_the_start_of_the_page() -> None:
    """In seconds with three decimals, so that replay can overlap what overlapped."""
    case = build_case(
        [
            visit(f"{SHOP}/", 0, "<title>Home"),
            visit(f"{SHOP}/a", 5, "<title>A", took=0.1234567),
            load(f"{SHOP}/a.png", 5.0505049, "image/png", referer=f"{SHOP}/a", took=0.02),
        ],
        name="case",
    ).case
    recorded = [one.recorded for one in case.pages[1].transactions]
    assert [(one.at, one.took) for one in recorded if one] == [(0.0, 0.123), (0.051, 0.02)]


def pausing(*exchanges: Exchange) -> list[list[float]]:
    """The pause before each transaction of each page."""
    pages = build_case(exchanges, name="case").case.pages
    return [[one.recorded.pause for one in page.transactions if one.recorded] for page in pages]


def test_a_gap_within_a_page_is_a_pause() -> None:
    """In an application of one document, before each thing that its user does: from the last
    response until the next request. What takes its scripts less than half a second is none."""
    json = "application/json"
    assert pausing(
        visit(f"{SHOP}/app", 0, "<title>App", took=0.2),
        load(f"{SHOP}/api/1", 0.6, json, b"{}", referer=f"{SHOP}/app", took=0.1),
        load(f"{SHOP}/api/2", 3.7, json, b"{}", referer=f"{SHOP}/app", took=1.0),
        load(f"{SHOP}/api/3", 3.8, json, b"{}", referer=f"{SHOP}/app", took=0.1),
        load(f"{SHOP}/api/4", 5.2, json, b"{}", referer=f"{SHOP}/app", took=0.1),
    ) == [[0.0, 0.0, 3.0, 0.0, 0.5]]


def test_a_pause_is_of_all_pages() -> None:
    """With two tabs nobody pauses on one while something goes on in the other, and no second is
    waited for twice."""
    json = "application/json"
    exchanges = [
        visit(f"{SHOP}/a", 0, "<title>A", took=1.0),
        visit(f"{SHOP}/b", 10, "<title>B", took=1.0),
        load(f"{SHOP}/api/a", 20, json, b"{}", referer=f"{SHOP}/a", took=1.0),
        load(f"{SHOP}/api/b", 20.5, json, b"{}", referer=f"{SHOP}/b", took=1.0),
        load(f"{SHOP}/api/b", 31.5, json, b"{}", referer=f"{SHOP}/b", took=1.0),
    ]
    assert pausing(*exchanges) == [[0.0, 9.0], [0.0, 0.0, 10.0]]
    assert thinking(*exchanges) == [9.0, 0.0]


def test_what_a_page_sends_when_it_is_left_hides_no_time_to_think() -> None:
    """A beacon that goes out with the next page, or a moment after it."""
    for late in (9.99, 10.01):
        exchanges = [
            visit(f"{SHOP}/a", 0, "<title>A", took=1.0),
            load(f"{SHOP}/beacon", late, "text/plain", referer=f"{SHOP}/a", took=0.1),
            visit(f"{SHOP}/b", 10, "<title>B"),
        ]
        assert sum(thinking(*exchanges)) + sum(map(sum, pausing(*exchanges))) >= 8.99


def test_what_was_waited_for_ends_first() -> None:
    """Rounded to the millisecond, a request still does not start before the one before has ended:
    replay would send both at once."""
    exchanges = [
        visit(f"{SHOP}/a", 0, "<title>A", took=0.0006),
        load(f"{SHOP}/a.png", 0.0006, "image/png", referer=f"{SHOP}/a", took=0.0006),
        load(f"{SHOP}/b.png", 0.0013, "image/png", referer=f"{SHOP}/a", took=0.1),
    ]
    (page,) = build_case(exchanges, name="case").case.pages
    recorded = [one.recorded for one in page.transactions if one.recorded]
    ends = [round(one.at + one.took, 3) for one in recorded]
    assert [one.at >= end for one, end in zip(recorded[1:], ends, strict=False)] == [True, True]
