"""Negotiations of HTTP authentication in recorded traffic.

A server or proxy that wants credentials answers with a challenge, and the client sends the same
request again: once with Basic and Digest, twice with NTLM and Negotiate, from the beginning when it
was refused and its user has tried another password. All but the last of these exchanges are CAN
(connection authentication negotiation) transactions: they fold under the last, and replay makes
them anew. A request that stays unanswered but for a challenge is none.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field

from pytest_loadtool.auth.challenge import Challenge, parse_challenges
from pytest_loadtool.auth.schemes import METHODS, supported
from pytest_loadtool.model.exchange import Exchange

#: How an NTLM message starts ([MS-NLMP] 2.2.1), bare or within SPNEGO; its type follows.
_NTLM_SIGNATURE = b"NTLMSSP\0"
_AUTHENTICATE = 3


@dataclass(frozen=True, slots=True)
class Party:
    """Who asks for credentials, and the headers (in small letters) in which that is done."""

    status: int
    challenge: str
    credentials: str


#: RFC 9110 §11.6 and §11.7.
SERVER = Party(401, "www-authenticate", "authorization")
PROXY = Party(407, "proxy-authenticate", "proxy-authorization")
_PARTIES = {party.status: party for party in (SERVER, PROXY)}


@dataclass(slots=True)
class _Waiting:
    """A negotiation whose client has yet to answer ``party``."""

    party: Party
    exchanges: list[int] = field(default_factory=list)
    message: int = 0
    """The type of the NTLM message that was answered last; 0 when it was none."""


def negotiations(exchanges: Sequence[Exchange]) -> dict[int, tuple[int, ...]]:
    """Return the exchanges that fold, in the order of their start, by the one they fold under; both
    as indexes in ``exchanges``, which may come in any order.

    A client may negotiate the same request on several connections at a time: its NTLM messages tell
    them apart, and where there are none it does not matter.
    """
    waiting: dict[tuple[str, str], list[_Waiting]] = {}
    found: dict[int, tuple[int, ...]] = {}
    for index in sorted(range(len(exchanges)), key=lambda at: exchanges[at].started):
        exchange = exchanges[index]
        others = waiting.setdefault((exchange.method, exchange.url), [])
        before = _continued(others, exchange)
        if before is not None:
            others.remove(before)
            found[index] = tuple(before.exchanges)
        if is_challenge(exchange):
            party = _PARTIES[exchange.status]
            so_far = [*found.pop(index, ()), index]
            others.append(_Waiting(party, so_far, _message(exchange, party)))
    for unanswered in (one for others in waiting.values() for one in others):
        *folded, last = unanswered.exchanges
        if folded:  # the credentials were refused, and that was the end of it
            found[last] = tuple(folded)
    return found


def is_challenge(exchange: Exchange) -> bool:
    """Return whether the response asks for credentials of HTTP authentication."""
    return bool(challenges_in(exchange))


def challenges_in(exchange: Exchange) -> tuple[Challenge, ...]:
    """Return the challenges in the response, those of HTTP authentication alone."""
    party = _PARTIES.get(exchange.status)
    if party is None:
        return ()
    values = [value for name, value in exchange.response_headers if name.lower() == party.challenge]
    return supported(parse_challenges(values))


def credentials_in(exchange: Exchange, party: Party) -> str:
    """Return the credentials of HTTP authentication that the request has for ``party``; else
    nothing."""
    value = exchange.request_header(party.credentials) or ""
    return value if is_http_credentials(party.credentials, value) else ""


def is_http_credentials(name: str, value: str) -> bool:
    """Return whether a request header carries credentials of HTTP authentication, which are a
    virtual user's own. Bearer tokens and keys are none: they stand in the test case."""
    return (
        name.lower() in (SERVER.credentials, PROXY.credentials)
        and value.partition(" ")[0].lower() in METHODS
    )


def was_refused(exchange: Exchange) -> bool:
    """Return whether the response refuses the credentials in the request, and asks for others."""
    challenges = challenges_in(exchange)
    if not challenges:
        return False
    party = _PARTIES[exchange.status]
    if not credentials_in(exchange, party):
        return False
    stale = any(one.parameters.get("stale", "").lower() == "true" for one in challenges)
    return not stale and not any(one.token for one in challenges)


def ntlm_message(credentials: str) -> bytes:
    """Return the NTLM message in the value of a header, with what may follow it; empty if there is
    none."""
    scheme, _, token = credentials.partition(" ")
    if scheme.lower() not in ("negotiate", "ntlm"):
        return b""
    try:
        data = base64.b64decode(token.strip(), validate=True)
    except ValueError:
        return b""
    at = data.find(_NTLM_SIGNATURE)
    return data[at:] if at >= 0 else b""


def _message(exchange: Exchange, party: Party) -> int:
    message = ntlm_message(exchange.request_header(party.credentials) or "")
    return int.from_bytes(message[8:12], "little")


def _continued(waiting: Sequence[_Waiting], exchange: Exchange) -> _Waiting | None:
    """Return the negotiation that the request goes on with; of several the latest, as others may
    have been given up."""
    able = [one for one in reversed(waiting) if credentials_in(exchange, one.party)]
    for one in able:
        authenticates = _message(exchange, one.party) == _AUTHENTICATE
        if authenticates == (one.message not in (0, _AUTHENTICATE)):
            return one
    return able[0] if able else None
