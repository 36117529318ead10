"""A replay that was kept: what each transaction sent and received, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.result import Failure

#: What became of a transaction. One of an interrupted replay that was "never sent" may have been
#: under way.
Outcome = Literal["passed", "not as recorded", "failed", "never sent"]

#: How a replay ended: "stopped" by a person's command, or for a reason that is told as its problem.
#: Of a process that was killed nobody knows more than "interrupted".
Ending = Literal["finished", "stopped", "interrupted", "error"]


@dataclass(frozen=True, slots=True)
class TransactionId:
    """The identity of a transaction of the test case, by what editing leaves alone.

    ``entry`` is the index of the recorded exchange in the evidence; None for what was made by hand.
    """

    title: str
    page: str
    method: str
    target: str = field(repr=False)
    entry: int | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class KeptTransaction:
    """A transaction of a replay, and what became of it.

    ``index`` counts from 0 through the test case as it was replayed. ``exchange`` is what was sent
    and received; None if it was never sent. ``first_byte`` is when the response began, in seconds
    after the request was sent. ``undecoded`` says why the body of the response still has its
    content coding; empty for one that was decoded. ``taken`` are the variables that it set, with
    their values; ``tunnels`` counts how often a proxy asked who wants the tunnel.
    """

    index: int
    id: TransactionId
    outcome: Outcome = "never sent"
    exchange: Exchange | None = None
    negotiation: tuple[Exchange, ...] = ()
    failures: tuple[Failure, ...] = ()
    not_as_recorded: str = ""
    taken: Mapping[str, str] = field(default_factory=dict, repr=False)
    first_byte: float = 0.0
    undecoded: str = ""
    tunnels: int = 0

    @property
    def number(self) -> int:
        """Return its number for people, from 1."""
        return self.index + 1


@dataclass(frozen=True, slots=True)
class KeptVariable:
    """A variable or dataset column as it was at the end of a replay.

    ``set_by`` are the indexes of the transactions that have set it, in that order; empty: it had
    its value from the beginning.
    """

    name: str
    value: str = field(repr=False)
    set_by: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptCookie:
    """A cookie that the user had at the end. ``expires`` is in seconds since the epoch; None: with
    the session."""

    name: str
    value: str = field(repr=False)
    domain: str
    path: str
    secure: bool = False
    expires: float | None = None


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """The row of a dataset that the user had, counted from 1."""

    dataset: str
    file: str
    row: int


@dataclass(frozen=True, slots=True)
class KeptReplay:
    """One iteration of one virtual user, as it was kept.

    ``started`` is in seconds since the epoch, ``seconds`` how long it took, as far as is known.
    ``transactions`` are all of the test case, in its order. ``problem`` says what ended it, if it
    ended with an error.
    """

    case: str
    started: float
    seconds: float
    server: str
    transactions: tuple[KeptTransaction, ...]
    variables: tuple[KeptVariable, ...] = ()
    cookies: tuple[KeptCookie, ...] = ()
    rows: tuple[DatasetRow, ...] = ()
    ending: Ending = "interrupted"
    problem: str = ""

    @property
    def sent(self) -> tuple[KeptTransaction, ...]:
        """The transactions that came to an end, in the order of the test case."""
        return tuple(one for one in self.transactions if one.exchange is not None)

    @property
    def failed(self) -> tuple[KeptTransaction, ...]:
        """The transactions that failed, in the order of the test case."""
        return tuple(one for one in self.transactions if one.outcome == "failed")
