"""Flows compiled: which pages, and which parts of a page, come when."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from pytest_loadtool.model.case import Page, TestCase
from pytest_loadtool.model.flow import NOTHING, Choose, Repeat, Rule, Until, When, parents_of
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import ResponseValidator, Validator
from pytest_loadtool.replay.user.exchange import Check
from pytest_loadtool.replay.user.flow import (
    AskPlan,
    ChoosePlan,
    FlowPlan,
    RepeatPlan,
    UntilPlan,
    WhenPlan,
)
from pytest_loadtool.replay.user.plan import PagePlan, Pause
from pytest_loadtool.structure.flow_tree import FlowGroup, grouped, own_chains, page_chain

T = TypeVar("T")

#: Makes a part of a page: the transactions from one position up to another, and the pause after it.
Stretch = Callable[[int, int, Pause | None], PagePlan]


#: What fails where the answer to a request is not as it has to be in the end.
_OF_ANSWERS: frozenset[str] = frozenset(
    {
        *("answer", "text", "regex", "json", "xml", "header", "response", "value"),
        *("outcome", "extractor"),
    }
)


class Flows:
    """Compiles the flows of ``case``; ``compiled`` compiles a validator."""

    def __init__(self, case: TestCase, compiled: Callable[[Validator], Check]) -> None:
        self._rules: Mapping[str, Rule] = {name: one.rule for name, one in case.flows.items()}
        self._parents = parents_of(case.flows)
        self._compiled = compiled

    def of_pages(
        self, pages: Sequence[Page], plans: Sequence[PagePlan]
    ) -> tuple[PagePlan | FlowPlan[PagePlan], ...]:
        """Return what comes when of these pages; nothing if they have no flows."""
        chains = [page_chain(page, self._parents) for page in pages]

        def nodes(members: Sequence[int | FlowGroup]) -> Iterator[PagePlan | FlowPlan[PagePlan]]:
            for one in members:
                yield (
                    plans[one]
                    if isinstance(one, int)
                    else self.flow(one, tuple(nodes(one.members)))
                )

        return tuple(nodes(grouped(chains))) if any(chains) else ()

    def of_page(
        self, page: Page, inside: Mapping[int, Pause], stretch: Stretch
    ) -> tuple[PagePlan | FlowPlan[PagePlan], ...]:
        """Return what comes when of a page; nothing if it has no flows. The pauses ``inside`` are
        before the positions that they have."""
        chains = own_chains(page, self._parents)
        if not any(chains):
            return ()
        return tuple(_FlowsOfPage(self, inside, stretch).nodes(grouped(chains), len(chains)))

    def until(self, name: str) -> UntilPlan | None:
        """Return until when a flow goes on; None if it is no such flow."""
        rule = self._rules.get(name)
        if not isinstance(rule, Until):
            return None
        start = f"Flow {name!r} has not ended within {rule.limit:g} s"

        def failure(last: Failure) -> Failure:
            return Failure("flow", f"{start}: {last.message}", seen=f"{start}: {last.told}")

        of_status = isinstance(rule.check, ResponseValidator) and rule.check.measure == "status"
        awaited = _OF_ANSWERS | {"status"} if of_status else _OF_ANSWERS
        check = self._compiled(rule.check)
        return UntilPlan(name, check, rule.every, rule.limit, failure, awaited)

    def flow(self, group: FlowGroup, nodes: tuple[T | FlowPlan[T], ...]) -> FlowPlan[T]:
        """Return the plan of a flow, but of one that goes on until something holds."""
        match self._rules.get(group.name):
            case Repeat(least, most):
                return RepeatPlan(group.name, nodes, least, most)
            case When(check):
                return WhenPlan(group.name, nodes, self._compiled(check))
            case Choose(weights):
                own = [weights[one.name] for one in group.members if isinstance(one, FlowGroup)]
                nothing = [weights[NOTHING]] if NOTHING in weights else []
                return ChoosePlan(group.name, nodes, (*own, *nothing))
            case _:
                return FlowPlan(group.name, nodes)


@dataclass(frozen=True, slots=True)
class _FlowsOfPage:
    """Compiles the flows of one page."""

    flows: Flows
    inside: Mapping[int, Pause]
    stretch: Stretch

    def nodes(
        self, members: Sequence[int | FlowGroup], stop: int
    ) -> Iterator[PagePlan | FlowPlan[PagePlan]]:
        """Yield what comes when of these, which end before position ``stop``."""
        run: list[int] = []
        for one in members:
            if isinstance(one, int):
                run.append(one)
                continue
            yield from self._run(run, stop)
            run = []
            end = _end(one)
            yield self._group(one, end)
            if end in self.inside and end < stop:  # what comes behind it waits, not its rounds
                yield self.stretch(end, end, self.inside[end])
        yield from self._run(run, stop)

    def _group(self, group: FlowGroup, end: int) -> FlowPlan[PagePlan]:
        until = self.flows.until(group.name)
        if until is None:
            return self.flows.flow(group, tuple(self.nodes(group.members, end)))
        before = self.nodes(group.members[:-1], end)
        asked = replace(self.stretch(end - 1, end, None), until=until)
        return AskPlan(group.name, (*before, asked), until)

    def _run(self, positions: Sequence[int], stop: int) -> Iterator[PagePlan]:
        """Yield transactions that follow each other, in stretches between pauses."""
        if not positions:
            return
        first, end = positions[0], positions[-1] + 1
        cuts = [at for at in self.inside if first < at < end]
        for begin, after in pairwise([first, *cuts, end]):
            pause = self.inside.get(after) if after < stop else None
            yield self.stretch(begin, after, pause)


def _end(group: FlowGroup) -> int:
    """Return the position behind a group."""
    last = group.members[-1]
    return last + 1 if isinstance(last, int) else _end(last)


def all_chosen(
    nodes: Sequence[PagePlan | FlowPlan[PagePlan]],
) -> tuple[PagePlan | FlowPlan[PagePlan], ...]:
    """Return ``nodes`` with all of what one is chosen of, one after the other."""
    return tuple(map(_all_chosen, nodes))


def _all_chosen(node: PagePlan | FlowPlan[PagePlan]) -> PagePlan | FlowPlan[PagePlan]:
    if isinstance(node, PagePlan):
        return replace(node, flow=all_chosen(node.flow)) if node.flow else node
    inner = all_chosen(node.nodes)
    return (
        FlowPlan(node.name, inner) if isinstance(node, ChoosePlan) else replace(node, nodes=inner)
    )
