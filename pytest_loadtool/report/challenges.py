"""A 401 or 407 that asks for HTTP authentication which nobody has configured: what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["challenge_remedy"]

_SCHEME = re.compile(rb"(?:^|,)\s*(basic|digest|ntlm|negotiate)(?=[\s,]|$)", re.IGNORECASE)
_NAMES = {b"basic": "Basic", b"digest": "Digest", b"ntlm": "NTLM", b"negotiate": "Negotiate"}
_CHALLENGES = {401: b"www-authenticate", 407: b"proxy-authenticate"}

_WIZARD = (
    "run the Test Case Configuration Wizard (`pytest --record FILE`, command "
    "`test-case-configuration`)"
)


def challenge_remedy(
    status: int, headers: Sequence[tuple[bytes, bytes]], *, has_identities: bool
) -> str:
    """Who should have answered such a response, and how to say so; nothing if it asks for nothing
    that could be answered. ``has_identities``: the test case has some."""
    asks = _CHALLENGES.get(status)
    values = [value for name, value in headers if name.lower() == asks]
    found = [_NAMES[one.lower()] for value in values for one in _SCHEME.findall(value)]
    if not found:
        return ""
    schemes = ", ".join(dict.fromkeys(found))
    if status == 407:
        return f"The proxy asks who it is ({schemes}): [proxy] of the test case can tell."
    if not has_identities:
        return f"The server asks who it is ({schemes}), and the test case does not say: {_WIZARD}."
    return f"The server asks who it is ({schemes}), and no [[identity]] is for this host and realm."
