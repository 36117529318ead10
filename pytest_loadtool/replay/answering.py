"""A virtual user that knows what to answer when it is asked who it is, by 401 or a proxy's 407.

What the answer was and whether it was right is kept in `verdicts` and `gates`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_loadtool.auth.basic import BasicSession
from pytest_loadtool.auth.challenge import Challenge, parse_challenges, scheme_name
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.auth.schemes import start, supported
from pytest_loadtool.errors import AuthenticationError
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.ahead import Ahead
from pytest_loadtool.replay.attempt import Attempt, Login, plain, sent_again
from pytest_loadtool.replay.credentials import header_line
from pytest_loadtool.replay.exchange import Response, Send
from pytest_loadtool.replay.gates import Gate, Proxies, Servers
from pytest_loadtool.replay.plan import Account, Observer, Origin, Plan, Step
from pytest_loadtool.replay.renewal import RenewingUser
from pytest_loadtool.replay.user import Claim, target_of
from pytest_loadtool.replay.verdicts import Trial, Verdicts

__all__ = ["AnsweringUser"]

_IN_PROCESS = (
    "authenticates a connection, which an application in this process does not have: name a "
    "server in place of the app"
)

_BARE = (
    "; the request went without its body, which the server has not seen: does something before it "
    "answer in its place?"
)


class AnsweringUser(RenewingUser):
    """A `RenewingUser` that answers challenges: `_see_to` is given what comes back.

    What it knows of realms and proxies lasts as long as its cookies do; what was negotiated for a
    connection, as long as that; which credentials were refused, as long as the user.
    """

    __slots__ = (
        "_ahead", "_at_proxies", "_attempts", "_connected_as", "_gates", "_held", "_known", "_left",
        "_may_go_on", "_nonces", "_open", "_proxies", "_ready", "_servers", "_verdicts",
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
        self._verdicts = Verdicts()
        self._ahead = Ahead(plan)
        self._forget()
        self._begin()

    def _forget(self) -> None:
        """Nothing was entered so far."""
        self._servers = Servers(self._plan, self._verdicts)
        self._proxies = Proxies(self._plan)
        self._gates: tuple[Gate, ...] = (self._proxies, self._servers)
        self._known: dict[Account, Credentials] = {}
        self._nonces = False  # whether anything was entered whose nonce the server may renew
        self._ahead.forget()

    def _begin(self) -> None:
        """Nothing is under way, and nothing has failed."""
        self._stop_on_error = not self._may_go_on
        self._attempts: dict[tuple[Origin, int], Attempt] = {}
        self._held: list[Response] = []  # challenges that wait: another request tries who it is
        self._ready: list[Response] = []  # what the user is to be told next
        self._left: list[Send] = []  # what goes out with whatever it sends then
        self._open: dict[Response, str] = {}  # which end a handshake without a verdict, and where
        self._verdicts.end_all()

    def _see_to(self, response: Response) -> None:
        """See to a response, and to those that may have waited for it."""
        now = response.finished
        self._see_to_one(response, now)
        if self._held and self._held[-1] is not response:
            waiting, self._held = self._held, []
            for one in waiting:
                self._see_to_one(one, now)

    def _see_to_one(self, response: Response, now: float) -> None:
        slot = (response.send.step.origin, response.send.slot)
        attempt = self._attempts.pop(slot, None)
        if not self._answer(response, attempt, now):
            self._ready.append(response)
        if attempt is not None and slot not in self._attempts:
            for login in attempt.logins.values():
                self._verdicts.end(login.trial)

    def _answer(self, response: Response, attempt: Attempt | None, now: float) -> bool:
        """Send the request again, or have it wait, instead of taking the response; else False."""
        send = response.send
        step, status = send.step, response.status
        if response.failure is not None:
            if response.failure.cause == "auth":  # in the transport, at a proxy
                self._stop_on_error = True
            return False
        if attempt is not None:
            self._conclude(response, attempt)
        if self._nonces and b"nextnonce" in response.head:
            self._renew(response)
        if status == 407:
            gate: Gate = self._proxies
        elif status == 401:
            gate = self._servers
        else:
            return False
        challenges = parse_challenges(response.header_values(gate.asks))
        login = None if attempt is None else attempt.logins.get(gate)
        try:
            if login is None:
                login = self._enter(gate, response, challenges)
                if login is None:
                    return False
                if not self._verdicts.begin(login.trial):
                    self._held.append(response)
                    return True
            value = login.handshake.next(challenges)
        except AuthenticationError as error:
            if login is not None:
                self._verdicts.end(login.trial)
            self._fail(response, gate.told(step, str(error)))
            return False
        if value is None or b"\r\n" + header_line(gate.answers, value) in send.data:
            self._reject(response, login)
            return False
        if login.handshake.connection_bound and self._plan.case.app:
            self._verdicts.end(login.trial)
            self._fail(response, f"{scheme_name(login.handshake.scheme)} {_IN_PROCESS}")
            return False
        if attempt is None:
            attempt = Attempt(plain(send, self._gates))
        login.value = value
        attempt.logins[gate] = login
        self._attempts[step.origin, send.slot] = attempt
        self._observer.negotiation(step, response)
        self._take_cookies(response, attempt)
        lines = self._lines(step, attempt)
        self._left.append(sent_again(send, attempt.plain, lines, login.handshake, now))
        return True

    def _enter(
        self, gate: Gate, response: Response, challenges: Sequence[Challenge]
    ) -> Login | None:
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
            facts, credentials = gate.facts(step, response.request), self._credentials(account)
            handshake = start(fitting, credentials, facts, method)
            assert handshake is not None, "all of these are supported"
            trial = Trial(account, credentials, gate.place(step), handshake.realm)
            if refused := self._verdicts.refusal(trial):
                self._fail(response, self._refusal(gate, step, account, refused))
                return None
            return Login(gate, handshake, trial)
        if why := gate.unanswered(step, challenges):
            self._fail(response, why)
        return None

    def _lines(self, step: Step, attempt: Attempt) -> bytes:
        """The lines of all gates: of those that ask, and of those that it was let in by before."""
        lines = b""
        for gate in self._gates:
            login = attempt.logins.get(gate)
            if login is not None:
                lines += header_line(gate.answers, login.value)
                continue
            session = gate.session(step, attempt.plain, self._credentials)
            if session is not None:
                lines += self._ahead.line(gate, session, step, attempt.plain)
        return lines

    def _conclude(self, response: Response, attempt: Attempt) -> None:
        """Part with those who are not asked any more: a server that answers is behind the proxy."""
        status = response.status
        for gate, login in list(attempt.logins.items()):
            if status == gate.status or (gate is self._servers and status == 407):
                continue
            del attempt.logins[gate]
            if login.is_let_in(response):
                self._accept(response.send.step, login)
            else:
                self._leave_open(response, attempt, login)

    def _accept(self, step: Step, login: Login) -> None:
        self._verdicts.accept(login.trial)
        session = login.handshake.session
        if session is None:
            self._connected_as[login.trial.account] = login.trial.credentials
            return
        login.gate.enter(step, session)
        if isinstance(session, BasicSession):
            self._ahead.turn(step.origin, session.realm, session.prefixes, login.value)
        else:
            self._ahead.turn()
            self._nonces = True

    def _leave_open(self, response: Response, attempt: Attempt, login: Login) -> None:
        """The answer is that of the transaction, and no verdict: who is asked next begins anew."""
        handshake, trial = login.handshake, login.trial
        self._verdicts.end(trial)
        if handshake.connection_bound and handshake.wants_body:
            self._connected_as[trial.account] = trial.credentials  # perhaps
        self._open[response] = login.where
        send, status = response.send, response.status
        if attempt.lacks_body(send) and status in send.step.accepted:
            response.failure = Failure("auth", f"{status} {login.where}{_BARE}")

    def _outcome(self, step: Step, response: Response) -> tuple[Failure, ...]:
        failures = super()._outcome(step, response)
        where = self._open.pop(response, "") if self._open else ""
        if not where:
            return failures
        return tuple(
            replace(one, message=f"{one.message}, {where}") if one.cause == "status" else one
            for one in failures
        )

    def _reject(self, response: Response, login: Login) -> None:
        """It is known who asks, and refused: nobody asks again, nor goes on."""
        step, handshake = response.send.step, login.handshake
        gate, account = login.gate, login.trial.account
        how = login.how(step)
        if handshake.connection_bound:
            self._connected_as[account] = None  # nobody can log in on it any more
        self._verdicts.refuse(login.trial, how)
        gate.leave(step, gate.facts(step, response.request), handshake.realm)
        self._ahead.turn()
        self._fail(response, self._refusal(gate, step, account, how))

    def _refusal(self, gate: Gate, step: Step, account: Account, how: str) -> str:
        """That these credentials are wrong."""
        name = self.name_of(account)
        return gate.told(step, f"wrong user name or password: {gate.name} refuses {name}{how}")

    def _renew(self, response: Response) -> None:
        """A server may give out the nonce that it wants next (RFC 7616 §3.5)."""
        step, data = response.send.step, response.request
        for gate in self._gates:
            session = gate.session(step, data, self._credentials)
            if session is not None:
                session.renew(response.header_values(gate.tells))

    def _take_cookies(self, response: Response, attempt: Attempt) -> None:
        """A challenge may set cookies: they go with the next request already."""
        step = response.send.step
        cookies = response.set_cookies
        for line in cookies:
            self._jar.store(line, step.origin.host, target_of(response.request))
        if cookies:
            attempt.plain = step.render(self._values, self._jar)

    def _fail(self, response: Response, why: str) -> None:
        """The response is refused, and the iteration ends, unless it is what the case wants."""
        if response.status not in response.send.step.accepted:
            response.failure = Failure("auth", why)
            self._stop_on_error = True

    def _credentials(self, account: Account) -> Credentials:
        known = self._known.get(account)
        if known is None:
            known = self._known[account] = account.credentials(self._values)
        return known
