"""What goes ahead of a challenge with each request of a virtual user: kept where it is the same.

A user that begins anew, and is let in as before, need not work it out anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_loadtool.auth.basic import BasicSession
from pytest_loadtool.auth.handshake import HandshakeState
from pytest_loadtool.replay.authentication.auth_targets import AuthTarget, Find
from pytest_loadtool.replay.authentication.credentials import head_end, header_line
from pytest_loadtool.replay.user.exchange import Step
from pytest_loadtool.replay.user.plan import Plan

#: For how many ways of being let in this is kept. A user takes one at a time.
_MOST_COURSES: Final = 4


class Preemptive:
    """The heads of one virtual user's requests that go ahead of a challenge.

    ``ends`` has for each step the end of its head, empty where nothing goes ahead; None where
    `end_for` has to work it out.
    """

    __slots__ = ("_basic", "_course", "_courses", "_plan", "ends")

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._courses: dict[tuple[object, ...], list[bytes | None]] = {}
        self.forget()

    def forget(self) -> None:
        """Forget all that was entered, so that nothing goes ahead unless an identity says so."""
        first = None if self._plan.ahead else b""
        self.ends: list[bytes | None] = [first] * len(self._plan.accounts)
        self._basic: dict[HandshakeState, bytes] = {}
        self._course: tuple[object, ...] | None = None if self._plan.ahead else ()

    def turn(self, *event: object) -> None:
        """Note that it has changed, by this event; by none that comes again, if it is empty."""
        self.ends = [None] * len(self._plan.accounts)
        if self._course is None or not event:
            self._course = None
            return
        self._course += event
        if len(self._courses) == _MOST_COURSES:
            self._courses.clear()
        self.ends = self._courses.setdefault(self._course, self.ends)

    def end_for(self, targets: Sequence[AuthTarget], step: Step, data: bytes, find: Find) -> bytes:
        """Return the end of the head of a request, before any challenge."""
        lines, stays = b"", self._plan.facts[step.index] is not None
        for target in targets:
            session = target.session(step, data, find)
            if session is not None:
                lines += self.line(target, session, step, data)
                stays = stays and session in self._basic
        end = head_end(lines) if lines else b""
        if stays:
            self.ends[step.index] = end
        return end

    def line(self, target: AuthTarget, session: HandshakeState, step: Step, data: bytes) -> bytes:
        """Return the line of one target: with Basic always the same."""
        line = self._basic.get(session)
        if line is None:
            line = header_line(target.answers, session.header(target.facts(step, data)))
            if isinstance(session, BasicSession):
                self._basic[session] = line
        return line
