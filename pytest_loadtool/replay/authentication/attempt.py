"""A request that somebody asks who sends it: who that is, and how it goes out again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_loadtool.auth.challenge import Challenge, scheme_name
from pytest_loadtool.auth.handshake import Handshake
from pytest_loadtool.replay.authentication.auth_targets import AuthTarget
from pytest_loadtool.replay.authentication.credentials import (
    head_end,
    with_lines,
    without_body,
    without_header,
)
from pytest_loadtool.replay.authentication.policy import Login
from pytest_loadtool.replay.user.exchange import Closing, Opening, Response, Send, Step

_OR_SHARED = (
    "; or the proxy does not keep a connection to the server for each of its client's (squid does, "
    "Apache httpd does not), which this scheme needs where there is no tunnel: use https"
)


class LoginTrial:
    """A login at a target, and what was asked there last."""

    __slots__ = ("challenges", "login", "target")

    def __init__(self, target: AuthTarget, login: Login, challenges: Sequence[Challenge]) -> None:
        self.target = target
        self.login = login
        self.challenges = challenges

    def is_let_in(self, response: Response) -> bool:
        """Return whether an answer that does not ask for its credentials any more shows that they
        are right.

        No error does that the server, or what stands before it, may give without a look at them,
        unless the transaction expects it; nor does anything that comes before they were sent.
        """
        status = response.status
        if not self.login.handshake.wants_body:
            return False
        expected = status in response.send.step.accepted or status == 401  # behind the proxy
        return status < 400 or (status < 500 and expected)

    def how(self, step: Step) -> str:
        """Return in which scheme and realm it was refused, in words, and why else that may be."""
        handshake = self.login.handshake
        realm = f", realm {handshake.realm!r}" if handshake.realm else ""
        shared = step.origin.scheme == "http" and step.origin.via is not None
        others = handshake.connection_bound and shared and self.target.status == 401
        return f" ({scheme_name(handshake.scheme)}{realm}){_OR_SHARED if others else ''}"

    @property
    def where(self) -> str:
        """Return what an answer came to that does not show it, in words."""
        handshake = self.login.handshake
        scheme = scheme_name(handshake.scheme)
        whose = " with the proxy" if self.target.status == 407 else ""
        if handshake.wants_body:
            return f"in answer to credentials ({scheme}{whose}) that it neither takes nor refuses"
        return f"in the middle of the {scheme} handshake{whose}: nobody is logged in"


class Attempt:
    """A request: what it is without credentials, and the logins on the way with it."""

    __slots__ = ("entries", "plain")

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self.entries: dict[AuthTarget, LoginTrial] = {}

    def lacks_body(self, send: Send) -> bool:
        """Return whether what went out last was without the request's body."""
        return isinstance(send, Opening) and not self.plain.endswith(b"\r\n\r\n")


def plain(send: Send, targets: Iterable[AuthTarget]) -> bytes:
    """Return the request without the credentials that went ahead with it."""
    data = send.data
    for target in targets:
        if target.accounts(send.step):
            data = without_header(data, target.answers)
    return data


def sent_again(send: Send, data: bytes, lines: bytes, handshake: Handshake, due: float) -> Send:
    """Return the request once more, on the same slot, with these credentials."""
    kind: type[Send] = Send
    if not handshake.wants_body:
        data = without_body(data)
        kind = Opening
    elif handshake.connection_bound:
        kind = Closing
    return kind(send.step, send.slot, with_lines(data, head_end(lines)), due)
