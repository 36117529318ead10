"""Who a virtual user is to a proxy, when it asks for a tunnel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter

from pytest_loadtool.auth import (
    Challenge,
    Credentials,
    HandshakeState,
    RequestFacts,
    parse_challenges,
    scheme_name,
)
from pytest_loadtool.errors import AuthenticationError
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.authentication.credentials import header_line
from pytest_loadtool.replay.authentication.policy import (
    REFUSED,
    SAY,
    UNABLE,
    WAIT,
    Login,
    log_in,
    wrong,
)
from pytest_loadtool.replay.compile.proxies import unanswered
from pytest_loadtool.replay.user.credential_cache import POLL_INTERVAL, CredentialCache, ProxyUser
from pytest_loadtool.replay.user.origin import ProxyRoute
from pytest_loadtool.transport.proxy.connect_reply import Reply
from pytest_loadtool.transport.wire.failures import ProxyError, of_proxy

_HEADER = "Proxy-Authorization"

#: Who a virtual user is to a proxy just now.
Introduce = Callable[[ProxyRoute], ProxyUser]

#: By proxy the credentials that were accepted there last, and what serves later requests.
_Accepted = dict[ProxyRoute, tuple[Credentials, HandshakeState | None]]


def nobody(_via: ProxyRoute) -> ProxyUser:
    """Return a user who has nothing to log in with."""
    return ProxyUser(None, "", CredentialCache())


class AtProxies:
    """One virtual user at all proxies: what was accepted there serves its later requests, too."""

    def __init__(self, introduce: Introduce) -> None:
        self._introduce = introduce
        self._accepted: _Accepted = {}

    def login(self, via: ProxyRoute, method: str = "CONNECT") -> AtProxy:
        """Return who asks for the tunnel of one more connection, or for anything by another
        ``method``."""
        return AtProxy(via, method, self._accepted, self._introduce(via))


class AtProxy:
    """A request to a proxy for a tunnel, or for something else, and who makes it."""

    def __init__(self, via: ProxyRoute, method: str, accepted: _Accepted, guest: ProxyUser) -> None:
        self._via = via
        self._method = method
        self._accepted = accepted
        self._guest = guest
        self._login: Login | None = None
        self._sent = ""

    @property
    def bound(self) -> bool:
        """Return whether what it has said last answers something that holds on the connection
        alone."""
        login = self._login
        return login is not None and login.handshake.connection_bound and login.handshake.wants_body

    @property
    def begins(self) -> bool:
        """Return whether that is the first message of a handshake, with which no body goes."""
        return self._login is not None and not self._login.handshake.wants_body

    def unasked(self, target: str) -> str:
        """Return the credentials that go along with a connection's first request, or nothing."""
        session = self._session()
        if session is not None:
            self._sent = session.header(self._facts(target))
        return self._sent

    async def answer(self, target: str, reply: Reply) -> str:
        """Return the credentials in answer to a challenge.

        What is not known to be right is tried on one connection at a time: the others wait.

        Raises:
            ProxyError: there are none, or they were refused.
        """
        challenges = parse_challenges(reply.head.values("proxy-authenticate"))
        if self._login is None:
            self._login = self._begin(target, challenges)
        login, sent = self._login, b"\r\n" + header_line(_HEADER, self._sent)
        since = now = perf_counter()
        while (what := login.answer(challenges, sent, now)) == WAIT:
            await asyncio.sleep(max(POLL_INTERVAL, (now - since) / 4))
            now = perf_counter()
        if what == SAY:
            self._sent = login.value
            return login.value
        if what == UNABLE:
            raise self._refused(login.why)
        if what == REFUSED:
            login.why = f" ({scheme_name(login.handshake.scheme)})"
            login.refuse(login.why)
            self._accepted.pop(self._via, None)
        raise self._refused(wrong("it", self._guest.name, login.why))

    def accepted(self, reply: Reply) -> None:
        """The tunnel is open."""
        who = self._guest.credentials
        if who is None:
            return
        if self._login is not None:
            self._login.accept()
            self._accepted[self._via] = who, self._login.handshake.session
        session = self._session()
        if session is not None:
            session.renew(reply.head.values("proxy-authentication-info"))

    def left(self) -> None:
        """Tell those who wait that there is no tunnel."""
        if self._login is not None:
            self._login.leave()

    def _session(self) -> HandshakeState | None:
        """Return what was accepted before, of the same credentials."""
        who, session = self._accepted.get(self._via, (None, None))
        return session if who == self._guest.credentials else None

    def _begin(self, target: str, challenges: Sequence[Challenge]) -> Login:
        via, who, login = self._via, self._guest.credentials, None
        if via.account is not None and who is not None:
            facts, credential_cache = partial(self._facts, target), self._guest.credential_cache
            try:
                login = log_in(
                    _HEADER,
                    challenges,
                    [via.account],
                    lambda _: who,
                    facts,
                    via.method,
                    via,
                    credential_cache,
                )
            except AuthenticationError as error:
                raise self._refused(str(error)) from None
        if login is None:
            raise self._refused(unanswered(via, challenges))
        return login

    def _facts(self, target: str) -> RequestFacts:
        return RequestFacts(self._method, target, self._via.server.authority)

    def _refused(self, why: str) -> ProxyError:
        return of_proxy(self._via.server, Failure("auth", why))
