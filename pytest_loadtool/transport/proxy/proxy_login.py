"""Who a virtual user is to a proxy, when it asks for a tunnel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter

from pytest_loadtool.auth import (
    Challenge,
    Credentials,
    Handshake,
    RequestFacts,
    Session,
    parse_challenges,
    scheme_name,
    start,
)
from pytest_loadtool.errors import AuthenticationError
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.authentication.credential_cache import LOOK, Guest, Trial, Verdicts
from pytest_loadtool.replay.compile.proxies import unanswered
from pytest_loadtool.replay.user.plan import Via
from pytest_loadtool.transport.proxy.connect_reply import Reply
from pytest_loadtool.transport.wire.failures import ProxyError, of_proxy

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
        self._handshake: Handshake | None = None
        self._trial: Trial | None = None
        self._sent = ""

    @property
    def bound(self) -> bool:
        """Whether what it has said last answers something that holds on the connection alone."""
        handshake = self._handshake
        return handshake is not None and handshake.connection_bound and handshake.wants_body

    @property
    def begins(self) -> bool:
        """Whether that is the first message of a handshake, with which no body goes."""
        return self._handshake is not None and not self._handshake.wants_body

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
        try:
            if self._handshake is None or self._trial is None:
                self._handshake, self._trial = self._start(target, challenges)
                await self._turn(self._trial)
            value = self._handshake.next(challenges)
        except AuthenticationError as error:
            raise self._refused(str(error)) from None
        if value is None or value == self._sent:
            how = f" ({scheme_name(self._handshake.scheme)})"
            self._guest.verdicts.refuse(self._trial, how)
            self._known.accept(None, None)
            raise self._wrong(how)
        self._sent = value
        return value

    def accepted(self, reply: Reply) -> None:
        """The tunnel is open."""
        who = self._guest.credentials
        if who is None:
            return
        if self._handshake is not None and self._trial is not None:
            self._guest.verdicts.accept(self._trial)
            self._known.accept(who, self._handshake.session)
        session = self._known.session(who)
        if session is not None:
            session.renew(reply.head.values("proxy-authentication-info"))

    def left(self) -> None:
        """There is no tunnel: nobody has to wait any more."""
        if self._trial is not None:
            self._guest.verdicts.end(self._trial)

    def _start(self, target: str, challenges: Sequence[Challenge]) -> tuple[Handshake, Trial]:
        via, who, handshake = self._via, self._guest.credentials, None
        if via.account is not None and who is not None:
            handshake = start(challenges, who, self._facts(target), via.method)
            if handshake is not None:
                trial = Trial(via.account, who, via, handshake.scheme, handshake.realm)
                return handshake, trial
        raise self._refused(unanswered(via, challenges))

    async def _turn(self, trial: Trial) -> None:
        """Wait while another connection, of any user, tries the same credentials.

        Raises:
            ProxyError: they were refused.
        """
        since = now = perf_counter()
        while not (how := self._guest.verdicts.refusal(trial)):
            if self._guest.verdicts.begin(trial, now):
                return
            await asyncio.sleep(max(LOOK, (now - since) / 4))
            now = perf_counter()
        raise self._wrong(how)

    def _facts(self, target: str) -> RequestFacts:
        return RequestFacts(self._method, target, self._via.server.authority)

    def _wrong(self, how: str) -> ProxyError:
        return self._refused(f"wrong user name or password: it refuses {self._guest.name}{how}")

    def _refused(self, why: str) -> ProxyError:
        return of_proxy(self._via.server, Failure("auth", why))
