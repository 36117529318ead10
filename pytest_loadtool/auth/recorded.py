"""Who the credentials in recorded traffic belong to."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from urllib.parse import unquote, urlsplit

from pytest_loadtool.auth.challenge import parse_challenges, readable
from pytest_loadtool.auth.negotiation import (
    PROXY,
    SERVER,
    Party,
    challenges_in,
    credentials_in,
    is_challenge,
    negotiations,
    ntlm_message,
    was_refused,
)
from pytest_loadtool.model.exchange import Exchange

#: [MS-NLMP] 2.2.1.3: where the lengths and offsets of the names stand, and the flag for UTF-16.
_DOMAIN, _USER, _FLAGS = 28, 36, 60
_UNICODE = 0x1


@dataclass(frozen=True, slots=True)
class RecordedIdentity:
    """The user that a client said it has.

    ``password`` is known with Basic alone. A ``username`` may be empty: a Kerberos ticket does not
    tell.
    """

    scheme: str
    """``basic``, ``digest``, ``ntlm`` or ``negotiate``."""
    host: str
    """``name`` or ``name:port`` of the server, as in its URLs; empty for a proxy's."""
    realm: str = ""
    username: str = ""
    password: str = field(default="", repr=False)
    domain: str = ""
    ahead: bool = False
    """Whether Basic credentials went out before the server had asked for any."""
    proxy: bool = False
    refused: bool = False
    """Whether the server took them in no case."""


def recorded_identities(exchanges: Sequence[Exchange]) -> tuple[RecordedIdentity, ...]:
    """Return whose credentials of HTTP authentication the requests carry, in the order of their
    first use.

    Credentials that were refused, before others of the same realm were taken, are left out.
    """
    challenged = {
        after: exchanges[before]
        for final, folded in negotiations(exchanges).items()
        for before, after in pairwise((*folded, final))
    }
    found: list[RecordedIdentity] = []
    have_asked: set[str] = set()
    for index in sorted(range(len(exchanges)), key=lambda at: exchanges[at].started):
        exchange = exchanges[index]
        for party in (SERVER, PROXY):
            one = _identity(exchange, party, challenged.get(index))
            if one is not None:
                _add(found, replace(one, ahead=one.ahead and one.host not in have_asked))
        if is_challenge(exchange):
            have_asked.add(_host(exchange))
    taken = {(one.proxy, one.host, one.realm) for one in found if not one.refused}
    return tuple(
        one for one in found if not one.refused or (one.proxy, one.host, one.realm) not in taken
    )


def _add(found: list[RecordedIdentity], one: RecordedIdentity) -> None:
    """Add what is not known; of one and the same, once taken is taken.

    What goes out unasked does not say for which realm.
    """
    for at, known in enumerate(found):
        if _who(known) == _who(one) and one.realm in ("", known.realm):
            found[at] = replace(known, refused=known.refused and one.refused)
            return
    found.append(one)


def _who(one: RecordedIdentity) -> tuple[object, ...]:
    return one.proxy, one.host, one.scheme, one.username, one.password, one.domain


def _identity(
    exchange: Exchange, party: Party, challenged: Exchange | None
) -> RecordedIdentity | None:
    credentials = credentials_in(exchange, party)
    if not credentials:
        return None
    scheme = credentials.partition(" ")[0].lower()
    told = _TELL[scheme](credentials)
    if told is None:
        return None
    asked = [one for one in challenges_in(challenged) if one.scheme == scheme] if challenged else []
    realm = asked[0].realm if asked else ""
    proxy = party is PROXY
    return RecordedIdentity(
        scheme,
        host="" if proxy else _host(exchange),
        realm=told.get("realm", realm),
        username=told.get("username", ""),
        password=told.get("password", ""),
        domain=told.get("domain", ""),
        ahead=scheme == "basic" and not proxy and challenged is None,
        proxy=proxy,
        refused=was_refused(exchange) and exchange.status == party.status,
    )


def _host(exchange: Exchange) -> str:
    return urlsplit(exchange.url).netloc.rpartition("@")[2]


def _basic(credentials: str) -> Mapping[str, str] | None:
    """Return the user name and password of Basic credentials (RFC 7617 §2); None if they are
    none."""
    try:
        pair = base64.b64decode(credentials.partition(" ")[2].strip(), validate=True)
    except ValueError:
        return None
    username, _, password = readable(pair.decode("latin-1")).partition(":")
    return {"username": username, "password": password}


def _digest(credentials: str) -> Mapping[str, str] | None:
    """Return the user name and realm of Digest credentials (RFC 7616 §3.4): ``username*`` is UTF-8
    with percent signs; a hash is nobody's name."""
    (one,) = parse_challenges([credentials])
    given = one.parameters
    name = readable(given.get("username", ""))
    if "username*" in given:
        name = unquote(given["username*"].rpartition("'")[2])
    if given.get("userhash", "").lower() == "true":
        name = ""
    return {"username": name, "realm": one.realm}


def _ntlm(credentials: str) -> Mapping[str, str] | None:
    """Return who logs in ([MS-NLMP] 2.2.1.3); None of the first messages of a negotiation, which do
    not say."""
    message = ntlm_message(credentials)
    if not message:
        return {} if " " in credentials else None  # a Kerberos ticket, or nothing yet
    if int.from_bytes(message[8:12], "little") != 3:
        return None
    flags = int.from_bytes(message[_FLAGS : _FLAGS + 4], "little")
    encoding = "utf-16-le" if flags & _UNICODE else "latin-1"

    def text(field: int) -> str:
        length = int.from_bytes(message[field : field + 2], "little")
        start = int.from_bytes(message[field + 4 : field + 8], "little")
        return message[start : start + length].decode(encoding, "replace")

    return {"username": text(_USER), "domain": text(_DOMAIN)}


#: What credentials say of their user: nothing (None) where they are none yet.
_TELL: Mapping[str, Callable[[str], Mapping[str, str] | None]] = {
    "basic": _basic,
    "digest": _digest,
    "negotiate": _ntlm,
    "ntlm": _ntlm,
}
