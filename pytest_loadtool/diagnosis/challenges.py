"""A 401 or 407 that asks for HTTP authentication which nobody has configured: what to do."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_loadtool.auth import parse_challenges, scheme_names, supported

_CHALLENGES = {401: b"www-authenticate", 407: b"proxy-authenticate"}

WIZARD = (
    "run the Test Case Configuration Wizard (`pytest --record FILE`, command "
    "`test-case-configuration`)"
)
"""How to say who the users of a test case are."""


def challenge_remedy(
    status: int, headers: Sequence[tuple[bytes, bytes]], *, has_identities: bool
) -> str:
    """Who should have answered such a response, and how to say so; nothing if it asks for nothing
    that could be answered. ``has_identities``: the test case has some."""
    asks = _CHALLENGES.get(status)
    values = [value.decode("latin-1") for name, value in headers if name.lower() == asks]
    schemes = scheme_names(supported(parse_challenges(values)))
    if not schemes:
        return ""
    if status == 407:
        return f"The proxy asks who you are ({schemes}): [proxy] of the test case can tell."
    if not has_identities:
        return f"The server asks who you are ({schemes}), and the test case does not say: {WIZARD}."
    return (
        f"The server asks who you are ({schemes}), and no [[identity]] is for this host and realm."
    )
