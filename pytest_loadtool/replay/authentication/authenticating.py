"""Authentication around the transactions of a virtual user.

A request that is answered by 401, or by a proxy's 407, is sent again with credentials, on the same
connection slot, until they are accepted or refused. Where the user was let in before, credentials
go ahead. Once they are refused the iteration ends.
"""

from __future__ import annotations

from collections.abc import Generator

from pytest_loadtool.auth.basic import BasicSession
from pytest_loadtool.auth.challenge import parse_challenges, scheme_name
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.errors import AuthenticationError
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.authentication.attempt import Attempt, LoginTrial, plain, sent_again
from pytest_loadtool.replay.authentication.auth_targets import AuthTarget, Proxies, ServerTargets
from pytest_loadtool.replay.authentication.credentials import with_lines
from pytest_loadtool.replay.authentication.policy import KNOWN, REFUSED, SAY, WAIT, log_in, wrong
from pytest_loadtool.replay.authentication.preemptive import Preemptive
from pytest_loadtool.replay.user.credential_cache import POLL_INTERVAL
from pytest_loadtool.replay.user.exchange import Response, Send, Step, target_of
from pytest_loadtool.replay.user.failures import internal_failure
from pytest_loadtool.replay.user.origin import Account, Origin
from pytest_loadtool.replay.user.plan import Command, Over, Visit, Wait
from pytest_loadtool.replay.user.user import Actor, VirtualUser

_BARE = (
    "; the request went without its body, which the server has not seen: does something before it "
    "answer in its place?"
)
_IN_PROCESS = (
    "authenticates a connection, which an application in this process does not have: name a "
    "server in place of the app"
)


class Authenticating(Actor):
    """Acts out the iterations of ``actor``, which is ``user`` or around it, and says who it is.

    What it knows of realms and proxies lasts as long as its cookies do; what was negotiated for a
    connection, as long as that. Which credentials were refused all users know, for the run. The
    observer is told of requests that are sent again by `negotiation`, and of the last by
    `transaction`.
    """

    __slots__ = (
        "_actor",
        "_at_proxies",
        "_attempts",
        "_cache",
        "_connected_as",
        "_held",
        "_known",
        "_left",
        "_nonces",
        "_plan",
        "_preemptive",
        "_proxies",
        "_ready",
        "_servers",
        "_stops",
        "_targets",
        "_user",
    )  # fmt: skip

    def __init__(self, user: VirtualUser, actor: Actor) -> None:
        self._user = user
        self._actor = actor
        self._plan = user.plan
        self._stops = user.stop_on_error
        self._connected_as: dict[Account, Credentials | None] = {}
        self._at_proxies: list[Credentials] = []
        self._cache = user.plan.credential_cache
        self._preemptive = Preemptive(user.plan)
        self._forget()

    def act(
        self, visit: Visit, number: int, start: float
    ) -> Generator[Command, Response | None, None]:
        """Act as the actor does; a `Send` may be followed by others for the same step."""
        if visit.fresh:
            self._forget()
        self._begin()
        commands = self._actor.act(visit, number, start)
        preemptive = self._preemptive
        event: Response | None = None
        begun = negotiates = False
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
                lines = preemptive.ends[send.step.index]
                if lines is None:
                    lines = preemptive.end_for(
                        self._targets, send.step, send.data, self._credentials
                    )
                if lines:
                    send.data = with_lines(send.data, lines)
            if negotiates:
                self._left += command
            else:
                event = yield command
                if event is None:
                    continue
                if event.status not in (401, 407, 0) and not self._attempts:
                    if self._nonces:
                        self._renew(event)
                    continue
                self._see_to(event)
            event = yield from self._next_taken()
            negotiates = bool(self._left or self._ready or self._held)

    def _forget(self) -> None:
        """Forget all that was entered so far."""
        self._servers = ServerTargets(self._plan, self._cache)
        self._proxies = Proxies(self._plan)
        self._targets: tuple[AuthTarget, ...] = (self._proxies, self._servers)
        self._known: dict[Account, Credentials] = {}
        self._nonces = False  # whether anything was entered whose nonce the server may renew
        self._preemptive.forget()

    def _begin(self) -> None:
        """Begin: nothing is under way, and nothing has failed."""
        self._user.stop_on_error = self._stops
        self._attempts: dict[tuple[Origin, int], Attempt] = {}
        # Who wait: others try the same credentials.
        self._held: list[tuple[Response, LoginTrial]] = []
        self._ready: list[Response] = []  # what the user is to be told next
        self._left: list[Send] = []  # what goes out with whatever it sends then

    def _is_somebody_else(self) -> bool:
        """Return whether it has authenticated connections with credentials that are no longer its
        own."""
        before, last, values = self._connected_as, self._at_proxies, self._user.state
        changed = any(self._credentials(one) != known for one, known in before.items())
        if changed:
            self._connected_as = {}
        self._at_proxies = [find(values) for find in self._plan.at_proxies]
        return changed or bool(last and last != self._at_proxies)

    def _credentials(self, account: Account) -> Credentials:
        known = self._known.get(account)
        if known is None:
            known = self._known[account] = account.credentials(self._user.state)
        return known

    # What comes back.

    def _next_taken(self) -> Generator[Command, Response | None, Response]:
        """Act up to the next response that is to be taken, and return that.

        What is held may wait for other users, of whom nobody tells: it looks again after a while,
        and later the longer that takes.
        """
        now = 0.0
        while not self._ready:
            sends, self._left = self._left, []
            if sends or not self._held:
                response = yield tuple(sends)
            else:
                since = self._held[0][0].finished
                now = max(now, since)
                now += max(POLL_INTERVAL, (now - since) / 4)
                response = yield Wait(now)
            if response is None:
                self._reread(now)
            else:
                now = response.finished
                self._see_to(response)
        return self._ready.pop(0)

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
            for entry in attempt.entries.values():
                entry.login.leave()
        if self._held:
            self._reread(now)

    def _reread(self, now: float) -> None:
        """See to those that have waited, and may have to go on with that."""
        waiting, self._held = self._held, []
        for response, entry in waiting:
            if not self._speak(response, None, entry, now):
                self._ready.append(response)

    def _answer(self, response: Response, attempt: Attempt | None, now: float) -> bool:
        """Send the request again, or have it wait, instead of taking the response; return whether
        that is so."""
        status = response.status
        if response.failure is not None:
            if response.failure.cause == "auth":  # in the transport, at a proxy
                self._user.stop_on_error = True
            return False
        if attempt is not None:
            self._conclude(response, attempt)
        if self._nonces:
            self._renew(response)
        if status == 407:
            target: AuthTarget = self._proxies
        elif status == 401:
            target = self._servers
        else:
            return False
        entry = None if attempt is None else attempt.entries.get(target)
        challenges = parse_challenges(response.header_values(target.asks))
        if entry is not None:
            entry.challenges = challenges
            return self._speak(response, attempt, entry, now)
        step = response.send.step
        try:
            login = log_in(
                target.answers,
                challenges,
                target.accounts(step),
                self._asked_anew,
                lambda: target.facts(step, response.request),
                target.method(step),
                target.place(step),
                self._cache,
            )
        except AuthenticationError as error:
            self._fail(response, target.told(step, str(error)))
            return False
        if login is None:
            if why := target.unanswered(step, challenges):
                self._fail(response, why)
            return False
        return self._speak(response, attempt, LoginTrial(target, login, challenges), now)

    def _asked_anew(self, account: Account) -> Credentials:
        """Return the credentials as the values are now."""
        known = self._known[account] = account.credentials(self._user.state)
        return known

    def _speak(
        self, response: Response, attempt: Attempt | None, entry: LoginTrial, now: float
    ) -> bool:
        """Say what comes next, unless that has to wait for others; return False if there is
        nothing."""
        send, target, login = response.send, entry.target, entry.login
        step, handshake = send.step, login.handshake
        what = login.answer(entry.challenges, send.data, now)
        if what == WAIT:
            self._held.append((response, entry))
            return True
        if what == SAY and handshake.connection_bound and self._plan.case.app:
            login.leave()
            login.why = f"{scheme_name(handshake.scheme)} {_IN_PROCESS}"
        elif what == SAY:
            if attempt is None:
                attempt = Attempt(plain(send, self._targets))
            attempt.entries[target] = entry
            self._attempts[step.origin, send.slot] = attempt
            self._user.observer.negotiation(step, response)
            self._take_cookies(response, attempt)
            lines = self._lines(step, attempt)
            self._left.append(sent_again(send, attempt.plain, lines, handshake, now))
            return True
        elif what == REFUSED:
            login.why = entry.how(step)
            self._reject(response, entry)
        why = login.why
        if what in (REFUSED, KNOWN):
            why = wrong(target.name, self._user.name_of(login.account), why)
        self._fail(response, target.told(step, why))
        return False

    def _lines(self, step: Step, attempt: Attempt) -> bytes:
        """Return the lines of all targets that ask, or have let the user in before."""
        lines = b""
        for target in self._targets:
            entry = attempt.entries.get(target)
            if entry is not None:
                lines += entry.login.line
                continue
            session = target.session(step, attempt.plain, self._credentials)
            if session is not None:
                lines += self._preemptive.line(target, session, step, attempt.plain)
        return lines

    def _take_cookies(self, response: Response, attempt: Attempt) -> None:
        """A challenge may set cookies: they go with the next request already."""
        step, user = response.send.step, self._user
        cookies = response.set_cookies
        for line in cookies:
            user.jar.store(line, step.origin.host, target_of(response.request))
        if cookies:
            attempt.plain = step.render(user.state, user.jar)

    # What came of it.

    def _conclude(self, response: Response, attempt: Attempt) -> None:
        """Part with those who are not asked any more: a server that answers is behind the proxy."""
        status = response.status
        for target, entry in list(attempt.entries.items()):
            if status == target.status or (target is self._servers and status == 407):
                continue
            del attempt.entries[target]
            if entry.is_let_in(response):
                self._accept(response.send.step, entry)
            else:
                self._leave_open(response, attempt, entry)

    def _accept(self, step: Step, entry: LoginTrial) -> None:
        login = entry.login
        login.accept()
        session = login.handshake.session
        if session is None:
            self._connected_as[login.account] = login.trial.credentials
            return
        entry.target.enter(step, session)
        if isinstance(session, BasicSession):
            self._preemptive.turn(step.origin, session.realm, session.prefixes, login.value)
        else:
            self._preemptive.turn()
            self._nonces = True

    def _leave_open(self, response: Response, attempt: Attempt, entry: LoginTrial) -> None:
        """The answer is that of the transaction, and no verdict: who is asked next begins anew."""
        login, handshake = entry.login, entry.login.handshake
        login.leave()
        if handshake.connection_bound and handshake.wants_body:
            self._connected_as[login.account] = login.trial.credentials  # perhaps
        response.remark = f", {entry.where}"
        send, status = response.send, response.status
        if attempt.lacks_body(send) and status in send.step.accepted:
            response.failure = Failure("auth", f"{status} {entry.where}{_BARE}")

    def _reject(self, response: Response, entry: LoginTrial) -> None:
        """Note that it is known who asks, and refused: nobody asks again."""
        step, login, target = response.send.step, entry.login, entry.target
        if login.handshake.connection_bound:
            self._connected_as[login.account] = None  # nobody can log in on it any more
        login.refuse(login.why)
        target.leave(step, target.facts(step, response.request), login.handshake.realm)
        self._preemptive.turn()

    def _fail(self, response: Response, why: str) -> None:
        """The response is refused, and the iteration ends, unless it is what the case wants."""
        if response.status not in response.send.step.accepted:
            response.failure = Failure("auth", why)
            self._user.stop_on_error = True

    def _renew(self, response: Response) -> None:
        """A server may give out the nonce that it wants next (RFC 7616 §3.5)."""
        for target in self._targets:
            told = response.header_values(target.tells)
            if not told or "nextnonce" not in ",".join(told):
                continue
            session = target.session(response.send.step, response.request, self._credentials)
            if session is not None:
                session.renew(told)
