"""Who a virtual user is to a proxy, when it asks for a tunnel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

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
from pytest_loadtool.replay.plan import Via
from pytest_loadtool.replay.proxies import unanswered
from pytest_loadtool.transport.connect_reply import Reply
from pytest_loadtool.transport.failures import ProxyError, of_proxy
from pytest_loadtool.transport.tunnel import TunnelUser

__all__ = ["AtProxies", "Introduce", "nobody"]

#: Who a virtual user is to a proxy just now: what it logs in with, and how messages call it.
Introduce = Callable[[Via], tuple[Credentials | None, str]]


def nobody(_via: Via) -> tuple[None, str]:
    """Has nothing to log in with."""
    return None, ""


class AtProxies:
    """One virtual user at all proxies."""

    def __init__(self, introduce: Introduce) -> None:
        self._introduce = introduce
        self._users: dict[Via, AtProxy] = {}

    def login(self, via: Via) -> TunnelUser:
        """Who asks for the tunnel of one more connection."""
        if via not in self._users:
            self._users[via] = AtProxy(via, self._introduce)
        return self._users[via].login()


class AtProxy:
    """One virtual user at one proxy: what was accepted there serves its later connections, too, and
    what was refused is not sent again, which may lock the account."""

    def __init__(self, via: Via, introduce: Introduce) -> None:
        self.via = via
        self._introduce = introduce
        self._accepted: Credentials | None = None
        self._session: Session | None = None
        self._rejected: dict[Credentials, Failure] = {}
        self._trying: dict[Credentials, asyncio.Event] = {}

    def login(self) -> _Login:
        """Who asks for the tunnel of one more connection."""
        return _Login(self, *self._introduce(self.via))

    def session(self, credentials: Credentials | None) -> Session | None:
        """What was accepted before, of the same credentials."""
        return self._session if self._accepted == credentials else None

    async def turn(self, credentials: Credentials) -> bool:
        """Wait until no other connection tries the same credentials; whether this one is to `end`
        it, being the first.

        Raises:
            ProxyError: they were refused.
        """
        while credentials != self._accepted and credentials in self._trying:
            await self._trying[credentials].wait()
        if credentials in self._rejected:
            raise ProxyError(self._rejected[credentials])
        if credentials == self._accepted:
            return False
        self._trying[credentials] = asyncio.Event()
        return True

    def end(self, credentials: Credentials) -> None:
        """Have the others go on."""
        self._trying.pop(credentials).set()

    def accept(self, credentials: Credentials, session: Session | None) -> None:
        """They are right, and this is for the next connection."""
        self._accepted, self._session = credentials, session

    def reject(self, credentials: Credentials, failure: Failure) -> None:
        """They are not to be tried again."""
        self._rejected[credentials] = failure
        if credentials == self._accepted:
            self._accepted = self._session = None


class _Login:
    """A `tunnel.TunnelUser`."""

    def __init__(self, user: AtProxy, credentials: Credentials | None, name: str) -> None:
        self._user = user
        self._via = user.via
        self._credentials = credentials
        self._name = name
        self._handshake: Handshake | None = None
        self._sent = ""
        self._tries = False

    @property
    def bound(self) -> bool:
        """Whether what it has said last answers something that holds on the connection alone."""
        handshake = self._handshake
        return handshake is not None and handshake.connection_bound and handshake.wants_body

    def unasked(self, target: str) -> str:
        """What served the connection before; nothing for the first one."""
        session = self._user.session(self._credentials)
        if session is not None:
            self._sent = session.header(self._facts(target))
        return self._sent

    async def answer(self, target: str, reply: Reply) -> str:
        """The next step of the handshake.

        Raises:
            ProxyError: there is none.
        """
        challenges = parse_challenges(reply.head.values("proxy-authenticate"))
        who = self._credentials
        if who is None or not (self._handshake or challenges):
            raise self._refused(unanswered(self._via, challenges))
        try:
            if self._handshake is None:
                self._tries = await self._user.turn(who)
                self._handshake = self._start(target, challenges, who)
            value = self._handshake.next(challenges)
        except AuthenticationError as error:
            raise self._refused(str(error)) from None
        if value is None or value == self._sent:
            rejected = self._refused(
                f"wrong user name or password: it refuses {self._name} "
                f"({scheme_name(self._handshake.scheme)})"
            )
            self._user.reject(who, rejected.failure)
            raise rejected
        self._sent = value
        return value

    def accepted(self, reply: Reply) -> None:
        """The tunnel is open."""
        if self._credentials is None:
            return
        session = self._user.session(self._credentials)
        if self._handshake is not None:
            session = self._handshake.session
            self._user.accept(self._credentials, session)
        if session is not None:
            session.renew(reply.head.values("proxy-authentication-info"))
        self.left()

    def left(self) -> None:
        """Whether there is a tunnel or not, nobody has to wait any more."""
        if self._tries and self._credentials is not None:
            self._tries = False
            self._user.end(self._credentials)

    def _start(self, target: str, challenges: Sequence[Challenge], who: Credentials) -> Handshake:
        handshake = start(challenges, who, self._facts(target), self._via.method)
        if handshake is None:
            raise self._refused(unanswered(self._via, challenges))
        return handshake

    def _facts(self, target: str) -> RequestFacts:
        return RequestFacts("CONNECT", target, self._via.server.authority)

    def _refused(self, why: str) -> ProxyError:
        return of_proxy(self._via.server, Failure("auth", why))
