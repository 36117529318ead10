"""What of a plan comes next for a virtual user, where it has flows: a walk over pages, or over the
parts of one.

A plan without flows has none of this, and pays nothing for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Protocol, TypeVar

from pytest_loadtool.model.result import Failure

T = TypeVar("T")

#: A validator as compiled: a response and the user's values to a failure or None.
_Check = Callable[[Any, list[str]], Failure | None]


class FlowCounts(Protocol):
    """Counts what becomes of a flow: see `FlowTally`."""

    begun: int
    rounds: int
    limited: int


#: By the names of flows; those of which nobody wants to know are not in it.
Tallies = Mapping[str, FlowCounts]


@dataclass(frozen=True, slots=True, eq=False)
class UntilPlan:
    """The end of asking for something in the flow ``name``: ``failure`` makes what is said at the
    end of ``limit`` seconds of what ``check`` has said last. Until then it is no failure what has
    one of the causes ``awaited``: it is about the answer that is waited for."""

    name: str
    check: _Check
    every: float
    limit: float
    failure: Callable[[Failure], Failure]
    awaited: frozenset[str]


class Walker:
    """The place of a virtual user in its flows: the numbers of the user and of its iteration, and
    its values. ``deadlines`` are of what is asked for until it is as it has to be; ``tallies``
    count what becomes of each flow."""

    __slots__ = ("_drawn", "deadlines", "iteration", "tallies", "user", "values")

    def __init__(self, user: int, iteration: int, values: list[str], tallies: Tallies) -> None:
        self.user = user
        self.iteration = iteration
        self.values = values
        self.tallies = tallies
        self.deadlines: dict[UntilPlan, float] = {}
        self._drawn = 0

    def chance(self) -> Random:
        """Return random numbers for the next draw of the iteration: the same ones in each run, over
        any workers."""
        seed = f"{self.user}/{self.iteration}/flow/{self._drawn}"
        self._drawn += 1
        return Random(seed)  # noqa: S311  chance, not secrets


@dataclass(frozen=True, slots=True, eq=False)
class FlowPlan(Generic[T]):
    """The pages that stand together in a flow, or parts of one, and flows within it."""

    name: str
    nodes: tuple[T | FlowPlan[T], ...]

    def rounds(self, walker: Walker) -> Iterator[Sequence[T | FlowPlan[T]]]:  # noqa: ARG002 - others do
        """Yield what is done in each round; this is all of it, once."""
        yield self.nodes


@dataclass(frozen=True, slots=True, eq=False)
class RepeatPlan(FlowPlan[T]):
    """So many times."""

    least: int
    most: int

    def rounds(self, walker: Walker) -> Iterator[Sequence[T | FlowPlan[T]]]:
        """Yield all of it as often as is drawn."""
        fixed = self.least == self.most
        times = self.least if fixed else walker.chance().randint(self.least, self.most)
        for _ in range(times):
            yield self.nodes


@dataclass(frozen=True, slots=True, eq=False)
class AskPlan(FlowPlan[T]):
    """Again and again, until its last part is as it has to be; see `VirtualUser`."""

    until: UntilPlan

    def rounds(self, walker: Walker) -> Iterator[Sequence[T | FlowPlan[T]]]:
        """Yield all of it, once more as long as it is still asked for."""
        yield self.nodes
        while self.until in walker.deadlines:
            yield self.nodes


@dataclass(frozen=True, slots=True, eq=False)
class WhenPlan(FlowPlan[T]):
    """A flow that is done only if a check of the user's values holds."""

    check: _Check

    def rounds(self, walker: Walker) -> Iterator[Sequence[T | FlowPlan[T]]]:
        """Yield all of it, or nothing."""
        if self.check(None, walker.values) is None:
            yield self.nodes


@dataclass(frozen=True, slots=True, eq=False)
class ChoosePlan(FlowPlan[T]):
    """A flow that does one of its nodes; ``weights`` are of these, in their order, and may have one
    more at the end: that of none of them."""

    weights: tuple[int, ...]

    def rounds(self, walker: Walker) -> Iterator[Sequence[T | FlowPlan[T]]]:
        """Yield the one that is drawn."""
        (chosen,) = walker.chance().choices(range(len(self.weights)), self.weights)
        yield self.nodes[chosen : chosen + 1]


def walk(nodes: Sequence[T | FlowPlan[T]], walker: Walker) -> Iterator[T]:
    """Yield one page, or part, after the other; each is decided on when it is asked for."""
    for node in nodes:
        if isinstance(node, FlowPlan):
            tally = walker.tallies.get(node.name)
            if tally is not None:
                tally.begun += 1
            for chosen in node.rounds(walker):
                if tally is not None and chosen:
                    tally.rounds += 1
                yield from walk(chosen, walker)
        else:
            yield node
