"""The choice among the schemes that a server offers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_loadtool.auth.basic import BasicHandshake
from pytest_loadtool.auth.challenge import Challenge
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.auth.digest import DigestHandshake
from pytest_loadtool.auth.handshake import Handshake, RequestFacts
from pytest_loadtool.auth.ntlm import NtlmHandshake
from pytest_loadtool.errors import AuthenticationError
from pytest_loadtool.extensions import SCHEMES, is_extension, made

_Make = Callable[[Challenge, Credentials, RequestFacts, bool], Handshake]


def _basic(challenge: Challenge, who: Credentials, request: RequestFacts, _: bool) -> Handshake:
    return BasicHandshake(challenge, who, request)


def _digest(challenge: Challenge, who: Credentials, request: RequestFacts, _: bool) -> Handshake:
    return DigestHandshake(challenge, who, request)


def _ntlm(challenge: Challenge, who: Credentials, request: RequestFacts, alone: bool) -> Handshake:
    return NtlmHandshake(challenge.scheme, who, request.host, alone=alone)


_SCHEMES: dict[str, _Make] = {
    "basic": _basic,
    "digest": _digest,
    "ntlm": _ntlm,
    "negotiate": _ntlm,
}

#: The schemes that can be used, as challenges name them, in lower case.
METHODS = tuple(_SCHEMES)


def supported(challenges: Sequence[Challenge], method: str = "") -> tuple[Challenge, ...]:
    """Return those that can be answered, in the server's order; with a ``method`` those of it
    alone."""
    wanted = (method,) if method else METHODS
    return tuple(
        one
        for one in challenges
        if one.scheme in wanted or (not method and is_extension(SCHEMES, one.scheme))
    )


def start(
    challenges: Sequence[Challenge],
    credentials: Credentials,
    request: RequestFacts,
    method: str = "",
) -> Handshake | None:
    """Return the handshake for the first challenge that can be answered: their order is the
    preference.

    It has done nothing yet: its first `next` wants the same challenges. None: nothing offered is
    HTTP authentication, and the 401 is a response like any other.

    Raises:
        AuthenticationError: what is offered is, but none of it can be used with these credentials.
    """
    refusal: AuthenticationError | None = None
    for challenge in supported(challenges, method):
        try:
            make = _SCHEMES.get(challenge.scheme)
            if make is None:
                handshake: Handshake = made(
                    SCHEMES, challenge.scheme, challenge, credentials, request
                )
                return handshake
            return make(challenge, credentials, request, bool(method))
        except AuthenticationError as error:
            refusal = refusal or error
    if refusal:
        raise refusal
    return None
