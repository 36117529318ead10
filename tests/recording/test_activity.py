"""Activity Monitoring on recordings as they happen."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import Grouping, build_case
from tests.recording.samples import SHOP, call, load, visit


def pages(*exchanges: Exchange, threshold: float = 2.0) -> list[list[str]]:
    """The titles of each page's transactions."""
    grouping = Grouping("activity", threshold)
    case = build_case(exchanges, name="x", grouping=grouping).case
    return [[one.title for one in page.transactions] for page in case.pages]


@pytest.mark.promise(13)
def test_calls_belong_to_what_caused_them() -> None:
    """Those of the document to it, those of a later click to that click, whatever their Referer
    says; the time before the click is think time."""
    json = "application/json"
    exchanges = [
        visit(f"{SHOP}/app", 0, "<title>App</title>", took=0.5),
        load(f"{SHOP}/api/me", 1, json, b"{}", referer=f"{SHOP}/app"),
        load(f"{SHOP}/api/orders", 9, json, b"{}", referer=f"{SHOP}/app", took=3),
        load(f"{SHOP}/api/orders/1", 13, json, b"{}", referer=f"{SHOP}/app/orders"),
        load(f"{SHOP}/api/orders/2", 14.5, json, b"{}"),
    ]
    assert pages(*exchanges) == [
        ["GET /app", "GET /api/me"],
        ["GET /api/orders", "GET /api/orders/1", "GET /api/orders/2"],
    ]
    case = build_case(exchanges, name="x", grouping=Grouping("activity")).case
    assert [(page.name, page.think_time) for page in case.pages] == [("App", 7.99), ("orders", 0)]


@pytest.mark.promise(12)
def test_the_threshold_decides_how_long_a_pause_is() -> None:
    """Counted from the last response, not from the last request."""
    exchanges = [
        call("GET", f"{SHOP}/a", 0, took=1),
        call("GET", f"{SHOP}/b", 2),
        call("GET", f"{SHOP}/c", 4),
    ]
    assert pages(*exchanges, threshold=1) == [["GET /a"], ["GET /b"], ["GET /c"]]
    assert pages(*exchanges, threshold=1.5) == [["GET /a", "GET /b"], ["GET /c"]]
    assert pages(*exchanges, threshold=2) == [["GET /a", "GET /b", "GET /c"]]


@pytest.mark.promise(13)
def test_a_navigation_starts_a_page_without_a_pause() -> None:
    """A program that drives the browser does not pause; forwards and frames start none."""
    assert pages(
        visit(f"{SHOP}/login", 0, "<title>Log in"),
        visit(f"{SHOP}/login", 0.1, method="POST", to="/home"),
        visit(f"{SHOP}/home", 0.2, "<title>Home<iframe src=/news>"),
        visit(f"{SHOP}/news", 0.3, "<p>", dest="iframe"),
        load(f"{SHOP}/late.png", 0.4, "image/png", referer=f"{SHOP}/login"),
    ) == [
        ["GET /login"],
        ["POST /login", "GET /home", "GET /news", "GET /late.png"],
    ]


def test_clients_are_told_apart() -> None:
    """What curl does while the browser is busy is no activity of the page."""
    assert pages(
        visit(f"{SHOP}/a", 0, "<title>A"),
        call("GET", f"{SHOP}/api", 0.1),
        load(f"{SHOP}/a.js", 0.2, "text/javascript"),
    ) == [["GET /a", "GET /a.js"], ["GET /api"]]


@pytest.mark.promise(12)
@pytest.mark.parametrize(
    ("algorithm", "threshold", "message"),
    [
        ("timing", 2.0, "expected 'referrer' or 'activity', got 'timing'"),
        ("activity", 0.0, "longer than 0"),
    ],
)
def test_what_cannot_be_is_refused(algorithm: str, threshold: float, message: str) -> None:
    """A way that does not exist, a pause that is none."""
    with pytest.raises(ValueError, match=message):
        Grouping(algorithm, threshold)
