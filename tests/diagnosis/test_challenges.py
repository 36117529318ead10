"""What is said about a challenge that nobody has answered."""

from __future__ import annotations

import pytest

from pytest_loadtool.diagnosis.causes.challenge import challenge_remedy

WIZARD = (
    "and the test case does not say: run the Test Case Configuration Wizard "
    "(`pytest --record FILE`, command `test-case-configuration`)."
)


def said(status: int, *challenges: bytes, has_identities: bool = False) -> str:
    """The remedy for a response with these challenges, of a server or a proxy."""
    name = b"Proxy-Authenticate" if status == 407 else b"www-authenticate"
    return challenge_remedy(
        status, [(name, value) for value in challenges], has_identities=has_identities
    )


def test_the_wizard_is_named_with_the_schemes() -> None:
    """In the server's order, each once, in one line or in several."""
    expected = f"The server asks who you are (Negotiate, NTLM, Basic), {WIZARD}"
    assert said(401, b"Negotiate", b'NTLM, basic realm="Basic, NTLM"') == expected


def test_an_identity_that_does_not_fit() -> None:
    """There are some, and none of them is asked for."""
    assert said(401, b'Digest realm="x"', has_identities=True) == (
        "The server asks who you are (Digest), and no [[identity]] is for this host and realm."
    )


def test_a_proxy_that_asks() -> None:
    """What to set is in another table."""
    assert said(407, b"NTLM") == (
        "The proxy asks who you are (NTLM): [proxy] of the test case can tell."
    )


@pytest.mark.parametrize(
    ("status", "challenge"),
    [(401, b"Bearer"), (401, b'Bearer realm="Basic"'), (200, b"Basic"), (401, b"")],
)
def test_what_asks_for_nothing_that_could_be_answered(status: int, challenge: bytes) -> None:
    """Nothing is said then."""
    assert said(status, challenge) == ""
