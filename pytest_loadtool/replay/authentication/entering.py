"""A virtual user that knows where it was let in, and as whom; what is said to it is `answering`."""

from __future__ import annotations

from dataclasses import replace

from pytest_loadtool.auth.basic import BasicSession
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.authentication.attempt import Attempt, Login
from pytest_loadtool.replay.authentication.gates import Gate, Proxies, Servers
from pytest_loadtool.replay.authentication.preemptive import Ahead
from pytest_loadtool.replay.authentication.renewal import RenewingUser
from pytest_loadtool.replay.user.exchange import Response
from pytest_loadtool.replay.user.plan import Account, Observer, Plan, Step
from pytest_loadtool.replay.user.user import Claim

_BARE = (
    "; the request went without its body, which the server has not seen: does something before it "
    "answer in its place?"
)


class EnteringUser(RenewingUser):
    """A `RenewingUser` that is let in, refused, or left without a verdict.

    What it knows of realms and proxies lasts as long as its cookies do; what was negotiated for a
    connection, as long as that. Which credentials were refused all users know, for the run.
    """

    __slots__ = (
        "_ahead", "_at_proxies", "_connected_as", "_gates", "_known", "_may_go_on", "_nonces",
        "_open", "_proxies", "_servers", "_verdicts",
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
        self._verdicts = plan.verdicts
        self._ahead = Ahead(plan)
        self._forget()

    def _forget(self) -> None:
        """Nothing was entered so far."""
        self._servers = Servers(self._plan, self._verdicts)
        self._proxies = Proxies(self._plan)
        self._gates: tuple[Gate, ...] = (self._proxies, self._servers)
        self._known: dict[Account, Credentials] = {}
        self._nonces = False  # whether anything was entered whose nonce the server may renew
        self._ahead.forget()

    def _begin(self) -> None:
        """Nothing has failed."""
        self._stop_on_error = not self._may_go_on
        self._open: dict[Response, str] = {}  # which end a handshake without a verdict, and where

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
        for gate in self._gates:
            told = response.header_values(gate.tells)
            if not told or "nextnonce" not in ",".join(told):
                continue
            session = gate.session(response.send.step, response.request, self._credentials)
            if session is not None:
                session.renew(told)

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
