"""Requests whose token had expired while recording."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from pytest_loadtool.recording.filter.rules import expired
from pytest_loadtool.recording.notes import NEGOTIATION

OLD, NEW = "old-3f2b8c1e9d47", "new-4a60b1c57e8f"


def asked(at: float, token: str, status: int, path: str = "/orders", body: str = "{}") -> Exchange:
    """A call with a token."""
    return Exchange(
        started=at,
        took=0.1,
        method="POST",
        url=f"http://shop.test{path}",
        http_version="HTTP/1.1",
        request_headers=(("Authorization", f"Bearer {token}"),) if token else (),
        request_body=body.encode(),
        status=status,
        response_headers=(("Content-Type", "application/json"),),
        response_body=b"{}",
    )


def refreshed(at: float, path: str = "/auth/refresh", body: str = "{}") -> Exchange:
    """A new token is given out."""
    answer = f'{{"token": "{NEW}"}}'.encode()
    return replace(asked(at, "", 200, path, body), response_body=answer)


@pytest.mark.parametrize(
    "refresh",
    [
        refreshed(2),
        refreshed(2, "/token", "grant_type=refresh_token&client_id=x"),
        refreshed(2, "/token", '{"refreshToken": "r"}'),
    ],
)
def test_a_request_that_was_sent_again_with_a_new_token(refresh: Exchange) -> None:
    """It stands in the test case once, and a note tells of the other, in whichever order they
    were written down."""
    exchanges = [asked(3, NEW, 201), refresh, asked(1, OLD, 401), asked(0, OLD, 200, "/cart")]
    assert expired(exchanges) == {2}
    recording = build_case(exchanges, name="orders")
    entries = [one.recorded.entry for one in recording.case.transactions() if one.recorded]
    assert entries == [3, 1, 0]
    (note,) = [one for one in recording.notes if one.kind == NEGOTIATION]
    assert note.subject == "POST http://shop.test/orders"
    assert "its token had expired" in note.message


def test_requests_that_were_refused_together() -> None:
    """Each of those that were sent again, however often they were refused."""
    exchanges = [
        asked(0, OLD, 401),
        asked(0.1, OLD, 401, "/cart"),
        asked(0.2, OLD, 401),
        refreshed(1),
        asked(2, NEW, 200),
        asked(2, NEW, 200, "/cart"),
    ]
    assert expired(exchanges) == {0, 1, 2}


@pytest.mark.parametrize(
    "exchanges",
    [
        [asked(0, OLD, 401), refreshed(1), asked(2, OLD, 200)],
        [asked(0, OLD, 401), asked(2, NEW, 200)],
        [refreshed(0), asked(1, OLD, 401), asked(2, NEW, 200)],
        [asked(0, OLD, 401), refreshed(1, "/login"), asked(2, NEW, 200)],
        [asked(0, OLD, 401), refreshed(1), asked(2, NEW, 401)],
        [asked(0, OLD, 401), refreshed(1), asked(2, NEW, 200, body='{"other": 1}')],
        [asked(0, OLD, 403), refreshed(1), asked(2, NEW, 200)],
        [asked(0, "", 401), refreshed(1), asked(2, NEW, 200)],
    ],
    ids=[
        "the same token",
        "from nowhere",
        "given out before",
        "a login",
        "refused again",
        "another request",
        "not allowed",
        "no token at all",
    ],
)
def test_what_is_another_matter(exchanges: list[Exchange]) -> None:
    """A recorded 401 that was meant, or had another reason, is a transaction."""
    assert expired(exchanges) == frozenset()


def test_http_authentication_is_not_meant() -> None:
    """Its challenges fold under what they led to."""
    basic = replace(asked(0, "", 401), request_headers=(("Authorization", "Basic eDp5"),))
    assert expired([basic, refreshed(1), asked(2, NEW, 200)]) == frozenset()
