"""A virtual user that answers challenges: it negotiates authentication around its transactions.

A request that is answered by 401, or by a proxy's 407, is sent again with credentials, on the same
connection slot, until they are accepted or refused. Where it was let in before, credentials go
ahead. Test cases without identities and proxies are acted out by a plain `VirtualUser`.
"""

from __future__ import annotations

from collections.abc import Generator

from pytest_loadtool.replay.authentication.answering import AnsweringUser
from pytest_loadtool.replay.authentication.credential_cache import LOOK
from pytest_loadtool.replay.authentication.credentials import with_lines
from pytest_loadtool.replay.authentication.renewal import RenewingUser
from pytest_loadtool.replay.user.exchange import Command, Over, Response, Wait
from pytest_loadtool.replay.user.plan import Plan
from pytest_loadtool.replay.user.user import VirtualUser


def user_for(plan: Plan) -> type[VirtualUser]:
    """The kind of virtual user that the plan needs: what it does not need, costs nothing."""
    if plan.accounts:
        return AuthenticatedUser
    return RenewingUser if plan.renewals else VirtualUser


class AuthenticatedUser(AnsweringUser):
    """A virtual user with identities. Once its credentials are refused its iteration ends."""

    __slots__ = ()

    def _commands(self, number: int, start: float) -> Generator[Command, Response | None, None]:
        """As of a `VirtualUser`; a `Send` may be followed by others for the same step.

        The observer is told of those by `negotiation`, and of the last by `transaction`.
        """
        if not self._keep_state:
            self._forget()
        self._begin()
        commands = self._act(number, start)
        ahead = self._ahead
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
                lines = ahead.ends[send.step.index]
                if lines is None:
                    lines = ahead.end_for(self._gates, send.step, send.data, self._credentials)
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

    def _next_taken(self) -> Generator[Command, Response | None, Response]:
        """The next response that is to be taken.

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
                now += max(LOOK, (now - since) / 4)
                response = yield Wait(now)
            if response is None:
                self._look_again(now)
            else:
                now = response.finished
                self._see_to(response)
        return self._ready.pop(0)

    def _is_somebody_else(self) -> bool:
        """Whether it has authenticated connections with credentials that are no longer its own."""
        before, last = self._connected_as, self._at_proxies
        changed = any(self._credentials(one) != known for one, known in before.items())
        if changed:
            self._connected_as = {}
        self._at_proxies = [find(self._values) for find in self._plan.at_proxies]
        return changed or bool(last and last != self._at_proxies)
