"""A virtual user that knows what to answer when it is asked who it is, by 401 or a proxy's 407.

What comes of the answer is `entering`.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_loadtool.auth.challenge import Challenge, parse_challenges, scheme_name
from pytest_loadtool.auth.schemes import start, supported
from pytest_loadtool.errors import AuthenticationError
from pytest_loadtool.replay.authentication.attempt import Attempt, Login, plain, sent_again
from pytest_loadtool.replay.authentication.credential_cache import Trial
from pytest_loadtool.replay.authentication.credentials import header_line
from pytest_loadtool.replay.authentication.entering import EnteringUser
from pytest_loadtool.replay.authentication.gates import Gate
from pytest_loadtool.replay.user.exchange import Response, Send
from pytest_loadtool.replay.user.internal import internal_failure
from pytest_loadtool.replay.user.plan import Origin, Step
from pytest_loadtool.replay.user.user import target_of

_IN_PROCESS = (
    "authenticates a connection, which an application in this process does not have: name a "
    "server in place of the app"
)


class AnsweringUser(EnteringUser):
    """An `EnteringUser` that answers challenges: `_see_to` is given what comes back."""

    __slots__ = ("_attempts", "_held", "_left", "_ready")

    def _begin(self) -> None:
        """Nothing is under way, and nothing has failed."""
        super()._begin()
        self._attempts: dict[tuple[Origin, int], Attempt] = {}
        self._held: list[tuple[Response, Login]] = []  # who wait: others try the same credentials
        self._ready: list[Response] = []  # what the user is to be told next
        self._left: list[Send] = []  # what goes out with whatever it sends then

    def _see_to(self, response: Response) -> None:
        """See to a response, and to those that may have waited for it."""
        slot, now = (response.send.step.origin, response.send.slot), response.finished
        attempt = self._attempts.pop(slot, None)
        try:
            taken = self._answer(response, attempt, now)
        except Exception as error:  # whatever a server answers, the user and all others go on
            response.failure = internal_failure(error)
            taken = False
        if not taken:
            self._ready.append(response)
        if attempt is not None and slot not in self._attempts:
            for login in attempt.logins.values():
                self._verdicts.end(login.trial)
        if self._held:
            self._look_again(now)

    def _look_again(self, now: float) -> None:
        """See to those that have waited, and may have to go on with that."""
        waiting, self._held = self._held, []
        for response, login in waiting:
            if not self._speak(response, None, login, now):
                self._ready.append(response)

    def _answer(self, response: Response, attempt: Attempt | None, now: float) -> bool:
        """Send the request again, or have it wait, instead of taking the response; else False."""
        status = response.status
        if response.failure is not None:
            if response.failure.cause == "auth":  # in the transport, at a proxy
                self._stop_on_error = True
            return False
        if attempt is not None:
            self._conclude(response, attempt)
        if self._nonces:
            self._renew(response)
        if status == 407:
            gate: Gate = self._proxies
        elif status == 401:
            gate = self._servers
        else:
            return False
        challenges = parse_challenges(response.header_values(gate.asks))
        login = None if attempt is None else attempt.logins.get(gate)
        if login is None:
            try:
                login = self._enter(gate, response, challenges)
            except AuthenticationError as error:
                self._fail(response, gate.told(response.send.step, str(error)))
            if login is None:
                return False
        login.challenges = challenges
        return self._speak(response, attempt, login, now)

    def _speak(self, response: Response, attempt: Attempt | None, login: Login, now: float) -> bool:
        """The next that ``login`` has to say, unless it has to wait for others; else False."""
        send, gate, verdicts = response.send, login.gate, self._verdicts
        step, handshake = send.step, login.handshake
        if not login.value:
            if refused := verdicts.refusal(login.trial):
                self._fail(response, self._refusal(gate, step, login.trial.account, refused))
                return False
            if not verdicts.begin(login.trial, now):
                self._held.append((response, login))
                return True
        try:
            value = handshake.next(login.challenges)
        except AuthenticationError as error:
            verdicts.end(login.trial)
            self._fail(response, gate.told(step, str(error)))
            return False
        if value is None or b"\r\n" + header_line(gate.answers, value) in send.data:
            self._reject(response, login)
            return False
        if handshake.connection_bound and self._plan.case.app:
            verdicts.end(login.trial)
            self._fail(response, f"{scheme_name(handshake.scheme)} {_IN_PROCESS}")
            return False
        if attempt is None:
            attempt = Attempt(plain(send, self._gates))
        login.value = value
        attempt.logins[gate] = login
        self._attempts[step.origin, send.slot] = attempt
        self._observer.negotiation(step, response)
        self._take_cookies(response, attempt)
        lines = self._lines(step, attempt)
        self._left.append(sent_again(send, attempt.plain, lines, handshake, now))
        return True

    def _enter(
        self, gate: Gate, response: Response, challenges: Sequence[Challenge]
    ) -> Login | None:
        """Who answers, as the values are now, and how; None: nobody.

        Raises:
            AuthenticationError: what is asked for cannot be answered.
        """
        step, method = response.send.step, gate.method(response.send.step)
        offered = supported(challenges, method)
        for account in gate.accounts(step):
            fitting = [one for one in offered if account.realm in ("", one.realm)]
            if not fitting:
                continue
            credentials = self._known[account] = account.credentials(self._values)
            handshake = start(fitting, credentials, gate.facts(step, response.request), method)
            assert handshake is not None, "all of these are supported"
            place = gate.place(step)
            trial = Trial(account, credentials, place, handshake.scheme, handshake.realm)
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

    def _take_cookies(self, response: Response, attempt: Attempt) -> None:
        """A challenge may set cookies: they go with the next request already."""
        step = response.send.step
        cookies = response.set_cookies
        for line in cookies:
            self._jar.store(line, step.origin.host, target_of(response.request))
        if cookies:
            attempt.plain = step.render(self._values, self._jar)
