"""The compiled test case, and what a virtual user yields.

A plan is shared by all virtual users of a process. A virtual user yields a tuple of `Send`, empty
as long as nothing new is to be sent, or a `Wait`; for each `Send` it is sent one `Response`, in any
order. Times are in seconds on the clock of ``time.perf_counter``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.hook import Hook, Hooks
from pytest_loadtool.replay.user.credential_cache import CredentialCache
from pytest_loadtool.replay.user.exchange import Response, Send, Step
from pytest_loadtool.replay.user.flow import FlowPlan, UntilPlan
from pytest_loadtool.replay.user.origin import Account

if TYPE_CHECKING:
    from pytest_loadtool.auth.credentials import Credentials
    from pytest_loadtool.auth.handshake import RequestFacts
    from pytest_loadtool.model.result import Failure

#: Think time as compiled: the numbers of the user and of its iteration to seconds.
Pause = Callable[[int, int], float]


@dataclass(frozen=True, slots=True, eq=False)
class PagePlan:
    """A page as compiled.

    Its steps start in their order. Step ``i`` may start once the first ``after[i]`` steps of
    ``finish_order`` (positions by recorded end) have finished; ``overlapped`` is False when that
    means one after the other. ``parts`` are its stretches between pauses, one after the other; it
    is empty if there is no pause or flow within the page. ``flow`` says which of them comes when,
    where the page has flows; ``until`` how long a part of one step is asked for.
    """

    index: int
    name: str
    steps: tuple[Step, ...]
    pause: Pause | None
    """Gives the seconds of think time after the page, or the part; None when there is none."""
    overlapped: bool
    finish_order: tuple[int, ...]
    after: tuple[int, ...]
    parts: tuple[PagePlan, ...] = ()
    flow: tuple[PagePlan | FlowPlan[PagePlan], ...] = ()
    until: UntilPlan | None = None


@dataclass(frozen=True, slots=True, eq=False)
class DatasetSlots:
    """A dataset in use: ``columns`` gives for each used column its index and the slot it fills."""

    use: DatasetUse
    dataset: Dataset
    columns: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Renewal:
    """The renewal of a token: ``step`` refreshes the variable ``name``.

    ``copies`` are pairs of slots: what it gives out, and in whose place that comes.
    """

    step: Step
    name: str
    copies: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Renewals:
    """The tokens of a test case that can be renewed, by their slots.

    By a step's index: ``turns`` gives the one that it refreshes, ``used`` the one that it sends,
    ``issued`` those that it gives out.
    """

    by_slot: dict[int, Renewal]
    turns: dict[int, int]
    used: dict[int, int]
    issued: dict[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """The pages that a virtual user visits in one go.

    At its beginning it takes rows of ``datasets``, and makes up the values of ``generated``: slots,
    and how. A ``fresh`` one is that of a user who has nothing yet: no cookies, variables or
    credentials.
    """

    pages: tuple[PagePlan, ...]
    datasets: tuple[DatasetSlots, ...] = ()
    generated: tuple[tuple[int, Callable[[int], str]], ...] = ()
    fresh: bool = False
    last_of_start: int = -1
    """The index of the page with which the user's start ends, if it is in this visit."""
    is_iteration: bool = True
    """Whether there is an iteration in it."""
    flow: tuple[PagePlan | FlowPlan[PagePlan], ...] = ()
    """Which page comes when, where they have flows."""


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """The visits of a plan's users.

    ``first`` is the start and an iteration. ``again`` is an iteration of a user that has been
    through its start: ``first`` if there is none; ``kept`` one of a user that keeps all it has.
    ``end`` is what it does once after its last, ``whole`` all of it once.
    """

    whole: Visit
    first: Visit
    again: Visit
    kept: Visit
    end: Visit


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A test case as compiled. A virtual user's values are a list, one per slot; ``initial`` is its
    start. Nothing in it changes but ``credential_cache``."""

    case: TestCase
    pages: tuple[PagePlan, ...]
    visits: Visits
    initial: tuple[str, ...] = field(repr=False)  # there are secrets among them
    slots: dict[str, int]
    """Slot of each name that a placeholder uses."""
    datasets: tuple[DatasetSlots, ...] = ()
    accounts: tuple[tuple[Account, ...], ...] = ()
    """For each step those that may answer for it. Empty when nobody has to: the test case has no
    identities, and asks no proxy without a tunnel."""
    facts: tuple[RequestFacts | None, ...] = ()
    """For each step what schemes need to know of its request; None where values are in its target.
    Like ``accounts``, empty when nobody has to answer."""
    ahead: bool = False
    """Whether an identity goes ahead of any challenge."""
    at_proxies: tuple[Callable[[list[str]], Credentials], ...] = ()
    """The user's values to what it logs in with at proxies, of which connections may be."""
    renewals: Renewals | None = None
    """None when no transaction refreshes a token."""
    guarded: bool = False
    """Whether a step has a guard."""
    hooks: Hooks | None = None
    """None when no function is called as it is acted out."""
    calls: Mapping[int, tuple[Hook, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """By a step's index the functions that are called before it. Such a step goes out alone."""
    credential_cache: CredentialCache = field(default_factory=CredentialCache)
    """What became of the credentials that its users have tried."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """Return all steps in order; ``steps[i].index == i``."""
        return tuple(step for page in self.pages for step in page.steps)

    @property
    def values(self) -> dict[str, str]:
        """Return what placeholders stand for when a virtual user begins, by name."""
        return {name: self.initial[slot] for name, slot in self.slots.items()}


class Observer(Protocol):
    """Is told what a virtual user has done. Times are on the clock of ``time.perf_counter``."""

    def negotiation(self, step: Step, response: Response) -> None:
        """A request was answered by a challenge, and is sent again: it is no transaction.

        Or it has refreshed a token, which the one for ``step`` needs.
        """

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        """A transaction finished; it passed if ``failures`` is empty."""

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None:
        """A page finished."""

    def iteration(self, started: float, finished: float, failed: bool) -> None:
        """The test case finished once."""


class Wait:
    """Do nothing until the time ``until``; then send None, unless a response comes before. With
    ``leave``, close all connections first."""

    __slots__ = ("leave", "until")

    def __init__(self, until: float, *, leave: bool = False) -> None:
        self.until = until
        self.leave = leave


class Await(Wait):
    """Do nothing until ``work`` has ended; then send None. Nothing else is under way."""

    __slots__ = ("error", "work")

    def __init__(self, work: Awaitable[object]) -> None:
        super().__init__(inf)
        self.work = work
        self.error: BaseException | None = None
        """What it has raised."""


class Over:
    """The iteration has ended: the last command. ``failed`` says whether anything in it has.

    A generator's own end would be an exception, which costs more than most commands.
    """

    __slots__ = ("failed",)

    def __init__(self, failed: bool) -> None:
        self.failed = failed


Command = tuple[Send, ...] | Wait | Over
