"""What is left out of a test case, and what is said about it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.build import build_case
from pytest_loadtool.recording.filter.rules import left_out
from pytest_loadtool.recording.notes import (
    BACKGROUND,
    CANCELLED,
    INCOMPLETE,
    NEGOTIATION,
    RECORDING_ERROR,
    UNREPLAYABLE,
)
from tests.recording.samples import SHOP, call, load, visit

PAGE = visit(f"{SHOP}/a", 0, "<p>")
FAILED = "the main HTML of a page failed; if that was not meant, record again"


def test_what_can_be_replayed_passes() -> None:
    """Pages, resources and calls, failed ones included, and CORS preflights."""
    for exchange in (
        PAGE,
        visit(f"{SHOP}/a", 0, status=500),
        load(f"{SHOP}/a.png", 0, "image/png"),
        call("OPTIONS", f"{SHOP}/a", 0),
        visit("https://accounts.google.com/signin", 0),
    ):
        assert left_out(exchange) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://update.googleapis.com/service/update2/json",
        "http://clients2.google.com/time/1/current",
        "https://r4---sn-x.gvt1.com/edgedl/x.crx",
        "https://accounts.google.com/ListAccounts?gpsia=1",
        "https://edge.microsoft.com/x",
        "https://firefox.settings.services.mozilla.com/v1/",
    ],
)
def test_the_browsers_own_traffic_is_named_by_host(url: str) -> None:
    """It is left out even if it failed, and is not mistaken for a failure of the recording."""
    for exchange in (load(url, 0, ""), replace(PAGE, url=url, status=0, error="no route")):
        note = left_out(exchange)
        assert note is not None
        assert (note.kind, note.subject) == (BACKGROUND, url.split("/")[2])
        assert not note.serious


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"note": "WebSocket upgrade", "status": 101}, UNREPLAYABLE, "WebSocket upgrade"),
        ({"note": "server-sent events"}, UNREPLAYABLE, "server-sent events"),
        ({"url": "ws://127.0.0.1:8000/ws", "status": 101}, UNREPLAYABLE, "not HTTP (ws:)"),
        ({"url": "data:text/plain,hello"}, UNREPLAYABLE, "not HTTP (data:)"),
        ({"status": 103}, UNREPLAYABLE, "ended with status 103"),
        (
            {"request_headers": (("Content-Type", "application/grpc+proto"),)},
            UNREPLAYABLE,
            "gRPC, whose calls end with HTTP/2 trailers",
        ),
        (
            {"method": "CONNECT", "status": 0, "note": "connection failed", "error": "refused"},
            RECORDING_ERROR,
            "connection failed: refused",
        ),
        ({"method": "CONNECT"}, NEGOTIATION, "a tunnel through a proxy"),
        (
            {"method": "CONNECT", "status": 407},
            RECORDING_ERROR,
            "nothing was sent through the tunnel",
        ),
        ({"status": 0, "error": "refused"}, RECORDING_ERROR, f"no response: refused: {FAILED}"),
        ({"status": 0}, RECORDING_ERROR, f"no response: no reason recorded: {FAILED}"),
        (
            {"status": 0, "error": "Client disconnected (the response had begun)"},
            CANCELLED,
            "given up before the response ended",
        ),
        (
            {"status": 0, "error": "recording stopped before the response ended"},
            CANCELLED,
            "given up before the response ended",
        ),
    ],
)
def test_what_cannot_be_replayed_is_named(
    changes: dict[str, object], kind: str, message: str
) -> None:
    """Each with the reason, so that nothing is missed without a word."""
    note = left_out(replace(PAGE, **changes))  # type: ignore[arg-type]
    assert note is not None
    assert (note.kind, note.message) == (kind, message)


@pytest.mark.parametrize(
    ("exchange", "serious"),
    [
        (visit(f"{SHOP}/a", 0), True),
        (load(f"{SHOP}/api", 0, ""), True),
        (load(f"{SHOP}/logo.png", 0, "", told=False), False),
        (load(f"{SHOP}/logo", 0, "", dest="image"), False),
    ],
)
def test_a_missing_response_is_serious_unless_it_is_decoration(
    exchange: Exchange, serious: bool
) -> None:
    """A page or a call that failed must be recorded again; an image need not."""
    note = left_out(replace(exchange, status=0, error="refused"))
    assert note is not None
    assert note.serious is serious


def _given_up(one: Exchange, took: float = 0.2) -> Exchange:
    return replace(one, status=0, error="Client disconnected", took=took)


def test_a_change_that_nobody_waited_for_is_replayed() -> None:
    """What a page saves while it is left was sent; what waits for news, reads, or was not sent to
    its end, was given up."""
    poll = call("POST", f"{SHOP}/poll?v=1", 0.1)
    half_sent = call("POST", f"{SHOP}/drafts", 9.55)
    recorded = build_case(
        [
            visit(f"{SHOP}/", 0, "<p>"),
            _given_up(poll, took=9),
            _given_up(replace(poll, url=f"{SHOP}/poll?v=2", started=poll.started + 9)),
            _given_up(call("DELETE", f"{SHOP}/drafts/1", 9.5)),
            _given_up(call("GET", f"{SHOP}/hints", 9.6)),
            _given_up(replace(half_sent, request_headers=(("Content-Length", "9"),))),
            visit(f"{SHOP}/next", 9.6, "<p>"),
        ],
        name="left",
    )
    _, left, _ = recorded.case.transactions()
    assert left.request.target == "/drafts/1"
    assert left.status.accepts(204)
    assert left.status.accepts(404)
    told = [(one.kind, one.subject.rpartition("/")[2]) for one in recorded.notes]
    given_up = [(CANCELLED, "poll?v=1"), (CANCELLED, "poll?v=2"), (CANCELLED, "hints")]
    given_up += [(CANCELLED, "drafts")]
    assert sorted(told) == sorted([*given_up, (INCOMPLETE, "1")])
