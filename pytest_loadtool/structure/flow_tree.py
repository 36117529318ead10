"""Where the flows of a test case stand: which pages and transactions are within which, and whether
they can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.model.case import Page, TestCase
from pytest_loadtool.model.flow import (
    NOTHING,
    Choose,
    NamedFlow,
    Repeat,
    Until,
    When,
    chain_of,
    parents_of,
)

#: Where something stands in a test case's file.
Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class FlowGroup:
    """What stands together in a flow: indexes, and groups within it."""

    name: str
    members: tuple[int | FlowGroup, ...]


def page_chain(page: Page, parents: Mapping[str, str]) -> tuple[str, ...]:
    """Return the flows that a whole page is within, outermost first."""
    return chain_of(page.flow, parents)


def own_chains(page: Page, parents: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return, for each transaction of a page, the flows that it is within, outermost first, without
    those that the page is within."""
    around = page_chain(page, parents)
    chains = (chain_of(one.flow, parents) for one in page.transactions)
    return [one[len(around) :] if one[: len(around)] == around else one for one in chains]


def grouped(chains: Sequence[tuple[str, ...]]) -> tuple[int | FlowGroup, ...]:
    """Return the indexes of ``chains``, those of the same flow in a group, and so on within it."""
    return _grouped(list(enumerate(chains)), 0)


def _grouped(
    chains: Sequence[tuple[int, tuple[str, ...]]], depth: int
) -> tuple[int | FlowGroup, ...]:
    found: list[int | FlowGroup] = []
    by_flow = groupby(chains, key=lambda one: one[1][depth] if depth < len(one[1]) else "")
    for name, members in by_flow:
        inner = list(members)
        found += [FlowGroup(name, _grouped(inner, depth + 1))] if name else [at for at, _ in inner]
    return tuple(found)


def may_be_skipped(case: TestCase) -> Iterator[tuple[str, str]]:
    """Yield the page and the title of each transaction that a user may rightly never come to."""
    parents = parents_of(case.flows)
    for page in case.pages:
        for one in page.transactions:
            around = {*page_chain(page, parents), *chain_of(one.flow, parents)}
            rules = (case.flows[name].rule for name in around if name in case.flows)
            if any(isinstance(rule, When | Choose) for rule in rules):
                yield page.name, one.title


def rounds_of(case: TestCase, name: str) -> float:
    """Return how often what stands in a flow is done, on average, as far as the file says it: what
    goes by a check counts as once."""
    often, chosen = 1.0, ""
    for one in reversed(chain_of(name, parents_of(case.flows)) if name else ()):
        match case.flows[one].rule if one in case.flows else None:
            case Repeat(least, most):
                often *= (least + most) / 2
            case Choose(weights):
                often *= weights[chosen] / sum(weights.values())
        chosen = one
    return often


def used_flows(case: TestCase) -> set[str]:
    """Return the names of the flows in which something stands."""
    parents = parents_of(case.flows)
    named = {page.flow for page in case.pages} | {one.flow for one in case.transactions()}
    return {name for one in named for name in chain_of(one, parents)}


def flow_problems(case: TestCase) -> Iterator[tuple[Place, str]]:
    """Yield what is wrong with the flows of a test case, and where."""
    if not case.flows and not used_flows(case):
        return
    found = [*_undefined(case), *_circles(case.flows)]
    yield from found or [*_misplaced(case), *_unused(case)]


def _undefined(case: TestCase) -> Iterator[tuple[Place, str]]:
    """Yield names of flows that there are not, or that nothing can stand in."""
    known = set(parents_of(case.flows))
    for place, name in _uses(case):
        flow = case.flows.get(name)
        if name not in known:
            near = did_you_mean(name, known) or f": write [flows.{name}]"
            yield place, f"there is no flow {name!r}{near}"
        elif flow is not None and isinstance(flow.rule, Choose):
            names = " or ".join(map(repr, flow.rule.weights))
            yield place, f"the flow {name!r} only chooses: expected {names}"
    chosen: dict[str, str] = {}
    for name, flow in case.flows.items():
        for one in flow.rule.weights if isinstance(flow.rule, Choose) else ():
            other = case.flows.get(one)
            if one in chosen:
                why = f"{one!r} is chosen by {chosen[one]!r} already: leave one of them out"
                yield ("flows", name, "choose"), why
            elif other is not None and other.within:
                why = f"{name!r} chooses it, and so it is within that one: leave this out"
                yield ("flows", one, "within"), why
            if one != NOTHING:
                chosen[one] = name


def _uses(case: TestCase) -> Iterator[tuple[Place, str]]:
    for name, flow in case.flows.items():
        if flow.within:
            yield ("flows", name, "within"), flow.within
    for number, page in enumerate(case.pages):
        if page.flow:
            yield ("page", number, "flow"), page.flow
        for index, one in enumerate(page.transactions):
            if one.flow:
                yield ("page", number, "transaction", index, "flow"), one.flow


def _circles(flows: Mapping[str, NamedFlow]) -> Iterator[tuple[Place, str]]:
    parents = parents_of(flows)
    for name, flow in flows.items():
        chain = chain_of(name, parents)
        if parents.get(chain[0]) == name:
            key = "within" if flow.within else "choose"
            circle = ", ".join(map(repr, (*reversed(chain), name)))
            yield ("flows", name, key), f"a flow cannot be within itself: {circle}"
            return


def _misplaced(case: TestCase) -> Iterator[tuple[Place, str]]:
    """Yield flows whose pages or transactions do not stand together, or cannot have such a rule."""
    parents = parents_of(case.flows)
    last: dict[str, str] = {}
    opened: tuple[str, ...] = ()
    for number, page in enumerate(case.pages):
        at: Place = ("page", number)
        around = page_chain(page, parents)
        yield from _of_page(case, page, at, around)
        opened = _common(opened, around)
        for index, (one, own) in enumerate(
            zip(page.transactions, own_chains(page, parents), strict=True)
        ):
            chain = (*around, *own)
            kept = _common(opened, chain)
            for name in chain[len(kept) :]:
                if name in last:
                    place = ("flow",) if name in around else ("transaction", index, "flow")
                    yield (*at, *place), _apart(name, last[name], of_page=name in around)
            opened = chain
            last |= dict.fromkeys(chain, one.title)
        yield from _endings(case, page, at, parents)


def _of_page(
    case: TestCase, page: Page, at: Place, around: tuple[str, ...]
) -> Iterator[tuple[Place, str]]:
    if page.once and around:
        why = f"a page that is done once, at the {page.once}, has no flow: write it at transactions"
        yield (*at, "flow"), why
    for name in around:
        if name in case.flows and isinstance(case.flows[name].rule, Until):
            why = f"the flow {name!r} goes by a response: write it at the transactions of the page"
            yield (*at, "flow"), why


def _endings(
    case: TestCase, page: Page, at: Place, parents: Mapping[str, str]
) -> Iterator[tuple[Place, str]]:
    """Yield what goes on until something holds ends with the transaction whose response is looked
    at."""

    def look(members: Sequence[int | FlowGroup]) -> Iterator[tuple[Place, str]]:
        for one in members:
            if isinstance(one, int):
                continue
            flow = case.flows.get(one.name)
            if flow is not None and isinstance(flow.rule, Until):
                ending = one.members[-1]
                if isinstance(ending, FlowGroup):
                    first = _first(ending)
                    yield (
                        (*at, "transaction", first, "flow"),
                        f"the flow {one.name!r} looks at the response to its last transaction, "
                        f"which is within {ending.name!r}: add one of its own behind it",
                    )
            yield from look(one.members)

    yield from look(grouped(own_chains(page, parents)))


def _first(group: FlowGroup) -> int:
    first = group.members[0]
    return first if isinstance(first, int) else _first(first)


def _apart(name: str, title: str, *, of_page: bool) -> str:
    what = "pages" if of_page else "transactions"
    where = "" if of_page else ", on one page"
    return f"the flow {name!r} has ended with {title}: its {what} have to stand together{where}"


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return tuple(name for name, _ in pairs)


def _unused(case: TestCase) -> Iterator[tuple[Place, str]]:
    used = used_flows(case)
    for name, flow in case.flows.items():
        weights = flow.rule.weights if isinstance(flow.rule, Choose) else {}
        empty = [one for one in weights if one != NOTHING and one not in used]
        if empty:
            why = f"nothing stands in {empty[0]!r}: {_write(empty[0])}"
            yield ("flows", name, "choose", empty[0]), why
        elif name not in used and not weights:
            yield ("flows", name), f"nothing stands in it: {_write(name)}, or leave it out"


def _write(name: str) -> str:
    return f'write flow = "{name}" at pages or transactions'
