"""How long a bearer token lives: as the answer says that gives it out, or the token itself."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any


def lifetime_of(token: str, answer: Any = None, date: str = "") -> float | None:
    """Return the seconds that ``token`` is good for, from when it was given out; None: nobody says.

    ``answer`` is the parsed JSON that it came in, of which ``expires_in`` counts (RFC 6749 §5.1),
    also one level down. Else, of a JWT, ``exp`` less ``iat`` (RFC 7519 §4.1), or less the ``date``
    that the answer's header has. So nothing depends on the clock here being right.
    """
    lives = _expires_in(answer)
    if lives is None:
        lives = _by_its_claims(_claims(token), date)
    return lives if lives is not None and lives > 0 else None


def _expires_in(answer: Any) -> float | None:
    if not isinstance(answer, Mapping):
        return None
    inner = (one for one in answer.values() if isinstance(one, Mapping))
    for one in (answer, *inner):
        for name in ("expires_in", "expiresIn"):
            if (seconds := _number(one.get(name))) is not None:
                return seconds
    return None


def _by_its_claims(claims: Mapping[str, Any], date: str) -> float | None:
    expires, issued = _number(claims.get("exp")), _number(claims.get("iat"))
    if expires is None:
        return None
    if issued is None:
        try:
            issued = parsedate_to_datetime(date).timestamp()
        except (ValueError, OverflowError):
            return None
    return expires - issued


def _claims(token: str) -> Mapping[str, Any]:
    """Return what a JWT says; nothing of what is no JWT."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        claims = json.loads(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, Mapping) else {}


def _number(value: Any) -> float | None:
    """Return a number, which some servers write as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
