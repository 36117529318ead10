"""A virtual user that answers challenges: it negotiates authentication around its transactions.

A request that is answered by 401 is sent again with credentials, on the same connection slot, until
the server accepts them or refuses them. Where a realm was entered, credentials go ahead. Test cases
without identities are acted out by a plain `VirtualUser`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from pytest_loadtool.auth.basic import BasicSession, basic_value
from pytest_loadtool.auth.challenge import Challenge, parse_challenges
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.auth.handshake import Handshake, RequestFacts, Session
from pytest_loadtool.auth.realms import Realms
from pytest_loadtool.auth.schemes import start, supported
from pytest_loadtool.errors import AuthenticationError
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.credentials import (
    header_line,
    with_lines,
    without_body,
    without_credentials,
)
from pytest_loadtool.replay.exchange import Closing, Command, Opening, Response, Send, Wait
from pytest_loadtool.replay.plan import Account, Observer, Origin, Plan, Step
from pytest_loadtool.replay.renewal import RenewingUser
from pytest_loadtool.replay.user import Claim, VirtualUser, target_of

__all__ = ["AuthenticatedUser", "user_for"]

_HEADER = "Authorization"
_NAMES = {"ntlm": "NTLM", "basic": "Basic", "digest": "Digest", "negotiate": "Negotiate"}

_OVER_HTTP2 = (
    "authenticates a connection, which HTTP/2 cannot (RFC 9113 has many requests on one): "
    'write transport = "raw" in the test case, which speaks HTTP/1.1'
)


def user_for(plan: Plan) -> type[VirtualUser]:
    """The kind of virtual user that the plan needs: what it does not need, costs nothing."""
    if plan.accounts:
        return AuthenticatedUser
    return RenewingUser if plan.renewals else VirtualUser


class _Attempt:
    """A request on its way through its challenges: what it is without credentials, and whose."""

    __slots__ = ("account", "handshake", "plain")

    def __init__(self, account: Account, handshake: Handshake, plain: bytes) -> None:
        self.account = account
        self.handshake = handshake
        self.plain = plain


class AuthenticatedUser(RenewingUser):
    """A `RenewingUser` with identities.

    What it knows of realms lasts as long as its cookies do; what was negotiated for a connection,
    as long as that.
    """

    __slots__ = ("_attempts", "_connected_as", "_known", "_lines", "_realms", "_refused")

    def __init__(
        self,
        plan: Plan,
        claim: Claim,
        observer: Observer,
        *,
        number: int = 0,
        stop_on_error: bool = False,
        keep_state: bool = False,
    ) -> None:
        super().__init__(
            plan,
            claim,
            observer,
            number=number,
            stop_on_error=stop_on_error,
            keep_state=keep_state,
        )
        self._connected_as: dict[Account, Credentials] = {}
        self._forget()

    def _forget(self) -> None:
        """Nothing was entered, refused or asked so far."""
        self._attempts: dict[tuple[Origin, int], _Attempt] = {}
        self._known: dict[Account, Credentials] = {}
        self._realms = Realms()
        self._refused: dict[tuple[Account, Origin, str], str] = {}
        # By step: what goes ahead with it; None where that has to be worked out.
        self._lines: list[bytes | None] = [None] * len(self._plan.accounts)

    def iteration(self, number: int, start: float) -> Generator[Command, Response | None, bool]:
        """As `VirtualUser.iteration`; a `Send` may be followed by others for the same step.

        The observer is told of those by `negotiation`, and of the last by `transaction`.
        """
        if not self._keep_state:
            self._forget()
        commands = self._act(number, start)
        event: Response | None = None
        begun = False
        while True:
            try:
                command = commands.send(event)
            except StopIteration as end:
                return bool(end.value)
            if not begun:
                begun = True
                if self._is_somebody_else():
                    yield Wait(start, leave=True)
            if isinstance(command, Wait):
                event = yield command
                continue
            for send in command:
                lines = self._lines[send.step.index]
                if lines is None:
                    lines = self._lines_for(send.step, send.data)
                if lines:
                    send.data = with_lines(send.data, lines)
            event = yield command
            while event is not None and (event.status == 401 or self._attempts):
                again = self._answer(event)
                if again is None:
                    break
                event = yield (again,)

    # What goes ahead.

    def _lines_for(self, step: Step, data: bytes) -> bytes:
        """The lines to send with a request before any challenge; kept where they stay the same."""
        path = target_of(data).decode("latin-1")
        session = self._session_for(step, path)
        lines = b""
        if session is not None:
            lines = header_line(_HEADER, session.header(_facts(step, path)))
        stays = session is None or isinstance(session, BasicSession)
        if stays and "${" not in step.transaction.request.target:
            self._lines[step.index] = lines
        return lines

    def _session_for(self, step: Step, path: str) -> Session | None:
        accounts = self._plan.accounts[step.index]
        if not accounts:
            return None
        session = self._realms.find(step.origin, path)
        if session is not None:
            return session
        for account in accounts:
            if account.ahead and (account, step.origin, "") not in self._refused:
                try:
                    session = BasicSession("", "/", basic_value(self._credentials(account)))
                except AuthenticationError:  # it is told once the server asks for these, too
                    continue
                self._enter(step.origin, session)
                return session
        return None

    def _enter(self, origin: Origin, session: Session) -> None:
        self._realms.enter(origin, session)
        self._lines = [None] * len(self._lines)

    # What is answered.

    def _answer(self, response: Response) -> Send | None:
        """The request to send instead of taking ``response``; None: it is to be taken."""
        send = response.send
        slot = (send.step.origin, send.slot)
        attempt = self._attempts.pop(slot, None)
        if response.failure is not None:
            return None
        if response.status != 401:
            if attempt is not None:
                self._accept(send.step, attempt)
            return None
        challenges = parse_challenges(response.header_values("www-authenticate"))
        try:
            if attempt is None:
                attempt = self._begin(response, challenges)
            if attempt is None:
                return None
            value = attempt.handshake.next(challenges)
        except AuthenticationError as error:
            _fail(response, str(error))
            return None
        if value is None or header_line(_HEADER, value) in send.data:
            self._reject(response, attempt)
            return None
        if attempt.handshake.connection_bound and response.head.startswith(b"HTTP/2"):
            _fail(response, f"{_NAMES[attempt.handshake.scheme]} {_OVER_HTTP2}")
            return None
        self._attempts[slot] = attempt
        self._observer.negotiation(send.step, response)
        self._take_cookies(response, attempt)
        return _again(response, attempt, value)

    def _begin(self, response: Response, challenges: Sequence[Challenge]) -> _Attempt | None:
        """Who answers, and how; None: nobody.

        Raises:
            AuthenticationError: what is asked for cannot be answered.
        """
        step = response.send.step
        offered = supported(challenges)
        for account in self._plan.accounts[step.index]:
            fitting = [one for one in offered if account.realm in ("", one.realm)]
            if not fitting:
                continue
            facts = _facts(step, target_of(response.request).decode("latin-1"))
            handshake = start(fitting, self._credentials(account), facts)
            assert handshake is not None, "all of these are supported"
            refusal = self._refused.get((account, step.origin, handshake.realm))
            if refusal is not None:
                _fail(response, refusal)
                return None
            return _Attempt(account, handshake, without_credentials(response.request))
        return None

    def _accept(self, step: Step, attempt: _Attempt) -> None:
        """The server has let the request in."""
        session = attempt.handshake.session
        if session is not None:
            self._enter(step.origin, session)
        else:
            self._connected_as[attempt.account] = self._credentials(attempt.account)

    def _reject(self, response: Response, attempt: _Attempt) -> None:
        """The server knows who asks, and does not let it in: it is not asked again."""
        step, handshake = response.send.step, attempt.handshake
        realm = f", realm {handshake.realm!r}" if handshake.realm else ""
        why = (
            f"wrong user name or password: {step.origin.authority} refuses "
            f"{self._name(attempt.account)} ({_NAMES[handshake.scheme]}{realm})"
        )
        self._refused[attempt.account, step.origin, handshake.realm] = why
        entered = self._realms.find(step.origin, target_of(response.request).decode("latin-1"))
        if entered is not None and entered.realm in ("", handshake.realm):
            self._refused[attempt.account, step.origin, ""] = why
            self._realms.leave(step.origin, entered)
            self._lines = [None] * len(self._lines)
        _fail(response, why)

    def _take_cookies(self, response: Response, attempt: _Attempt) -> None:
        """A challenge may set cookies: they go with the next request already."""
        send = response.send
        cookies = response.header_values("set-cookie")
        for line in cookies:
            self._jar.store(line, send.step.origin.host, target_of(send.data))
        if cookies:
            attempt.plain = send.step.render(self._values, self._jar)

    # Who it is.

    def _credentials(self, account: Account) -> Credentials:
        known = self._known.get(account)
        if known is None:
            known = self._known[account] = account.credentials(self._values)
        return known

    def _is_somebody_else(self) -> bool:
        """Whether it has authenticated connections with credentials that are no longer its own."""
        before = self._connected_as
        changed = any(self._credentials(one) != known for one, known in before.items())
        if changed:
            self._connected_as = {}
        return changed

    def _name(self, account: Account) -> str:
        """How messages call who was refused: the row of a dataset, or the user name as written."""
        places = [f"row {self._rows[name] + 1} of {file}" for name, file in account.rows]
        return " and ".join(places) or account.name


def _again(response: Response, attempt: _Attempt, value: str) -> Send:
    """The request with the next credentials, on the same slot, due at once."""
    send, handshake = response.send, attempt.handshake
    request = attempt.plain if handshake.wants_body else without_body(attempt.plain)
    data = with_lines(request, header_line(_HEADER, value))
    kind = Send
    if handshake.connection_bound:
        kind = Closing if handshake.wants_body else Opening
    return kind(send.step, send.slot, data, response.finished)


def _facts(step: Step, path: str) -> RequestFacts:
    return RequestFacts(step.transaction.request.method, path, step.origin.authority)


def _fail(response: Response, why: str) -> None:
    """The response is refused, unless it is what the test case wants."""
    if response.status not in response.send.step.accepted:
        response.failure = Failure("auth", why)
