"""NTLM, and Negotiate where it ends in NTLM (RFC 4559, MS-NLMP): NTLMv2 with session security.

The tokens are pyspnego's, of its own implementation, in which Kerberos does not occur. Under
Negotiate they go out without the SPNEGO wrapping, as Windows' own clients send them when there is
no domain controller.
"""

from __future__ import annotations

import logging
import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_loadtool.auth.challenge import Challenge, scheme_name
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.errors import AuthenticationError

if TYPE_CHECKING:
    from spnego import ContextProxy

_SIGNATURE = b"NTLMSSP\0"

#: How many users' password hashes are kept: to make one takes four times as long as a handshake.
_MOST_KEPT = 10_000

_PORT = re.compile(r":[0-9]+$")


class NtlmHandshake:
    """Two steps: a token without credentials, then the answer to the server's challenge."""

    __slots__ = ("_alternative", "_context", "_credentials", "_host", "_steps", "scheme")

    realm = ""
    connection_bound = True
    session = None

    def __init__(self, scheme: str, credentials: Credentials, host: str, *, alone: bool) -> None:
        """Take NTLM where Negotiate turns out to want Kerberos, but not if it is to be tried
        ``alone``."""
        self.scheme = scheme
        self._alternative = "" if alone or scheme == "ntlm" else "ntlm"
        self._credentials, self._host = credentials, host
        self._context = _context(credentials, host)
        self._steps = 0

    @property
    def wants_body(self) -> bool:
        """Return False for the first token, which cannot be the last one."""
        return self._steps > 1

    def next(self, challenges: Sequence[Challenge]) -> str | None:
        """Return the next token; None when the server, told user and password, asks anew.

        Raises:
            AuthenticationError: the server ends it, or what it says cannot be read.
        """
        if self._steps > 1:
            return None
        if not self._steps:
            return self._value(None)
        offered = {one.scheme: one for one in challenges}
        token = _decoded(offered[self.scheme].token) if self.scheme in offered else b""
        if token.startswith(_SIGNATURE):
            return self._value(token)
        if self._alternative in offered:
            self.scheme, self._alternative, self._steps = self._alternative, "", 0
            self._context = _context(self._credentials, self._host)
            return self._value(None)
        raise AuthenticationError(_REFUSED[self.scheme])

    def _value(self, challenge: bytes | None) -> str:
        try:
            token = self._context.step(challenge) or b""
        except Exception as error:  # whatever pyspnego stumbles over in what a server sent
            raise AuthenticationError(
                f"the server's {scheme_name(self.scheme)} challenge is malformed"
            ) from error
        self._steps += 1
        return f"{scheme_name(self.scheme)} {b64encode(token).decode()}"


_REFUSED = {
    "negotiate": (
        "the server refuses NTLM in Negotiate and so wants Kerberos, which is not supported; "
        "have it allow NTLM as well (IIS: the provider NTLM; Apache: GssapiAllowedMech ntlmssp)"
    ),
    "ntlm": (
        "the server offers NTLM and does not answer its first token with a challenge; "
        "has something between here and the server closed or shared the connection?"
    ),
}


def _decoded(token: str) -> bytes:
    try:
        return b64decode(token, validate=True)
    except NotBase64:
        return b""


def _context(credentials: Credentials, host: str) -> ContextProxy:
    """Return a context of its own for a handshake."""
    return _prepared(credentials, host).new_context()


@lru_cache(maxsize=_MOST_KEPT)
def _prepared(credentials: Credentials, host: str) -> ContextProxy:
    """Return the user's context: it has the password's hash, which the others take over.

    Raises:
        AuthenticationError: the user name is empty. pyspnego would look for one in a file that the
        environment names.
    """
    import spnego

    domain, user = credentials.account
    if not user:
        raise AuthenticationError(
            "NTLM needs a user name, and this one is empty: correct the dataset or the variable"
        )

    logger = logging.getLogger(spnego.__name__)
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.INFO)  # below, it writes all tokens into the log
    return spnego.client(
        f"{domain}\\{user}" if domain else user,
        credentials.password,
        hostname=_PORT.sub("", host),
        service="http",
        protocol="ntlm",
        options=spnego.NegotiateOptions.use_ntlm,
    )
