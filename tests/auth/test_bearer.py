"""How long a bearer token lives."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from typing import Any

import pytest

from pytest_loadtool.auth.bearer import lifetime_of

DATE = "Thu, 01 Jan 1970 00:16:40 GMT"  # 1000 seconds since 1970


def jwt(claims: Any) -> str:
    """A token with these claims; its other parts are of no interest here."""
    return f"e30.{urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.c2ln"


@pytest.mark.parametrize(
    ("token", "answer", "lives"),
    [
        ("opaque", {"expires_in": 300}, 300),
        ("opaque", {"expires_in": "300"}, 300),
        ("opaque", {"data": {"token": "opaque", "expiresIn": 60.5}}, 60.5),
        (jwt({"exp": 1900, "iat": 1000}), {"expires_in": 300}, 300),
        (jwt({"exp": 1900, "iat": 1000}), {}, 900),
        (jwt({"exp": 1900, "iat": 1000}), None, 900),
        (jwt({"exp": 1900}), None, 900),  # since the answer's date
        (jwt({"exp": 900}), None, None),
        (jwt({"iat": 1000}), None, None),
        (jwt([1]), None, None),
        ("a.b.c", None, None),
        ("a.é.c", [], None),
        ("opaque", {"expires_in": None, "more": [1]}, None),
        ("opaque", {"expires_in": True}, None),
        ("opaque", {"expires_in": "soon"}, None),
        ("opaque", {"expires_in": -1}, None),
        ("opaque", {"expires_in": 10**400}, None),
        (jwt({"exp": 10**400}), None, None),
        (f"e30.{'WyBb' * 100_000}.c2ln", None, None),  # JSON that is nested too deeply
    ],
)
def test_how_long_a_token_lives(token: str, answer: Any, lives: float | None) -> None:
    """The answer's word counts before the token's own; what says nothing lives for ever."""
    assert lifetime_of(token, answer, DATE) == lives


@pytest.mark.parametrize("date", ["", "yesterday"])
def test_a_token_that_was_issued_nobody_knows_when(date: str) -> None:
    """Without a date there is no lifetime."""
    assert lifetime_of(jwt({"exp": 1900}), None, date) is None
