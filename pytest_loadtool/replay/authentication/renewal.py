"""Around a virtual user whose tokens expire: they are renewed as the recording shows.

When a request is answered by 401, or its token's time is over before it goes out, the user sends
the transaction that refreshes the token, and then the request, once. Test cases in which nothing
refreshes a token do without.
"""

from __future__ import annotations

from collections.abc import Generator
from math import inf

from pytest_loadtool.auth.bearer import lifetime_of
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.exchange import Response, Send, Step
from pytest_loadtool.replay.user.plan import Command, Over, Renewal, Renewals, Visit, Wait
from pytest_loadtool.replay.user.user import CONNECTIONS_PER_HOST, Actor, VirtualUser


class _Asking:
    """A refresh under way: of the token in ``slot``, on a connection's slot.

    It is in its own turn, or before that of ``waiting``.
    """

    __slots__ = ("connection", "slot", "step", "waiting")

    def __init__(self, step: Step, connection: int, slot: int, waiting: Step | None) -> None:
        self.step = step
        self.connection = connection
        self.slot = slot
        self.waiting = waiting

    def is_asked_by(self, send: Send) -> bool:
        """Return whether this is its request."""
        return send.step is self.step and send.slot == self.connection


class _Tokens:
    """The tokens of a user, by their slots, and which requests wait for a new one."""

    __slots__ = (
        "asking", "deadlines", "given_up", "held", "played", "ready", "refused", "renewed_at",
        "repeated",
    )  # fmt: skip

    def __init__(self) -> None:
        self.deadlines: dict[int, float] = {}
        """When each is too old, on the clock of ``perf_counter``."""
        self.renewed_at: dict[int, float] = {}
        self.given_up: dict[int, Failure | None] = {}
        """Those that are not renewed any more, and why; None: others say that already."""
        self.played: set[int] = set()
        """Steps that have refreshed a token in their own turn, since it was given out."""
        self.asking: _Asking | None = None
        self.refused: list[Response] = []
        self.held: list[Send] = []
        """Requests that wait for what is asked: answered by 401, and not sent yet."""
        self.repeated: set[tuple[int, int]] = set()
        """Requests under way for the second time: indexes of steps, and slots of connections."""
        self.ready: list[Response] = []
        """What the user is to be told next."""


class Renewing(Actor):
    """Acts out the iterations of ``actor``, which is ``user`` or around it, and renews its tokens.

    The observer is told of refused requests and of renewals by `negotiation`.
    """

    __slots__ = ("_actor", "_renewals", "_tokens", "_user")

    def __init__(self, user: VirtualUser, actor: Actor, renewals: Renewals) -> None:
        self._user = user
        self._actor = actor
        self._renewals = renewals
        self._tokens = _Tokens()

    def act(
        self, visit: Visit, number: int, start: float
    ) -> Generator[Command, Response | None, None]:
        """Act as the user does, but for requests that wait for a new token."""
        if visit.fresh:
            self._tokens = _Tokens()
        tokens, commands = self._tokens, self._actor.act(visit, number, start)
        event: Response | None = None
        sends: list[Send] = []
        while True:
            command = commands.send(event)
            if event is not None:
                sends += self._note(event)
            if isinstance(command, Wait):
                event = yield command
                continue
            if isinstance(command, Over):
                yield command
                return
            for send in command:
                sends += self._admit(send)
            while not tokens.ready:
                response = yield tuple(sends)
                assert response is not None
                sends = self._receive(response)
            event = tokens.ready.pop(0)

    # What the user does in its turn.

    def _admit(self, send: Send) -> list[Send]:
        """Return what to send when the user wants to send this: it, or what it has to wait for."""
        tokens = self._tokens
        step, asking = send.step, tokens.asking
        slot = self._renewals.used.get(step.index, -1)
        renewable = slot >= 0 and slot not in tokens.given_up
        expired = renewable and send.due >= tokens.deadlines.get(slot, inf)
        own = self._renewals.turns.get(step.index, -1)
        if asking is None:
            if expired:
                tokens.held.append(send)
                return [self._ask(slot, send, send.due)]
            if own >= 0:
                tokens.asking = _Asking(step, send.slot, own, None)
        elif expired or own >= 0 or (renewable and asking.waiting is not None):
            tokens.held.append(send)
            return []
        return [send]

    def _note(self, response: Response) -> list[Send]:
        """Note a response that the user has taken, which may have given out a token, and return
        what to send now."""
        tokens = self._tokens
        step = response.send.step
        slots = self._renewals.issued.get(step.index)
        if slots is None:
            return []
        passed = response.failure is None and response.status in step.accepted
        if passed:
            self._set_deadlines(slots, response)
            for slot in slots:
                tokens.played.discard(self._renewals.by_slot[slot].step.index)
            if step.index in self._renewals.turns:
                tokens.played.add(step.index)
        asking = tokens.asking
        if asking is None or not asking.is_asked_by(response.send):
            return []
        tokens.asking = None
        if not tokens.refused and not tokens.held:
            return []
        if passed:
            self._succeed(self._renewals.by_slot[asking.slot])
        else:
            tokens.given_up.setdefault(asking.slot, None)
        return self._go_on(asking.slot, response.finished)

    def _set_deadlines(self, slots: tuple[int, ...], response: Response) -> None:
        try:
            answer = response.json()
        except ValueError:
            answer = None
        for slot in slots:
            lives = lifetime_of(self._user.state[slot], answer, response.header("date") or "")
            self._tokens.deadlines[slot] = inf if lives is None else response.finished + lives

    # What comes back.

    def _receive(self, response: Response) -> list[Send]:
        """Return what to send next; the user is ready to be told unless something is done about
        it."""
        tokens = self._tokens
        send, asking = response.send, tokens.asking
        if asking is not None and asking.is_asked_by(send) and asking.waiting is not None:
            return self._settle_renewal(asking, asking.waiting, response)
        request = (send.step.index, send.slot)
        again = request in tokens.repeated
        tokens.repeated.discard(request)
        slot = self._renewals.used.get(send.step.index, -1)
        if response.status != 401 or response.failure is not None or slot < 0:
            tokens.ready.append(response)
            return []
        if again:  # it is not the age of the token
            tokens.given_up.setdefault(slot, None)
        if slot in tokens.given_up:
            response.failure = tokens.given_up[slot]
            tokens.ready.append(response)
            return []
        if asking is None and response.sent < tokens.renewed_at.get(slot, -inf):
            return [self._repeat(response, response.finished)]
        tokens.refused.append(response)
        return [] if asking is not None else [self._ask(slot, send, response.finished)]

    # Renewal.

    def _ask(self, slot: int, waiting: Send, due: float) -> Send:
        """Return the request for a new token, on the connection of the one that waits if that will
        do."""
        renewal = self._renewals.by_slot[slot]
        step = renewal.step
        if step.index in self._tokens.played:
            self._succeed(renewal)
        same = step.origin is waiting.step.origin
        connection = waiting.slot if same else CONNECTIONS_PER_HOST
        self._tokens.asking = _Asking(step, connection, slot, waiting.step)
        return Send(step, connection, step.render(self._user.state, self._user.jar), due)

    def _succeed(self, renewal: Renewal) -> None:
        """Put what was given out in the place of what the request was given."""
        for new, old in renewal.copies:
            self._user.state[old] = self._user.state[new]
            self._tokens.deadlines[old] = self._tokens.deadlines.get(new, inf)

    def _settle_renewal(self, asking: _Asking, waiting: Step, response: Response) -> list[Send]:
        """Note that a new token has come, or not, and return what to send now."""
        step, renewal = asking.step, self._renewals.by_slot[asking.slot]
        failures = self._user.outcome(step, response)
        self._user.observer.negotiation(waiting, response)
        if failures:
            self._tokens.given_up[asking.slot] = Failure(
                "auth",
                f"the token ${{{renewal.name}}} has expired, and {step.title}, which should "
                f"refresh it, failed: {failures[0].message}",
            )
        else:
            self._set_deadlines(self._renewals.issued[step.index], response)
            self._succeed(renewal)
        return self._go_on(asking.slot, response.finished)

    def _go_on(self, slot: int, now: float) -> list[Send]:
        """Return what has waited and now goes its way, with a new token or without: nothing is
        asked any more."""
        tokens = self._tokens
        tokens.asking = None
        renewed = -1 if slot in tokens.given_up else slot
        if renewed >= 0:
            tokens.renewed_at[slot] = now
        refused, tokens.refused = tokens.refused, []
        held, tokens.held = tokens.held, []
        sends: list[Send] = []
        for one in refused:
            if self._renewals.used[one.send.step.index] == renewed:
                sends.append(self._repeat(one, now))
            else:
                sends += self._receive(one)
        for send in held:
            data = send.step.render(self._user.state, self._user.jar)
            fresh = Send(send.step, send.slot, data, max(send.due, now))
            if self._renewals.used.get(send.step.index, -2) == renewed:
                sends.append(fresh)
            else:
                sends += self._admit(fresh)
        return sends

    def _repeat(self, response: Response, due: float) -> Send:
        """Return the request once more, with the new token."""
        send = response.send
        self._user.observer.negotiation(send.step, response)
        self._tokens.repeated.add((send.step.index, send.slot))
        return Send(send.step, send.slot, send.step.render(self._user.state, self._user.jar), due)
