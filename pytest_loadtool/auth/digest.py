"""Digest (RFC 7616; RFC 2617 and RFC 2069 for older servers)."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Sequence
from functools import lru_cache
from urllib.parse import quote, urlsplit

from pytest_loadtool.auth.challenge import Challenge, octets, parse_challenges
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.auth.handshake import RequestFacts
from pytest_loadtool.errors import AuthenticationError

#: By the name of the algorithm, in lower case and without ``-sess`` (RFC 7616 §6.1): hashlib's.
_HASHES = {"md5": "md5", "sha-256": "sha256", "sha-512-256": "sha512_256"}

#: How often in one handshake a server may say that its nonce was stale before it is not believed.
_MOST_STALE = 2

_ENDLESSLY_STALE = (
    f"the server gave out {_MOST_STALE + 1} nonces for one request and called each of them stale "
    "(Digest): do several servers answer here that do not know each other's nonces, or does it "
    "take each nonce once, and requests come at the same time?"
)

#: How many requests' hashes are kept.
_MOST_KEPT = 4096


def new_cnonce() -> str:
    """Return a client nonce that nobody can guess."""
    return secrets.token_hex(16)


class DigestSession:
    """One nonce of a server, with the count of its uses (RFC 7616 §3.4).

    The client nonce stays the same: so the ``-sess`` algorithms, whose key is made with the first
    one (§3.4.2), have the same key for servers that make it anew each time.
    """

    __slots__ = (
        "_after", "_begun", "_between", "_count", "_hash", "_head", "_key", "_qop", "_user",
        "prefixes", "realm",
    )  # fmt: skip

    def __init__(
        self,
        challenge: Challenge,
        credentials: Credentials,
        request: RequestFacts,
        cnonce: Callable[[], str] = new_cnonce,
    ) -> None:
        given = challenge.parameters
        algorithm = given.get("algorithm", "")
        self._hash = _hash_named(algorithm)
        self._qop = _qop(given.get("qop", ""))
        self.realm = challenge.realm
        self.prefixes = _protected(given.get("domain", ""), request.host)
        mine = cnonce()
        nonce, realm = given.get("nonce", ""), octets(given.get("realm", ""))
        user = credentials.login.encode()
        key = _sum(self._hash, b"%b:%b:%b" % (user, realm, credentials.password.encode()))
        session = algorithm.lower().endswith("-sess")
        if session:
            key = _sum(self._hash, octets(f"{key}:{nonce}:{mine}"))
        hashed = given.get("userhash", "").lower() == "true"
        if hashed:
            user = _sum(self._hash, b"%b:%b" % (user, realm)).encode()
        wide = given.get("charset", "").upper() == "UTF-8" and not user.isascii()
        named = f"username*=UTF-8''{quote(user, safe='')}" if wide else _quoted("username", user)
        self._key, self._user = key, f"Digest {named}, {_quoted('realm', realm)}"
        self._begin(nonce)
        self._between = f":{mine}:{self._qop}:"
        self._after = "".join(
            [
                f", algorithm={algorithm}" if algorithm else "",
                f", {_quoted('opaque', octets(given['opaque']))}" if "opaque" in given else "",
                ", userhash=true" if hashed else "",
                f', cnonce="{mine}"' if self._qop or session else "",
                f", qop={self._qop}, nc=" if self._qop else "",
            ]
        )

    def header(self, request: RequestFacts) -> str:
        """Return the value of Authorization, with the next nonce count."""
        uri, subject = _subject(self._hash, request.method, request.target)
        count = between = ""
        if self._qop:
            self._count += 1
            count, between = f"{self._count:08x}", self._between
        response = self._begun.copy()
        response.update(f"{count}{between}{subject}".encode())
        return f'{self._head}{uri}, response="{response.hexdigest()}"{self._after}{count}'

    def renew(self, told: Sequence[str]) -> None:
        """Go on with the nonce that the server wants next, if it says so (RFC 7616 §3.5).

        The key of a ``-sess`` algorithm stays that of the challenge (§3.4.2).
        """
        for said in parse_challenges([f"digest {value}" for value in told]):
            if nonce := said.parameters.get("nextnonce", ""):
                self._begin(nonce)

    def _begin(self, nonce: str) -> None:
        """The nonce, used for nothing so far. Of what is hashed, and of the value, all but the
        count, the response and the address is the same from now on."""
        self._count = 0
        self._begun = hashlib.new(
            self._hash, octets(f"{self._key}:{nonce}:"), usedforsecurity=False
        )
        self._head = f"{self._user}, {_quoted('nonce', octets(nonce))}, "


@lru_cache(maxsize=_MOST_KEPT)
def _subject(name: str, method: str, target: str) -> tuple[str, str]:
    """Return what is asked for, as a parameter and as its hash: the same for all users."""
    asked = octets(target)
    return _quoted("uri", asked), _sum(name, b"%b:%b" % (octets(method), asked))


def _sum(name: str, data: bytes) -> str:
    return hashlib.new(name, data, usedforsecurity=False).hexdigest()


def _hash_named(algorithm: str) -> str:
    found = _HASHES.get(algorithm.lower().removesuffix("-sess") or "md5", "")
    if found not in hashlib.algorithms_available:
        raise AuthenticationError(
            f"the server wants Digest authentication with the algorithm {algorithm}, which is not "
            "supported; have it offer MD5, SHA-256 or SHA-512-256 (RFC 7616)"
        )
    return found


def _qop(offered: str) -> str:
    """Return the quality of protection to use: ``auth``, or none where none is offered (RFC
    2069)."""
    options = {option.strip().lower() for option in offered.split(",")} - {""}
    if not options or "auth" in options:
        return "auth" if options else ""
    raise AuthenticationError(
        f"the server wants Digest authentication with qop={offered}, which is not supported; "
        "have it offer qop=auth as well (RFC 7616)"
    )


def _protected(domain: str, host: str) -> tuple[str, ...]:
    """Return the paths of the host that ``domain`` names; without any, all of it (RFC 7616 §3.3).

    Other hosts that it names are passed over: credentials are for the host that they were given
    for.
    """
    paths = []
    for uri in domain.split():
        try:
            parts = urlsplit(uri)
        except ValueError:  # it names nothing
            continue
        if not parts.netloc or parts.netloc.lower() == host.lower():
            paths.append(parts.path or "/")
    return tuple(paths) or ("/",)


def _quoted(name: str, value: bytes) -> str:
    """Return a parameter with a quoted string (RFC 9110 §5.6.4)."""
    return f'{name}="{_SPECIAL.sub(_ESCAPE, value).decode("latin-1")}"'


_SPECIAL, _ESCAPE = re.compile(rb'(["\\])'), rb"\\\1"


class DigestHandshake:
    """One answer, and another for each nonce that has become stale on the way."""

    __slots__ = ("_cnonce", "_credentials", "_request", "_steps", "session")

    scheme = "digest"
    connection_bound = False
    wants_body = True

    def __init__(
        self,
        challenge: Challenge,
        credentials: Credentials,
        request: RequestFacts,
        cnonce: Callable[[], str] = new_cnonce,
    ) -> None:
        self._credentials, self._request, self._cnonce = credentials, request, cnonce
        self._steps = 0
        self.session = DigestSession(challenge, credentials, request, cnonce)

    @property
    def realm(self) -> str:
        """The realm that asks."""
        return self.session.realm

    def next(self, challenges: Sequence[Challenge]) -> str | None:
        """Return the answer to the challenge; None when the server, answered, still asks.

        Raises:
            AuthenticationError: it takes none of its own nonces.
        """
        if self._steps:
            stale = next((one for one in challenges if self._renews(one)), None)
            if stale is None:
                return None
            if self._steps > _MOST_STALE:
                raise AuthenticationError(_ENDLESSLY_STALE)
            self.session = DigestSession(stale, self._credentials, self._request, self._cnonce)
        self._steps += 1
        return self.session.header(self._request)

    def _renews(self, challenge: Challenge) -> bool:
        """Return whether it says that user and password are right, and just the nonce too old
        (§3.3)."""
        stale = challenge.parameters.get("stale", "").lower() == "true"
        return stale and challenge.scheme == "digest" and challenge.realm == self.realm
