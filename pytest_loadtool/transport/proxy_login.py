"""Who a virtual user is to a proxy, when it asks for a tunnel."""

from __future__ import annotations

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
from pytest_loadtool.transport.failures import ProxyError, of_proxy
from pytest_loadtool.transport.tunnel import Reply, TunnelUser

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
    """One virtual user at one proxy: what was accepted there serves its later connections, too."""

    def __init__(self, via: Via, introduce: Introduce) -> None:
        self.via = via
        self._introduce = introduce
        self._accepted: tuple[Credentials, Session] | None = None
        self._rejected: tuple[Credentials, Failure] | None = None

    def login(self) -> _Login:
        """Who asks for the tunnel of one more connection."""
        return _Login(self, *self._introduce(self.via))

    def session(self, credentials: Credentials | None) -> Session | None:
        """What was accepted before, of the same credentials."""
        if self._accepted is None or self._accepted[0] != credentials:
            return None
        return self._accepted[1]

    def keep(self, credentials: Credentials, session: Session) -> None:
        """To be used for the next connection."""
        self._accepted = credentials, session

    def rejection(self, credentials: Credentials) -> Failure | None:
        """What became of the same credentials before, unless they were accepted: to try wrong ones
        again and again may lock the account."""
        if self._rejected is None or self._rejected[0] != credentials:
            return None
        return self._rejected[1]

    def reject(self, credentials: Credentials, failure: Failure) -> None:
        """They are not to be tried again."""
        self._rejected = credentials, failure


class _Login:
    """A `tunnel.TunnelUser`."""

    def __init__(self, user: AtProxy, credentials: Credentials | None, name: str) -> None:
        self._user = user
        self._via = user.via
        self._credentials = credentials
        self._name = name
        self._handshake: Handshake | None = None

    @property
    def bound(self) -> bool:
        """Whether what it has said last answers something that holds on the connection alone."""
        handshake = self._handshake
        return handshake is not None and handshake.connection_bound and handshake.wants_body

    def unasked(self, target: str) -> str:
        """What served the connection before; nothing for the first one."""
        session = self._user.session(self._credentials)
        return "" if session is None else session.header(self._facts(target))

    def answer(self, target: str, reply: Reply) -> str:
        """The next step of the handshake.

        Raises:
            ProxyError: there is none.
        """
        challenges = parse_challenges(reply.head.values("proxy-authenticate"))
        try:
            value = self._next(target, challenges)
        except AuthenticationError as error:
            raise self._refused(str(error)) from None
        if value is None:
            assert self._handshake is not None
            assert self._credentials is not None
            rejected = self._refused(
                f"wrong user name or password: it refuses {self._name} "
                f"({scheme_name(self._handshake.scheme)})"
            )
            self._user.reject(self._credentials, rejected.failure)
            raise rejected
        return value

    def accepted(self) -> None:
        """The tunnel is open."""
        session = None if self._handshake is None else self._handshake.session
        if session is not None and self._credentials is not None:
            self._user.keep(self._credentials, session)

    def _next(self, target: str, challenges: Sequence[Challenge]) -> str | None:
        if self._handshake is None:
            self._handshake = self._start(target, challenges)
        return self._handshake.next(challenges)

    def _start(self, target: str, challenges: Sequence[Challenge]) -> Handshake:
        if self._credentials is None or not challenges:
            raise self._refused(unanswered(self._via, challenges))
        rejection = self._user.rejection(self._credentials)
        if rejection is not None:
            raise ProxyError(rejection)
        facts = self._facts(target)
        handshake = start(challenges, self._credentials, facts, self._via.method)
        if handshake is None:
            raise self._refused(unanswered(self._via, challenges))
        return handshake

    def _facts(self, target: str) -> RequestFacts:
        return RequestFacts("CONNECT", target, self._via.server.authority)

    def _refused(self, why: str) -> ProxyError:
        return of_proxy(self._via.server, Failure("auth", why))
