"""A virtual user that answers challenges: it negotiates authentication around its transactions.

A request that is answered by 401, or by a proxy's 407, is sent again with credentials, on the same
connection slot, until they are accepted or refused. Where it was let in before, credentials go
ahead. Test cases without identities and proxies are acted out by a plain `VirtualUser`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from pytest_loadtool.auth.basic import BasicSession
from pytest_loadtool.auth.challenge import Challenge, parse_challenges, scheme_name
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.auth.handshake import Handshake, Session
from pytest_loadtool.auth.schemes import start, supported
from pytest_loadtool.errors import AuthenticationError
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.credentials import (
    head_end,
    header_line,
    with_lines,
    without_body,
    without_header,
)
from pytest_loadtool.replay.exchange import Closing, Command, Opening, Over, Response, Send, Wait
from pytest_loadtool.replay.gates import Gate, Proxies, Servers
from pytest_loadtool.replay.plan import Account, Observer, Origin, Plan, Step
from pytest_loadtool.replay.renewal import RenewingUser
from pytest_loadtool.replay.user import Claim, VirtualUser, target_of

__all__ = ["AuthenticatedUser", "user_for"]

_IN_PROCESS = (
    "authenticates a connection, which an application in this process does not have: name a "
    "server in place of the app"
)

#: For how many ways of being let in a user remembers what goes ahead. It takes one at a time.
_COURSES_KEPT = 4

_OR_SHARED = (
    "; or the proxy does not keep a connection to the server for each of its client's (squid does, "
    "Apache httpd does not), which this scheme needs where there is no tunnel: use https"
)


def user_for(plan: Plan) -> type[VirtualUser]:
    """The kind of virtual user that the plan needs: what it does not need, costs nothing."""
    if plan.accounts:
        return AuthenticatedUser
    return RenewingUser if plan.renewals else VirtualUser


class _Login:
    """Somebody on the way through a gate, and the credentials that were sent last."""

    __slots__ = ("account", "gate", "handshake", "value")

    def __init__(self, gate: Gate, account: Account, handshake: Handshake) -> None:
        self.gate = gate
        self.account = account
        self.handshake = handshake
        self.value = ""


class _Attempt:
    """A request on its way: what it is without credentials, and who is on the way with it."""

    __slots__ = ("logins", "plain")

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self.logins: dict[Gate, _Login] = {}


class AuthenticatedUser(RenewingUser):
    """A `RenewingUser` with identities.

    What it knows of realms and proxies lasts as long as its cookies do; what was negotiated for a
    connection, as long as that. Once its credentials are refused its iteration ends.
    """

    __slots__ = (
        "_at_proxies", "_attempts", "_basic", "_connected_as", "_course", "_courses", "_ends",
        "_gates", "_known", "_may_go_on", "_proxies", "_servers",
    )  # fmt: skip

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
        self._may_go_on = not stop_on_error
        self._connected_as: dict[Account, Credentials | None] = {}
        self._at_proxies: list[Credentials] = []
        self._courses: dict[tuple[object, ...], list[bytes | None]] = {}
        self._forget()

    def _forget(self) -> None:
        """Nothing was entered, refused or asked so far."""
        self._servers = Servers(self._plan)
        self._proxies = Proxies(self._plan)
        self._gates: tuple[Gate, ...] = (self._proxies, self._servers)
        self._known: dict[Account, Credentials] = {}
        self._attempts: dict[tuple[Origin, int], _Attempt] = {}
        # By step: the end of its head; None where that has to be worked out.
        first = None if self._plan.ahead else b""  # nothing, until something was let in
        self._ends: list[bytes | None] = [first] * len(self._plan.accounts)
        self._basic: dict[Session, bytes] = {}
        self._course: tuple[object, ...] | None = None if self._plan.ahead else ()

    def _turn(self, *event: object) -> None:
        """What goes ahead has changed, by this event; by none that comes again, if it is empty.

        A user that begins anew, and is let in as before, need not work out anew what goes ahead.
        """
        self._ends = [None] * len(self._plan.accounts)
        if self._course is None or not event:
            self._course = None
            return
        self._course += event
        if len(self._courses) == _COURSES_KEPT:
            self._courses.clear()
        self._ends = self._courses.setdefault(self._course, self._ends)

    def iteration(self, number: int, start: float) -> Generator[Command, Response | None, None]:
        """As `VirtualUser.iteration`; a `Send` may be followed by others for the same step.

        The observer is told of those by `negotiation`, and of the last by `transaction`.
        """
        if not self._keep_state:
            self._forget()
        self._stop_on_error = not self._may_go_on
        commands = self._act(number, start)
        event: Response | None = None
        begun = False
        while True:
            command = commands.send(event)
            if not begun:
                begun = True
                if self._is_somebody_else():
                    yield Wait(start, leave=True)
            if isinstance(command, Wait):
                event = yield command
                continue
            if isinstance(command, Over):
                yield command
                return
            for send in command:
                ahead = self._ends[send.step.index]
                if ahead is None:
                    ahead = self._end_for(send.step, send.data)
                if ahead:
                    send.data = with_lines(send.data, ahead)
            event = yield command
            while event is not None and (event.status in (401, 407, 0) or self._attempts):
                again = self._answer(event)
                if again is None:
                    break
                event = yield (again,)

    # What goes ahead.

    def _end_for(self, step: Step, data: bytes) -> bytes:
        """The end of the head of a request, before any challenge; kept where it stays the same.

        Empty when nothing goes ahead.
        """
        lines, stays = b"", bool(self._plan.targets[step.index])
        for gate in self._gates:
            session = gate.session(step, data, self._credentials)
            if session is not None:
                lines += self._line(gate, session, step, data)
                stays = stays and session in self._basic
        end = head_end(lines) if lines else b""
        if stays:
            self._ends[step.index] = end
        return end

    def _line(self, gate: Gate, session: Session, step: Step, data: bytes) -> bytes:
        """The line of one gate: with Basic always the same."""
        line = self._basic.get(session)
        if line is None:
            line = header_line(gate.answers, session.header(gate.facts(step, data)))
            if isinstance(session, BasicSession):
                self._basic[session] = line
        return line

    # What is answered.

    def _answer(self, response: Response) -> Send | None:
        """The request to send instead of taking ``response``; None: it is to be taken."""
        send = response.send
        slot = (send.step.origin, send.slot)
        attempt = self._attempts.pop(slot, None)
        status = response.status
        if response.failure is not None:
            if response.failure.cause == "auth":  # in the transport, at a proxy
                self._stop_on_error = True
            return None
        if attempt is not None:
            self._accept(send.step, attempt, status)
        if status == 407:
            gate: Gate = self._proxies
        elif status == 401:
            gate = self._servers
        else:
            return None
        challenges = parse_challenges(response.header_values(gate.asks))
        try:
            login = None if attempt is None else attempt.logins.get(gate)
            if login is None:
                login = self._begin(gate, response, challenges)
            if login is None:
                return None
            value = login.handshake.next(challenges)
        except AuthenticationError as error:
            self._fail(response, gate.told(send.step, str(error)))
            return None
        if value is None or b"\r\n" + header_line(gate.answers, value) in send.data:
            self._reject(response, login)
            return None
        if login.handshake.connection_bound and self._plan.case.app:
            self._fail(response, f"{scheme_name(login.handshake.scheme)} {_IN_PROCESS}")
            return None
        if attempt is None:
            attempt = _Attempt(self._plain(send))
        login.value = value
        attempt.logins[gate] = login
        self._attempts[slot] = attempt
        self._observer.negotiation(send.step, response)
        self._take_cookies(response, attempt)
        return self._again(response, attempt, login.handshake)

    def _begin(
        self, gate: Gate, response: Response, challenges: Sequence[Challenge]
    ) -> _Login | None:
        """Who answers, and how; None: nobody.

        Raises:
            AuthenticationError: what is asked for cannot be answered.
        """
        step, method = response.send.step, gate.method(response.send.step)
        offered = supported(challenges, method)
        for account in gate.accounts(step):
            fitting = [one for one in offered if account.realm in ("", one.realm)]
            if not fitting:
                continue
            facts = gate.facts(step, response.request)
            handshake = start(fitting, self._credentials(account), facts, method)
            assert handshake is not None, "all of these are supported"
            refusal = gate.refusal(step, account, handshake)
            if refusal:
                self._fail(response, refusal)
                return None
            return _Login(gate, account, handshake)
        if why := gate.unanswered(step, challenges):
            self._fail(response, why)
        return None

    def _again(self, response: Response, attempt: _Attempt, handshake: Handshake) -> Send:
        """The request with the next credentials, on the same slot, due at once."""
        send = response.send
        step = send.step
        lines = b""
        for gate in self._gates:
            login = attempt.logins.get(gate)
            if login is not None:
                lines += header_line(gate.answers, login.value)
                continue
            session = gate.session(step, attempt.plain, self._credentials)
            if session is not None:
                lines += self._line(gate, session, step, attempt.plain)
        kind: type[Send] = Send
        plain = attempt.plain
        if not handshake.wants_body:
            plain = without_body(plain)
            kind = Opening
        elif handshake.connection_bound:
            kind = Closing
        return kind(step, send.slot, with_lines(plain, head_end(lines)), response.finished)

    def _accept(self, step: Step, attempt: _Attempt, status: int) -> None:
        """Those who were let in: a server that answers is behind the proxy."""
        for gate, login in list(attempt.logins.items()):
            if status == gate.status or (gate is self._servers and status == 407):
                continue
            del attempt.logins[gate]
            session = login.handshake.session
            if session is not None:
                gate.enter(step, session)
                if isinstance(session, BasicSession):
                    self._turn(step.origin, session.realm, session.prefixes, login.value)
                else:
                    self._turn()
            else:
                self._connected_as[login.account] = self._credentials(login.account)

    def _reject(self, response: Response, login: _Login) -> None:
        """It is known who asks, and refused: nobody asks again, nor goes on."""
        step, handshake, gate = response.send.step, login.handshake, login.gate
        realm = f", realm {handshake.realm!r}" if handshake.realm else ""
        why = gate.told(
            step,
            f"wrong user name or password: {gate.name} refuses {self.name_of(login.account)} "
            f"({scheme_name(handshake.scheme)}{realm})",
        )
        if handshake.connection_bound:
            self._connected_as[login.account] = None  # nobody can log in on it any more
            shared = step.origin.scheme == "http" and step.origin.via is not None
            if shared and gate is self._servers:
                why += _OR_SHARED
        gate.refuse(step, gate.facts(step, response.request), login.account, handshake, why)
        self._turn()
        self._fail(response, why)

    def _take_cookies(self, response: Response, attempt: _Attempt) -> None:
        """A challenge may set cookies: they go with the next request already."""
        step = response.send.step
        cookies = response.set_cookies
        for line in cookies:
            self._jar.store(line, step.origin.host, target_of(response.request))
        if cookies:
            attempt.plain = step.render(self._values, self._jar)

    def _plain(self, send: Send) -> bytes:
        """The request without the credentials that went ahead with it."""
        data = send.data
        for gate in self._gates:
            if gate.accounts(send.step):
                data = without_header(data, gate.answers)
        return data

    def _fail(self, response: Response, why: str) -> None:
        """The response is refused, and the iteration ends, unless it is what the case wants."""
        if response.status not in response.send.step.accepted:
            response.failure = Failure("auth", why)
            self._stop_on_error = True

    # Who it is.

    def _is_somebody_else(self) -> bool:
        """Whether it has authenticated connections with credentials that are no longer its own."""
        before, last = self._connected_as, self._at_proxies
        changed = any(self._credentials(one) != known for one, known in before.items())
        if changed:
            self._connected_as = {}
        self._at_proxies = [find(self._values) for find in self._plan.at_proxies]
        return changed or bool(last and last != self._at_proxies)

    def _credentials(self, account: Account) -> Credentials:
        known = self._known.get(account)
        if known is None:
            known = self._known[account] = account.credentials(self._values)
        return known
