"""What a person wants of a replay while it runs, and where it is: for any thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_loadtool.replay.user.exchange import Step
from pytest_loadtool.replay.user.plan import PagePlan

State = Literal["running", "thinking", "held", "over"]


@dataclass(frozen=True, slots=True)
class ReplayMoment:
    """The place where a replay is. Times are in seconds, on the clock of ``time.perf_counter``."""

    state: State = "running"
    why: str = ""
    """Why it is held (``paused``, ``step``, ``breakpoint``), or why it ended before its end."""
    page: PagePlan | None = None
    next: Step | None = None
    """The transaction that it is held before."""
    request: bytes = field(default=b"", repr=False)  # there may be secrets in it
    """The request of that one, as it will be sent."""
    done: int = 0
    failed: int = 0
    thinking: float = 0.0
    """How long the present think time is, if there is one: it may be held, too."""
    until: float = 0.0
    """When it ends."""
    frozen: float | None = None
    """How much of it is left, while it is held."""
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The values of variables and dataset columns, by name."""
    set_by: Mapping[str, Step] = field(default_factory=dict, repr=False)
    """Where Set: the transactions that values of variables were taken from."""

    def left(self, now: float) -> float:
        """Return how much of the present think time is left, in seconds."""
        return max(0.0, self.until - now) if self.frozen is None else self.frozen


@dataclass(slots=True)
class Wishes:
    """The wishes of a person, as far as the replay has heard of them. Transactions are named by
    their index in the plan."""

    breakpoints: frozenset[int]
    to: int | None
    paused: bool
    why: str = "step"
    one: bool = False
    """Whether one transaction is to be done all the same."""
    skip: bool = False
    stopped: bool = False
    edited: tuple[int, bytes] | None = None
    held: bool = False
    """Whether it is held before a request."""
    released: bool = False
    """Whether that request may go, though it is at a breakpoint."""


class Control:
    """The controls of a replay, or of several one after the other: what a person wants, and where
    it is. Any thread may call its methods.

    Transactions are named by their index in the plan. With ``paused`` the replay is held before the
    first of them; it ends after transaction ``to``. ``told`` is called in the replay's thread
    whenever it is somewhere else.
    """

    def __init__(
        self,
        *,
        breakpoints: Iterable[int] = (),
        to: int | None = None,
        paused: bool = False,
        told: Callable[[ReplayMoment], None] | None = None,
    ) -> None:
        self.moment = ReplayMoment()
        self.wanted = Wishes(frozenset(breakpoints), to, paused)
        """For the replay's thread alone."""
        self.given_up = False
        """Whether the person has stopped it."""
        self.wake: Callable[[], None] = _nobody
        """Is told that something is wanted; whoever drives the replay sets it."""
        self._told = told
        self._wishes: deque[Callable[[Wishes], None]] = deque()

    def pause(self) -> None:
        """Hold before the next request, or in the present think time."""
        self._want(lambda one: changed(one, paused=True, one=False, why="paused"))

    def go_on(self) -> None:
        """Go on up to the next breakpoint, or to the end."""
        self._want(lambda one: changed(one, paused=False, one=False, released=one.held))

    def step(self) -> None:
        """Do one transaction, without thinking before it, and hold again."""
        self._want(
            lambda one: changed(
                one, paused=True, one=True, skip=True, released=one.held, why="step"
            )
        )

    def skip(self) -> None:
        """End the present think time."""
        self._want(lambda one: changed(one, skip=True))

    def stop(self) -> None:
        """End the replay, and those that were to follow; what is under way is cut."""
        self.given_up = True
        self.cut()

    def cut(self) -> None:
        """Cut what is under way, if the replay has not ended yet."""
        self._want(lambda one: changed(one, stopped=True))

    def again(self) -> None:
        """Begin with the next replay: what is wanted of all of them stays."""
        before = self.hear()
        self.wanted = Wishes(
            before.breakpoints, before.to, before.paused, before.why, stopped=self.given_up
        )
        self.moment = ReplayMoment()

    def edit(self, index: int, request: bytes) -> None:
        """Send ``request`` for that transaction, if it is the one that is held."""
        self._want(lambda one: changed(one, edited=(index, request)))

    def hear(self) -> Wishes:
        """Return what is wanted by now. For the replay's thread."""
        while self._wishes:
            self._wishes.popleft()(self.wanted)
        return self.wanted

    def tell(self, moment: ReplayMoment) -> None:
        """Say where the replay is. For the replay's thread."""
        self.moment = moment
        if self._told is not None:
            self._told(moment)

    def _want(self, wish: Callable[[Wishes], None]) -> None:
        self._wishes.append(wish)
        self.wake()


def changed(wanted: Wishes, **values: Any) -> None:
    """Set several of its values at once."""
    for name, value in values.items():
        setattr(wanted, name, value)


def _nobody() -> None:
    """Wake nobody: who does not sleep need not be woken."""
