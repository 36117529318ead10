"""The compiled test case, shared by all virtual users of a process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.tls import USUAL_TLS, TlsSettings
from pytest_loadtool.replay.authentication.credential_cache import Verdicts

if TYPE_CHECKING:
    from pytest_loadtool.auth.credentials import Credentials
    from pytest_loadtool.auth.handshake import RequestFacts
    from pytest_loadtool.model.authentication import ProxyMethod
    from pytest_loadtool.replay.compile.servers import Guard
    from pytest_loadtool.replay.user.cookies import CookieJar
    from pytest_loadtool.replay.user.exchange import Response
    from pytest_loadtool.replay.user.likeness import Likeness

#: A validator as compiled: the response and the user's values to a failure or None.
Check = Callable[["Response", list[str]], Failure | None]

#: Think time as compiled: the numbers of the user and of its iteration to seconds.
Pause = Callable[[int, int], float]


@dataclass(frozen=True, slots=True, eq=False)  # hashed on every request: by identity, it is quick
class Origin:
    """Where connections go to: scheme ``http`` or ``https``, host (without brackets) and port.

    There is one object for each: `request.origin_of` makes them.
    """

    scheme: str
    host: str
    port: int
    tls: TlsSettings = USUAL_TLS
    via: Via | None = None
    """The proxy that it is reached through; None: directly."""

    @property
    def authority(self) -> str:
        """``host`` or ``host:port`` as in a Host header (RFC 9110 §7.2)."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        default = {"http": 80, "https": 443}[self.scheme]
        return host if self.port == default else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"


@dataclass(frozen=True, slots=True, eq=False)
class Via:
    """An HTTP proxy: where it listens, and who a virtual user is to it.

    Requests for http go to it in absolute form (RFC 9112 §3.2.2), those for https through a tunnel
    that CONNECT opens (RFC 9110 §9.3.6).
    """

    server: Origin
    account: Account | None
    """None: a virtual user has nothing to log in with."""
    method: ProxyMethod = ""
    """The only scheme in which it answers; empty: the one that the proxy prefers."""
    remedy: str = "set username and password in [proxy] of the test case"
    """Where to say who it is, if nobody has."""


@dataclass(frozen=True, slots=True)
class Take:
    """An extractor as compiled: where its value goes, how to get it, what to say when it is not
    there."""

    slot: int
    extract: Callable[[Response], str | None] | None
    missing: Failure
    bound: Callable[[Response, list[str]], str | None] | None = None
    """Of an extractor with placeholders, in place of ``extract``: by the user's values."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A transaction as compiled. ``index`` counts in the test case, ``position`` in its page."""

    index: int
    position: int
    title: str
    page_title: str
    transaction: Transaction
    origin: Origin
    render: Callable[[list[str], CookieJar], bytes]
    """The user's values and cookies to the request's bytes."""
    accepted: frozenset[int]
    checks: tuple[Check, ...]
    takes: tuple[Take, ...]
    without_body: bool
    """Whether its response has no body whatever its head says: the request's method is HEAD."""
    idempotent: bool
    """Whether sending it twice does what sending it once does (RFC 9110 §9.2.2)."""
    guard: Guard | None = None
    """What judges where each of its requests would go; None when that is known."""
    likeness: Likeness | None = None
    """What compares its responses with the recorded one; None when nothing is known of that."""


@dataclass(frozen=True, slots=True, eq=False)
class PagePlan:
    """A page as compiled.

    Its steps start in their order. Step ``i`` may start once the first ``after[i]`` steps of
    ``finish_order`` (positions by recorded end) have finished; ``overlapped`` is False when that
    means one after the other. ``parts`` are its stretches between pauses, one after the other; it
    is empty if there is no pause within the page.
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


@dataclass(frozen=True, slots=True, eq=False)
class DatasetSlots:
    """A dataset in use: ``columns`` gives for each used column its index and the slot it fills."""

    use: DatasetUse
    dataset: Dataset
    columns: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """An identity as compiled: who a virtual user is, in one realm or in all."""

    realm: str
    ahead: bool
    credentials: Callable[[list[str]], Credentials]
    """The user's values to what it logs in with."""
    name: str
    """How messages call it, unless it comes from datasets."""
    rows: tuple[tuple[str, str], ...]
    """The names and the files of those."""


@dataclass(frozen=True, slots=True, eq=False)
class Renewal:
    """What renews a token: ``step`` refreshes the variable ``name``.

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
class Plan:
    """A test case as compiled. A virtual user's values are a list, one per slot; ``initial`` is its
    start. Nothing in it changes but ``verdicts``."""

    case: TestCase
    pages: tuple[PagePlan, ...]
    initial: tuple[str, ...] = field(repr=False)  # there are secrets among them
    slots: dict[str, int]
    """Slot of each name that a placeholder uses."""
    datasets: tuple[DatasetSlots, ...] = ()
    generated: tuple[tuple[int, Callable[[], str]], ...] = ()
    """The slots whose values are made up anew at the start of each iteration, and how."""
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
    verdicts: Verdicts = field(default_factory=Verdicts)
    """What became of the credentials that its users have tried."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps in order; ``steps[i].index == i``."""
        return tuple(step for page in self.pages for step in page.steps)

    @property
    def values(self) -> dict[str, str]:
        """What placeholders stand for when a virtual user begins, by name."""
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
