"""HTTP authentication in a recording: what was negotiated folds under what it led to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import Grouping, build_case, fidelity, strip, without
from pytest_loadtool.recording.notes import (
    CHANGED,
    NEGOTIATION,
    RECORDING_ERROR,
    REMOVED,
    UNREPLAYABLE,
    Note,
)
from tests.recording.samples import SHOP, call, load, visit

BASIC = (("WWW-Authenticate", 'Basic realm="shop"'),)
ALICE = ("Authorization", "Basic YWxpY2U6c2VjcmV0MQ==")
WRONG = ("Authorization", "Basic YWxpY2U6c2VrcmV0")


def challenge(exchange: Exchange) -> Exchange:
    """What comes before ``exchange``, a third of a second earlier."""
    return replace(
        exchange,
        started=exchange.started - 0.3,
        status=401,
        response_headers=(*BASIC, ("Content-Type", "text/html")),
        response_body=b"<title>401 Unauthorized",
    )


def answer(exchange: Exchange, credentials: tuple[str, str] = ALICE) -> Exchange:
    """``exchange``, sent with credentials."""
    return replace(exchange, request_headers=(*exchange.request_headers, credentials))


HOME = visit(f"{SHOP}/", 1, "<title>Home</title>")
STYLE = load(f"{SHOP}/a.css", 2, "text/css", referer=f"{SHOP}/")
RECORDED = [challenge(HOME), answer(HOME), challenge(STYLE), answer(STYLE)]


def shown(case: TestCase) -> list[tuple[str, list[str]]]:
    """The tree."""
    return [(page.name, [one.title for one in page.transactions]) for page in case.pages]


def of(notes: tuple[Note, ...], *kinds: str) -> list[tuple[str, str]]:
    """Kind and message of the notes of these kinds."""
    return [(one.kind, one.message) for one in notes if one.kind in kinds]


@pytest.mark.promise(85)
@pytest.mark.promise(91)
def test_the_tree_shows_what_the_browser_showed() -> None:
    """The exchanges before are known by their position, and none of them is a page."""
    case = build_case(RECORDED, name="shop").case
    assert shown(case) == [("Home", ["GET /", "GET /a.css"])]
    recorded = [one.recorded for one in case.transactions()]
    assert [(one.entry, one.negotiation) for one in recorded if one] == [(1, (0,)), (3, (2,))]
    assert [one.status.accepts(401) for one in case.transactions()] == [False, False]


def test_credentials_are_no_text_of_the_test_case() -> None:
    """Those of HTTP authentication are a virtual user's own; a token stands where it stood."""
    token, key = ("Authorization", "Bearer abc"), ("X-API-Key", "k1")
    unasked = call("GET", f"{SHOP}/api/a", 3, ALICE, ("X-Last", "1"))
    case = build_case([*RECORDED, unasked, call("GET", f"{SHOP}/b", 4, token, key)], name="s").case
    sent = [
        {one.name: one.value for one in case.wire_headers(transaction.request)}
        for transaction in case.transactions()
    ]
    assert [one.get("Authorization") for one in sent] == [None, None, None, "Bearer abc"]
    assert (sent[2]["X-Last"], sent[3]["X-API-Key"]) == ("1", "k1")
    assert "Basic" not in repr(case)


@pytest.mark.promise(90)
def test_what_was_negotiated_is_no_error() -> None:
    """Each exchange is accounted for all the same, a refused password among them."""
    tries = [challenge(HOME), replace(answer(challenge(HOME), WRONG), started=HOME.started - 0.1)]
    recording = build_case([*tries, answer(HOME), *RECORDED[2:]], name="shop")
    assert of(recording.notes, RECORDING_ERROR, REMOVED) == []
    asked = "credentials of HTTP authentication were asked for (status 401)"
    refused = "credentials of HTTP authentication were refused (status 401)"
    found = of(recording.notes, NEGOTIATION)
    assert found == [(NEGOTIATION, asked), (NEGOTIATION, refused), (NEGOTIATION, asked)]
    own = "credentials of HTTP authentication are each virtual user's own"
    assert of(recording.notes, CHANGED) == [(CHANGED, own)] * 2


@pytest.mark.promise(90)
def test_what_ends_with_a_challenge_is_a_transaction() -> None:
    """Whether nobody answered it or the last password was refused; its note says which."""
    refused = answer(replace(challenge(HOME), started=HOME.started), WRONG)
    recording = build_case([challenge(HOME), refused, challenge(STYLE)], name="shop")
    (page,) = recording.case.pages
    assert [one.status.accepts(401) for one in page.transactions] == [True, True]
    messages = [message for _, message in of(recording.notes, RECORDING_ERROR)]
    assert [one.rpartition(": ")[2] for one in messages] == [
        "the credentials were refused",
        "nobody gave credentials",
    ]


def test_what_is_taken_out_takes_its_negotiation_along() -> None:
    """And what is left replays, and folds, as before."""
    case = build_case(RECORDED, name="shop").case
    (kept,) = strip(case, RECORDED).case.transactions()
    assert kept == next(case.transactions())
    notes = fidelity(without(case, {0}), RECORDED)
    assert [one.kind for one in notes] == [NEGOTIATION, REMOVED, NEGOTIATION, CHANGED]


def test_the_negotiation_of_what_cannot_be_replayed() -> None:
    """Is no transaction either."""
    events = load(f"{SHOP}/events", 3, "text/event-stream", b"")
    recorded = [challenge(events), replace(answer(events), note="server-sent events")]
    recording = build_case(recorded, name="shop")
    assert recording.case.pages == ()
    assert [one.kind for one in recording.notes] == [NEGOTIATION, UNREPLAYABLE]


def test_typing_a_password_is_part_of_the_page() -> None:
    """It leaves the forward, the page and the pause before it as if it had taken no time."""
    start = visit(f"{SHOP}/start", 1, "<title>Start</title>")
    forward = visit(f"{SHOP}/old", 6, to="/new")
    asked = visit(f"{SHOP}/new", 6.5, "<title>New</title>")
    typed = answer(replace(asked, started=asked.started + 30))
    script = load(f"{SHOP}/late", 37, "application/json", b"{}", referer=f"{SHOP}/new")
    data = load(f"{SHOP}/data", 37.5, "application/json", b"{}", referer=f"{SHOP}/new")
    typed_late = answer(replace(data, started=data.started + 30))
    recorded = [start, forward, challenge(asked), typed, script, challenge(data), typed_late]
    for grouping in (Grouping(), Grouping("activity", 2.0)):
        case = build_case(recorded, name="shop", grouping=grouping).case
        new = ["GET /old", "GET /new", "GET /late", "GET /data"]
        assert shown(case) == [("Start", ["GET /start"]), ("New", new)]
        assert case.pages[0].think_time == pytest.approx(5, abs=0.02)
    case = build_case([start, challenge(asked), typed], name="shop").case
    assert case.pages[0].think_time == pytest.approx(6.2 - 1.01)


def test_a_tunnel_through_a_proxy_that_wants_credentials() -> None:
    """As other recorders write it down: replay opens tunnels itself, and nothing failed."""
    asked = (("Proxy-Authenticate", 'Basic realm="proxy"'),)
    tunnel = call("CONNECT", "https://shop.test/", 0, content_type="", answer=b"")
    refused = replace(tunnel, started=tunnel.started - 1, status=407, response_headers=asked)
    credentials = ("Proxy-Authorization", ALICE[1])
    recorded = [refused, answer(tunnel, credentials), call("GET", "https://shop.test/a", 1)]
    recording = build_case(recorded, name="shop")
    assert shown(recording.case) == [("a", ["GET /a"])]
    assert of(recording.notes, NEGOTIATION, RECORDING_ERROR) == [
        (NEGOTIATION, "credentials of HTTP authentication were asked for (status 407)"),
        (NEGOTIATION, "a tunnel through a proxy"),
    ]
