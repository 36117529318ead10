"""Recorded failures: the validator that replays them, and the note that tells of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.validator import DEFAULT_STATUS, StatusCodes
from pytest_loadtool.recording import build_case, fidelity
from pytest_loadtool.recording.notes import EXPECTED, INCOMPLETE, RECORDING_ERROR, Note
from tests.recording.samples import SHOP, call, load, visit


def notes(*exchanges: Exchange) -> tuple[Note, ...]:
    """The notes on a recording of these exchanges."""
    return build_case(exchanges, name="case").notes


def validators(*exchanges: Exchange) -> list[StatusCodes]:
    """The Status Code validators of a recording's transactions."""
    return [one.status for one in build_case(exchanges, name="case").case.transactions()]


@pytest.mark.promise(43)
def test_every_transaction_has_a_status_code_validator() -> None:
    """200 to 399, as long as the recording is within that."""
    assert (
        validators(
            visit(f"{SHOP}/", 0, to="/a"),
            visit(f"{SHOP}/a", 0.1, "<p>"),
            load(f"{SHOP}/x", 0.2, "", b"", status=304),
            load(f"{SHOP}/y", 0.3, "", b"", status=204),
            load(f"{SHOP}/z", 0.4, "", b"", status=399),
        )
        == [StatusCodes(((200, 399),))] * 5
    )


@pytest.mark.promise(43)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 500, 503])
def test_a_recorded_failure_is_expected_on_replay_and_told(status: int) -> None:
    """So that the recording replays green, and nobody overlooks it."""
    exchange = visit(f"{SHOP}/a", 0, "<p>", status=status)
    assert validators(exchange) == [StatusCodes(((status, status),))]
    (note,) = notes(exchange)
    assert (note.kind, note.subject) == (RECORDING_ERROR, f"GET {SHOP}/a")
    assert note.message.startswith(f"status {status}, which replay will expect: ")


REDIRECT = StatusCodes(((300, 399),))


@pytest.mark.parametrize(
    ("method", "status", "expected"),
    [
        ("POST", 302, REDIRECT),
        ("POST", 303, REDIRECT),
        ("DELETE", 303, REDIRECT),
        ("GET", 302, DEFAULT_STATUS),  # a login asked for, a page that has moved
        ("POST", 200, DEFAULT_STATUS),
        ("POST", 307, DEFAULT_STATUS),  # the address was wrong; another server may do without
        ("POST", 301, DEFAULT_STATUS),
    ],
)
def test_a_change_that_was_confirmed_by_a_redirect_has_to_be_again(
    method: str, status: int, expected: StatusCodes
) -> None:
    """A form that is refused comes back as a page with status 200, which would pass otherwise."""
    exchange = call(method, f"{SHOP}/posts", 0, status=status)
    assert validators(exchange) == [expected]
    told = [(one.kind, one.subject, "refused" in one.message) for one in notes(exchange)]
    assert told == ([(EXPECTED, f"{method} {SHOP}/posts", True)] if expected is REDIRECT else [])


def test_what_somebody_has_edited_is_not_told_as_ours() -> None:
    """Without the line, or with another, the report says nothing of it."""
    exchange = call("POST", f"{SHOP}/posts", 0, status=302)
    (page,) = build_case([exchange], name="case").case.pages
    (transaction,) = page.transactions
    edited = replace(page, transactions=(replace(transaction, status=DEFAULT_STATUS),))
    assert fidelity(TestCase("case", (edited,)), [exchange]) == ()


@pytest.mark.promise(118)
@pytest.mark.parametrize(
    ("failed", "serious", "meaning"),
    [
        (visit(f"{SHOP}/a", 1, "<p>", status=404), True, "a page failed"),
        (call("POST", f"{SHOP}/api", 1, status=404), True, "an API call failed"),
        (load(f"{SHOP}/api", 1, "application/json", b"{}", status=404), True, "an API call"),
        (load(f"{SHOP}/api", 1, "text/html", status=404), True, "a request of the page failed"),
        (load(f"{SHOP}/favicon.ico", 1, "text/html", told=False, status=404), False, "harmless"),
        (load(f"{SHOP}/pixel", 1, "text/html", dest="image", status=404), False, "harmless"),
    ],
)
def test_how_bad_a_404_is(failed: Exchange, serious: bool, meaning: str) -> None:
    """Harmless for decoration, an error for pages and calls."""
    (note,) = notes(visit(f"{SHOP}/", 0, "<title>Home"), failed)
    assert note.serious is serious
    assert meaning in note.message


@pytest.mark.promise(90)
@pytest.mark.parametrize("scheme", ['Basic realm="x"', "Digest nonce=1", "NTLM", "Negotiate abc="])
def test_a_challenge_is_no_error(scheme: str) -> None:
    """A recording of HTTP authentication shows 401s: that is how it works."""
    challenge = (("WWW-Authenticate", scheme),)
    (note,) = notes(visit(f"{SHOP}/a", 0, "<p>", status=401, extra=challenge))
    assert not note.serious
    assert "normal in a recording of HTTP authentication" in note.message


def test_a_401_without_such_a_challenge_is_an_error() -> None:
    """A bearer token that is not accepted is no negotiation."""
    challenge = (("WWW-Authenticate", "Bearer"),)
    (note,) = notes(visit(f"{SHOP}/a", 0, "<p>", status=401, extra=challenge))
    assert note.serious


def test_a_body_that_was_too_large_to_keep_is_told() -> None:
    """The transaction is replayed; its evidence is not whole."""
    exchange = replace(visit(f"{SHOP}/a", 0, "<p>"), error="only the first 3 of 9 bytes were kept")
    (note,) = notes(exchange)
    assert (note.kind, note.message) == (INCOMPLETE, exchange.error)
    assert len(validators(exchange)) == 1
