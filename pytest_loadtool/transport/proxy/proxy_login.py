"""Who a virtual user is to a proxy, when it asks for a tunnel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter

from pytest_loadtool.auth import (
    Challenge,
    Credentials,
    RequestFacts,
    Session,
    parse_challenges,
    scheme_name,
)
from pytest_loadtool.errors import AuthenticationError
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.authentication.credential_cache import LOOK, Guest, Verdicts
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
from pytest_loadtool.replay.user.plan import Via
from pytest_loadtool.transport.proxy.connect_reply import Reply
from pytest_loadtool.transport.wire.failures import ProxyError, of_proxy

_HEADER = "Proxy-Authorization"

#: Who a virtual user is to a proxy just now.
Introduce = Callable[[Via], Guest]


def nobody(_via: Via) -> Guest:
    """Has nothing to log in with."""
    return Guest(None, "", Verdicts())


class AtProxies:
    """One virtual user at all proxies."""

    def __init__(self, introduce: Introduce) -> None:
        self._introduce = introduce
        self._known: dict[Via, _Known] = {}

    def login(self, via: Via, method: str = "CONNECT") -> AtProxy:
        """Who asks for the tunnel of one more connection, or for anything by another ``method``."""
        if via not in self._known:
            self._known[via] = _Known()
        return AtProxy(via, method, self._known[via], self._introduce(via))


class _Known:
    """One virtual user at one proxy: what was accepted there serves its later requests, too."""

    def __init__(self) -> None:
        self._accepted: Credentials | None = None
        self._session: Session | None = None

    def session(self, credentials: Credentials | None) -> Session | None:
        """What was accepted before, of the same credentials."""
        return self._session if self._accepted == credentials else None

    def accept(self, credentials: Credentials | None, session: Session | None) -> None:
        """They are right, and this is for the next connection."""
        self._accepted, self._session = credentials, session


class AtProxy:
    """A `tunnel.TunnelUser`, or one who asks a proxy for something else: once."""

    def __init__(self, via: Via, method: str, known: _Known, guest: Guest) -> None:
        self._via = via
        self._method = method
        self._known = known
        self._guest = guest
        self._login: Login | None = None
        self._sent = ""

    @property
    def bound(self) -> bool:
        """Whether what it has said last answers something that holds on the connection alone."""
        login = self._login
        return login is not None and login.handshake.connection_bound and login.handshake.wants_body

    @property
    def begins(self) -> bool:
        """Whether that is the first message of a handshake, with which no body goes."""
        return self._login is not None and not self._login.handshake.wants_body

    def unasked(self, target: str) -> str:
        """What served the connection before; nothing for the first one."""
        session = self._known.session(self._guest.credentials)
        if session is not None:
            self._sent = session.header(self._facts(target))
        return self._sent

    async def answer(self, target: str, reply: Reply) -> str:
        """The next step of the handshake.

        Raises:
            ProxyError: there is none.
        """
        challenges = parse_challenges(reply.head.values("proxy-authenticate"))
        if self._login is None:
            self._login = self._begin(target, challenges)
        login, sent = self._login, b"\r\n" + header_line(_HEADER, self._sent)
        since = now = perf_counter()
        while (what := login.answer(challenges, sent, now)) == WAIT:
            await asyncio.sleep(max(LOOK, (now - since) / 4))
            now = perf_counter()
        if what == SAY:
            self._sent = login.value
            return login.value
        if what == UNABLE:
            raise self._refused(login.why)
        if what == REFUSED:
            login.why = f" ({scheme_name(login.handshake.scheme)})"
            login.refuse(login.why)
            self._known.accept(None, None)
        raise self._refused(wrong("it", self._guest.name, login.why))

    def accepted(self, reply: Reply) -> None:
        """The tunnel is open."""
        who = self._guest.credentials
        if who is None:
            return
        if self._login is not None:
            self._login.accept()
            self._known.accept(who, self._login.handshake.session)
        session = self._known.session(who)
        if session is not None:
            session.renew(reply.head.values("proxy-authentication-info"))

    def left(self) -> None:
        """There is no tunnel: nobody has to wait any more."""
        if self._login is not None:
            self._login.leave()

    def _begin(self, target: str, challenges: Sequence[Challenge]) -> Login:
        via, who, login = self._via, self._guest.credentials, None
        if via.account is not None and who is not None:
            facts, verdicts = partial(self._facts, target), self._guest.verdicts
            try:
                login = log_in(
                    _HEADER,
                    challenges,
                    [via.account],
                    lambda _: who,
                    facts,
                    via.method,
                    via,
                    verdicts,
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
