"""A playbook for virtual users: what it must do next, and what it is sent. No sockets."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay import Over, PagePlan, Plan, Response, Send, Step, VirtualUser, Wait
from pytest_loadtool.replay.user.user import Actor


@dataclass
class Diary:
    """An observer that keeps everything."""

    transactions: list[tuple[str, tuple[Failure, ...]]] = field(default_factory=list)
    pages: list[tuple[str, bool]] = field(default_factory=list)
    durations: list[float] = field(default_factory=list)
    """Of the pages."""
    took: list[float] = field(default_factory=list)
    """Of the iterations."""
    iterations: list[bool] = field(default_factory=list)
    negotiated: list[str] = field(default_factory=list)

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        self.transactions.append((step.title, failures))

    def negotiation(self, step: Step, response: Response) -> None:
        self.negotiated.append(step.title)

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None:
        assert started <= finished
        self.pages.append((page.name, failed))
        self.durations.append(finished - started)

    def iteration(self, started: float, finished: float, failed: bool) -> None:
        self.iterations.append(failed)
        self.took.append(finished - started)


def first_row(_use: DatasetUse, _rows: int, _iteration: int) -> int | None:
    return 0


def with_pages(plan: Plan, *pages: PagePlan) -> Plan:
    """A plan whose users do these pages in place of its own, in each iteration."""
    first = replace(plan.visits.first, pages=pages)
    visits = replace(plan.visits, whole=first, first=first, again=first)
    return replace(plan, pages=pages, visits=visits)


class Playbook:
    """Plays the servers' part: `sends` must come, then `answer` any of them."""

    def __init__(
        self,
        plan: Plan,
        user: Actor | None = None,
        diary: Diary | None = None,
        iteration: int = 0,
    ) -> None:
        self.diary = diary or Diary()
        self.user = user or VirtualUser(plan, first_row, self.diary)
        self.clock = 100.0
        self.under_way: dict[str, Send] = {}
        self.ended = False
        known = self.user if isinstance(self.user, VirtualUser) else None
        visit = known.next_visit() if known is not None else plan.visits.first
        self._commands = self.user.act(visit, iteration, self.clock)
        self._next(None)

    def _next(self, event: Response | None) -> None:
        self.new: list[str] = []
        self.wait: float | None = None
        command = self._commands.send(event)
        if isinstance(command, Over):
            self.ended = True
            return
        if isinstance(command, Wait):
            self.wait = command.until - self.clock
            return
        for send in command:
            line = send.data.split(b"\r\n", 1)[0].decode().removesuffix(" HTTP/1.1")
            self.under_way[line] = send
            self.new.append(line)

    def wake(self) -> None:
        """The wait is over."""
        assert self.wait is not None
        self.clock += self.wait
        self._next(None)

    def answer(
        self,
        line: str,
        status: int = 200,
        body: bytes = b"",
        headers: tuple[tuple[bytes, bytes], ...] = (),
        failure: Failure | None = None,
    ) -> Send:
        """A response to the request with this line arrives, one second after the last event."""
        send = self.under_way.pop(line)
        self.clock += 1
        response = Response(send)
        response.status = 0 if failure else status
        lines = [b"HTTP/1.1 %d X" % status, *(b"%b: %b" % pair for pair in headers)]
        response.head = b"\r\n".join(lines)
        response.body = body
        response.failure = failure
        response.finished = self.clock
        self._next(response)
        return send
