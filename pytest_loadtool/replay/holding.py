"""A replay that can be held: around the commands of a virtual user, which do not know of it.

A load test has none of this, and pays nothing for it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from math import inf
from typing import Any

from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.control import Control, ReplayMoment, changed
from pytest_loadtool.replay.user.exchange import Response, Send, Step
from pytest_loadtool.replay.user.plan import (
    Await,
    Command,
    Observer,
    Over,
    PagePlan,
    Plan,
    Wait,
)
from pytest_loadtool.replay.user.user import VirtualUser

#: So many connections in a row that nobody accepts end the replay.
_MOST_REFUSALS = 3
_REFUSED = frozenset({"connect", "dns"})


class Stretches:
    """The commands of one iteration, in stretches: each ends with `Over` where there is something
    to wait for, a think time or a person.

    It observes the virtual user, and tells ``observer`` what it hears. A page of which nothing came
    is not thought about. ``clock`` gives the time of `Wait` and `ReplayMoment`.
    """

    def __init__(
        self, plan: Plan, observer: Observer, control: Control, clock: Callable[[], float]
    ) -> None:
        self.over = False
        """Whether there is no stretch any more."""
        self._observer = observer
        self._control = control
        self._wanted = control.wanted
        self._clock = clock
        self._pages = {step.index: page for page in plan.pages for step in page.steps}
        renewals = plan.renewals.by_slot.values() if plan.renewals is not None else ()
        self._renewing = {one.step.index for one in renewals}
        self._names = {slot: name for name, slot in plan.slots.items()}
        self._moment = ReplayMoment()
        self._pending: list[Send] = []
        self._under_way = 0
        self._begun: set[int] = set()
        self._finished: set[int] = set()
        self._set_by: dict[str, Step] = {}
        self._until: float | None = None
        self._answered = False
        """Whether a response has come since the last think time."""
        self._refused = 0

    def act(self, user: VirtualUser, commands: Generator[Command, Response | None, None]) -> None:
        """Take the ``commands`` of an iteration of ``user``, which has not begun yet."""
        self._user = user
        self._commands = commands

    # What the virtual user tells.

    def negotiation(self, step: Step, response: Response) -> None:
        """A request is sent again."""
        self._observer.negotiation(step, response)

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        """A transaction has finished, and the variables that it sets have their values."""
        self._finished.add(step.index)
        if response.failure is None:
            found = (take.slot for take in step.takes if take.missing not in failures)
            self._set_by |= {self._names[slot]: step for slot in found if slot in self._names}
        self._observer.transaction(step, response, failures)
        done, failed = self._moment.done + 1, self._moment.failed + bool(failures)
        self._tell(done=done, failed=failed, page=self._pages[step.index])

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None:
        """A page has finished."""
        self._observer.page(page, started, finished, failed)

    def iteration(self, started: float, finished: float, failed: bool) -> None:
        """The test case has finished."""
        self._observer.iteration(started, finished, failed)

    # What the driver asks.

    def stretch(self) -> Generator[Command, Response | None, None]:
        """Yield the commands up to where there is something to wait for, or to the end."""
        command: Command = () if self._pending else self._commands.send(None)
        while not self.over:
            if isinstance(command, Over):
                self._end()
                continue
            waits = isinstance(command, Wait)
            if isinstance(command, Wait):
                at_once = command.leave or isinstance(command, Await)
                if not (self._under_way or self._pending or at_once):
                    if self._pauses_for(command):
                        break
                    command = self._commands.send(None)
                    continue
            else:
                self._pending += command
            going = self._let_go()
            if not (waits or going or self._under_way):
                self._hold()
                break
            response = yield command if waits and not going else tuple(going)
            if response is not None:
                self._receive(response)
            command = self._commands.send(response)
            if self._refused >= _MOST_REFUSALS:
                self._end(f"{_MOST_REFUSALS} connections in a row failed")
        yield Over(False)

    def wait(self, now: float) -> float:
        """Return for how many seconds there is nothing to do: 0 where the next stretch can begin,
        infinity where somebody holds it. Something that is wanted may end that."""
        self.hear()
        wanted, frozen = self._wanted, self._moment.frozen
        if self.over:
            return 0.0
        if self._until is None:
            return inf if wanted.paused and not wanted.one else 0.0
        if wanted.skip or (frozen is None and now >= self._until):
            wanted.skip, self._until = False, None
            self._tell(state="running", why="", thinking=0.0, frozen=None)
            return 0.0
        if wanted.paused:
            if frozen is None:
                self._tell(state="held", why=wanted.why, frozen=self._until - now)
            return inf
        if frozen is not None:
            self._until = now + frozen
            self._tell(state="thinking", why="", until=self._until, frozen=None)
        return self._until - now

    def hear(self) -> None:
        """Take in what is wanted; `over` says whether that is the end."""
        wanted = self._control.hear()
        if wanted.edited is not None:
            index, request = wanted.edited
            wanted.edited = None
            if wanted.held and self._pending[0].step.index == index:
                self._pending[0].data = request
                self._tell(request=request)
        if wanted.stopped and not self.over:
            self._end("stopped")

    # What becomes of it.

    def _pauses_for(self, wait: Wait) -> bool:
        """Return whether a stretch ends here, with nothing under way: think, or end after the
        last."""
        self.hear()
        if self._wanted.to in self._finished and not self.over:
            self._end()
        if self.over:
            return True
        answered, self._answered = self._answered, False
        now = self._clock()
        if not answered or wait.until <= now:
            return False
        self._until = wait.until
        stepping = self._wanted.paused and self._wanted.why == "step"
        self._wanted.skip = self._wanted.one or stepping  # who steps does not think
        self._tell(state="thinking", thinking=wait.until - now, until=wait.until)
        return True

    def _let_go(self) -> list[Send]:
        """Take from what is pending what may go out now."""
        self.hear()
        going: list[Send] = []
        while self._pending and self._may_go(self._pending[0]):
            send = self._pending.pop(0)
            if send.step.index not in self._begun:
                self._begun.add(send.step.index)
                changed(self._wanted, one=False, held=False, released=False)
                send.due = self._clock()  # whatever was skipped or held before it
            going.append(send)
        self._under_way += len(going)
        if going:
            page = self._pages[going[0].step.index]
            self._tell(state="running", why="", page=page, next=None, request=b"")
        return going

    def _may_go(self, send: Send) -> bool:
        """Return whether a request may go out; one that is sent again may always."""
        wanted, index = self._wanted, send.step.index
        if index in self._begun:
            return True
        if self.over or self._is_beyond(send):
            return False
        if index in wanted.breakpoints and not wanted.released:
            changed(wanted, paused=True, one=False, why="breakpoint")
        return not wanted.paused or (wanted.one and not self._under_way)

    def _is_beyond(self, send: Send) -> bool:
        """Return whether it comes after the transaction that is to be the last."""
        index, last = send.step.index, self._wanted.to
        return last is not None and index > last and index not in self._renewing

    def _hold(self) -> None:
        """Hold the replay: nothing is under way, and what is pending may not go."""
        if self.over:
            return
        if all(map(self._is_beyond, self._pending)):
            self._end()
            return
        first = self._pending[0]
        self._wanted.held = True
        self._tell(
            state="held",
            why=self._wanted.why,
            next=first.step,
            request=first.data,
            page=self._pages[first.step.index],
        )

    def _receive(self, response: Response) -> None:
        self._under_way -= 1
        if response.status:
            self._answered, self._refused = True, 0
        elif response.failure is not None and response.failure.cause in _REFUSED:
            self._refused += 1

    def _end(self, why: str = "") -> None:
        self.over = True
        self._tell(state="over", why=why, next=None, request=b"", thinking=0.0, frozen=None)

    def _tell(self, **changes: Any) -> None:
        changes |= {"values": self._user.values, "set_by": dict(self._set_by)}
        self._moment = replace(self._moment, **changes)
        self._control.tell(self._moment)
