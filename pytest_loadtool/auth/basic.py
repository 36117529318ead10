"""Basic (RFC 7617): user name and password in Base64, which hides nothing from anybody."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence

from pytest_loadtool.auth.challenge import Challenge
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.auth.handshake import RequestFacts
from pytest_loadtool.errors import AuthenticationError

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def basic_value(credentials: Credentials) -> str:
    """Return the value of Authorization. The text is UTF-8, whether or not the server says so
    (§2.1).

    Raises:
        AuthenticationError: the user name has a colon, or there are control characters (§2).
    """
    name = credentials.login
    if ":" in name:
        raise AuthenticationError(
            f"Basic authentication cannot send the user name {name!r}: it has a colon, and what "
            "follows would be taken for the password (RFC 7617); use another user name"
        )
    pair = f"{name}:{credentials.password}"
    if _CONTROL.search(pair):
        raise AuthenticationError(
            f"Basic authentication cannot send the credentials of {name!r}: user name or password "
            "has a control character, such as a line break (RFC 7617); correct them"
        )
    return f"Basic {b64encode(pair.encode()).decode()}"


class BasicSession:
    """The same value for all at or below the last ``/`` of the path that was asked (§2.2)."""

    __slots__ = ("_value", "prefixes", "realm")

    def __init__(self, realm: str, target: str, value: str) -> None:
        self.realm = realm
        path = target.partition("?")[0]
        self.prefixes: tuple[str, ...] = (path[: path.rfind("/") + 1] or "/",)
        self._value = value

    def header(self, request: RequestFacts) -> str:  # noqa: ARG002 - whatever the request
        """Return the value of Authorization."""
        return self._value

    def renew(self, told: Sequence[str]) -> None:
        """Keep the name and password: they stay the same for the whole connection."""


class BasicHandshake:
    """The one step of Basic."""

    __slots__ = ("_given", "_value", "realm", "session")

    scheme = "basic"
    connection_bound = False
    wants_body = True

    def __init__(
        self, challenge: Challenge, credentials: Credentials, request: RequestFacts
    ) -> None:
        self.realm = challenge.realm
        self._value = basic_value(credentials)
        self._given = False
        self.session = BasicSession(self.realm, request.target, self._value)

    def next(self, challenges: Sequence[Challenge]) -> str | None:  # noqa: ARG002 - all in the first
        """Return the credentials, once."""
        if self._given:
            return None
        self._given = True
        return self._value
