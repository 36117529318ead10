"""The fidelity report: nothing that was recorded disappears without a word."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case, fidelity, transactions_of, without
from pytest_loadtool.recording.filter.domains import BLOCKED
from pytest_loadtool.recording.notes import (
    BACKGROUND,
    CANCELLED,
    CHANGED,
    FILTERED,
    RECORDING_ERROR,
    REMOVED,
    UNREPLAYABLE,
    Note,
)
from tests.recording.samples import SHOP, call, load, visit

HOST = SHOP.removeprefix("http://")


def of_kind(notes: tuple[Note, ...], kind: str) -> list[str]:
    """The messages of notes of one kind."""
    return [note.message for note in notes if note.kind == kind]


EXCHANGES = [
    visit(f"{SHOP}/", 0, "<title>Shop"),
    load(f"{SHOP}/a.css", 0.1, "text/css"),
    replace(load(f"{SHOP}/ws", 0.2, "", b"", status=101), note="WebSocket upgrade"),
    replace(load(f"{SHOP}/ads", 0.3, "", b"", status=0), note=BLOCKED),
    replace(load(f"{SHOP}/slow", 0.4, "", b"", status=0), error="client disconnected"),
    replace(call("CONNECT", "https://127.0.0.1:1/", 0.5, status=0), note="connection failed"),
    load("https://update.googleapis.com/x", 0.6, ""),
    replace(load(f"{SHOP}/api", 0.7, "", b"", status=0), error="refused"),
    load(f"{SHOP}/gone.png", 0.8, "text/html", b"<p>", dest="image", status=404),
]


def test_every_exchange_is_a_transaction_or_has_a_reason() -> None:
    """Counts add up, whatever order the exchanges came in."""
    recording = build_case(EXCHANGES[::-1], name="x")
    assert len(transactions_of(recording.case)) == 3
    assert Counter(note.kind for note in recording.notes) == {
        UNREPLAYABLE: 1, FILTERED: 1, CANCELLED: 1, BACKGROUND: 1, RECORDING_ERROR: 3,
    }  # fmt: skip
    missing = [note for note in recording.notes if "status 404" not in note.message]
    assert len(missing) + len(transactions_of(recording.case)) == len(EXCHANGES)


def test_what_was_taken_out_later_is_told_too() -> None:
    """The report is worked out anew from the test case and its traffic."""
    recording = build_case(EXCHANGES, name="x")
    assert of_kind(recording.notes, REMOVED) == []
    smaller = without(recording.case, [1])
    notes = fidelity(smaller, EXCHANGES)
    assert [note.subject for note in notes if note.kind == REMOVED] == [f"GET {SHOP}/a.css"]
    assert set(notes) > set(recording.notes)


@pytest.mark.parametrize(
    ("exchange", "message"),
    [
        (replace(EXCHANGES[0], http_version="HTTP/2"), "recorded over HTTP/2"),
        (replace(EXCHANGES[0], http_version="HTTP/3"), "recorded over HTTP/3"),
        (visit(f"{SHOP}/", 0, "<p>", extra=(("Alt-Svc", 'h3=":443"'),)), "offers HTTP/3"),
        (call("GET", f"{SHOP}/", 0, ("Cookie", "a="), ("cookie", "b=")), "Cookie fields"),
        (call("GET", f"{SHOP}/", 0, ("Cookie", "sid=1")), "cookie from before the recording (sid)"),
        (call("PUT", f"{SHOP}/", 0, ("Transfer-Encoding", "chunked")), "framed"),
        (call("GET", f"{SHOP}/sw.js", 0, ("Service-Worker", "script")), "a service worker"),
    ],
)
def test_what_replay_does_otherwise_is_told(exchange: Exchange, message: str) -> None:
    """It stays in the test case; the host is named."""
    recording = build_case([exchange], name="x")
    (note,) = recording.notes
    assert (note.kind, note.subject, note.serious) == (CHANGED, HOST, False)
    assert message in note.message
    assert len(list(recording.case.transactions())) == 1


def test_http2_that_is_replayed_as_such_is_no_change() -> None:
    """The transport httpx speaks it."""
    exchanges = [replace(EXCHANGES[0], http_version="HTTP/2")]
    case = build_case(exchanges, name="x").case
    assert fidelity(replace(case, transport="httpx"), exchanges) == ()
