"""What a scheme offers to whoever sends requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pytest_loadtool.auth.challenge import Challenge


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """What schemes need to know of a request.

    ``target`` is as in the request line, ``host`` the server's or proxy's ``name`` or
    ``name:port``.
    """

    method: str
    target: str
    host: str


class HandshakeState(Protocol):
    """Credentials that were accepted, for the later requests of their realm."""

    @property
    def realm(self) -> str:
        """Whose credentials these are."""

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The paths of the host that they are for, with all below (the protection space)."""

    def header(self, request: RequestFacts) -> str:
        """Return the value of Authorization that goes with the request before any challenge."""

    def renew(self, told: Sequence[str]) -> None:
        """Take what the server says in Authentication-Info: the values of that header."""


class Handshake(Protocol):
    """One request's way through its challenges.

    Each time the request is answered by 401 (or 407), the first time included, `next` is given the
    challenges of that response, and the request is sent again with the value that it gives.
    """

    @property
    def scheme(self) -> str:
        """The scheme in use, in lower case."""

    @property
    def realm(self) -> str:
        """The realm that asks; empty where the scheme has none."""

    @property
    def connection_bound(self) -> bool:
        """Return whether it is the connection that is authenticated (RFC 4559 §6).

        Then all of the handshake goes over one connection, and later requests on it need nothing.
        """

    @property
    def wants_body(self) -> bool:
        """Return whether the request that carries the value just given carries its body too.

        It does not while the server cannot but answer with another challenge: it then has no body,
        and ``Content-Length: 0``.
        """

    @property
    def session(self) -> HandshakeState | None:
        """Return what serves later requests once this one was accepted; None if bound to a
        connection."""

    def next(self, challenges: Sequence[Challenge]) -> str | None:
        """Return the value of Authorization (or Proxy-Authorization); None: the credentials are
        refused.

        Raises:
            AuthenticationError: the server wants what is not supported.
        """
