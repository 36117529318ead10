"""Where a virtual user has to say who it is: at a server (401), and at a proxy (407).

A target knows who may answer there for a step, and what went well. It belongs to one virtual user,
and is forgotten with its cookies; what was refused is not (see `CredentialCache`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from pytest_loadtool.auth.basic import BasicSession, basic_value
from pytest_loadtool.auth.challenge import Challenge
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.auth.handshake import HandshakeState, RequestFacts
from pytest_loadtool.auth.realms import Realms
from pytest_loadtool.errors import AuthenticationError
from pytest_loadtool.replay.compile.identities import facts_of
from pytest_loadtool.replay.compile.proxies import unanswered
from pytest_loadtool.replay.user.credential_cache import CredentialCache
from pytest_loadtool.replay.user.exchange import Step, target_of
from pytest_loadtool.replay.user.origin import Account
from pytest_loadtool.replay.user.plan import Plan

#: From an account to what it logs in with.
Find = Callable[[Account], Credentials]


#: Headers: what asks who it is, what answers, and what comes with the answer (RFC 9110 §11.6).
_OF_SERVERS = ("www-authenticate", "Authorization", "authentication-info")
_OF_PROXIES = ("proxy-authenticate", "Proxy-Authorization", "proxy-authentication-info")


class AuthTarget(ABC):
    """A kind of target: ``status`` is its challenge; ``asks``, ``answers`` and ``tells`` are its
    headers."""

    __slots__ = ("_plan", "answers", "asks", "name", "status", "tells")

    def __init__(self, plan: Plan, status: int, headers: tuple[str, str, str], name: str) -> None:
        self.status = status
        self.asks, self.answers, self.tells = headers
        self.name = name
        self._plan = plan

    @abstractmethod
    def accounts(self, step: Step) -> tuple[Account, ...]:
        """Return who may answer for the step, in order."""

    def method(self, step: Step) -> str:  # noqa: ARG002 - whichever step
        """Return the only scheme to answer in; empty: any."""
        return ""

    @abstractmethod
    def facts(self, step: Step, data: bytes) -> RequestFacts:
        """Return what schemes need to know of the request."""

    @abstractmethod
    def session(self, step: Step, data: bytes, find: Find) -> HandshakeState | None:
        """Return what goes ahead with the request."""

    @abstractmethod
    def enter(self, step: Step, session: HandshakeState) -> None:
        """The session was accepted."""

    @abstractmethod
    def place(self, step: Step) -> object:
        """Return where it stands: what is refused there is not refused elsewhere."""

    def unanswered(self, step: Step, challenges: Sequence[Challenge]) -> str:  # noqa: ARG002  as of other targets
        """Return what to say when nobody answers; nothing: it is a response like any other."""
        return ""

    def told(self, step: Step, why: str) -> str:  # noqa: ARG002  as of other targets
        """Return a reason for a failure, as it is told."""
        return why

    @abstractmethod
    def leave(self, step: Step, facts: RequestFacts, realm: str) -> None:
        """Forget what went ahead and was refused."""


class ServerTargets(AuthTarget):
    """The servers: each with its realms."""

    __slots__ = ("_cache", "_realms", "_unasked")

    def __init__(self, plan: Plan, credential_cache: CredentialCache) -> None:
        super().__init__(plan, 401, _OF_SERVERS, "the server")
        self._cache = credential_cache
        self._realms = Realms()
        self._unasked: set[tuple[Account, object]] = set()

    def accounts(self, step: Step) -> tuple[Account, ...]:
        """Return the identities for its host."""
        return self._plan.accounts[step.index]

    def place(self, step: Step) -> object:
        """Return the origin."""
        return step.origin

    def facts(self, step: Step, data: bytes) -> RequestFacts:
        """Return the facts of the request as the server sees it."""
        return self._plan.facts[step.index] or facts_of(step, target_of(data).decode("latin-1"))

    def session(self, step: Step, data: bytes, find: Find) -> HandshakeState | None:
        """Return the session of the realm which the path seems to be in, or of an identity that
        goes ahead."""
        mine = self._plan.accounts[step.index]
        if not mine:
            return None
        known = self._plan.facts[step.index]
        target = known.target if known is not None else target_of(data).decode("latin-1")
        session = self._realms.find(step.origin, target)
        if session is not None:
            return session
        for account in mine:
            if account.ahead and (account, step.origin) not in self._unasked:
                self._unasked.add((account, step.origin))
                credentials = find(account)
                if self._cache.any_refusal(credentials, step.origin):
                    continue
                try:
                    session = BasicSession("", "/", basic_value(credentials))
                except AuthenticationError:  # it is told once the server asks for these, too
                    continue
                self._realms.enter(step.origin, session)
                return session
        return None

    def enter(self, step: Step, session: HandshakeState) -> None:
        """Add one realm."""
        self._realms.enter(step.origin, session)

    def leave(self, step: Step, facts: RequestFacts, realm: str) -> None:
        """The realm that the path seems to be in, if it is this one."""
        entered = self._realms.find(step.origin, facts.target)
        if entered is not None and entered.realm in ("", realm):
            self._realms.leave(step.origin, entered)


class Proxies(AuthTarget):
    """The proxies for requests in absolute form; who asks for tunnels is up to the transport."""

    __slots__ = ("_sessions",)

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, 407, _OF_PROXIES, "it")
        self._sessions: dict[object, HandshakeState] = {}

    def accounts(self, step: Step) -> tuple[Account, ...]:
        """Return the user of ``[proxy]``."""
        via = step.origin.via
        if via is None or via.account is None or step.origin.scheme != "http":
            return ()
        return (via.account,)

    def method(self, step: Step) -> str:
        """Return what ``[proxy]`` says."""
        via = step.origin.via
        return "" if via is None else via.method

    def place(self, step: Step) -> object:
        """Return the proxy itself."""
        return step.origin.via

    def facts(self, step: Step, data: bytes) -> RequestFacts:
        """Return the facts of the request as the proxy sees it."""
        via = step.origin.via
        assert via is not None
        target = data.split(b" ", 2)[1].decode("latin-1")
        return RequestFacts(step.transaction.request.method, target, via.server.authority)

    def session(self, step: Step, data: bytes, find: Find) -> HandshakeState | None:  # noqa: ARG002  as of other targets
        """Return what was accepted before, whichever request it was for; nothing within a tunnel,
        where it would be the server that gets it."""
        return self._sessions.get(step.origin.via) if self.accounts(step) else None

    def enter(self, step: Step, session: HandshakeState) -> None:
        """Have the session go with all that the proxy is asked for."""
        self._sessions[step.origin.via] = session

    def unanswered(self, step: Step, challenges: Sequence[Challenge]) -> str:
        """Return what to set in ``[proxy]``."""
        via = step.origin.via
        if via is None or step.origin.scheme != "http":
            return ""
        return self.told(step, unanswered(via, challenges))

    def told(self, step: Step, why: str) -> str:
        """Return ``why`` with the proxy that it is about."""
        via = step.origin.via
        assert via is not None
        return f"proxy {via.server}: {why}"

    def leave(self, step: Step, facts: RequestFacts, realm: str) -> None:  # noqa: ARG002  as of other targets
        """Forget the session at the proxy."""
        self._sessions.pop(step.origin.via, None)
