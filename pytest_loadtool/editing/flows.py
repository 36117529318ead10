"""The flows of a test case, set and removed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from types import MappingProxyType

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import page_span, without_unused_flows
from pytest_loadtool.model.flow import NOTHING, ONCE, Choose, NamedFlow
from pytest_loadtool.structure.flow_tree import Place, flow_problems


def with_flow(case: TestCase, flow: NamedFlow) -> TestCase:
    """Return ``case`` with this flow, in place of one of its name."""
    return replace(case, flows=MappingProxyType({**case.flows, flow.name: flow}))


def placed(
    case: TestCase, name: str, pages: Collection[int], transactions: Collection[int]
) -> TestCase:
    """Return ``case`` with these pages as a whole, and these transactions, in the flow ``name``, or
    in none if that is empty."""
    changed = []
    for index, page in enumerate(case.pages):
        mine = zip(page_span(case, index), page.transactions, strict=True)
        inner = tuple(replace(one, flow=name) if at in transactions else one for at, one in mine)
        flow = name if index in pages else page.flow
        changed.append(replace(page, transactions=inner, flow=flow))
    return replace(case, pages=tuple(changed))


def left(
    case: TestCase, name: str, pages: Collection[int], transactions: Collection[int]
) -> TestCase:
    """Return ``case`` whose pages and transactions, of these, have left the flow ``name`` for the
    one around it; without it, if that leaves nothing in it."""
    around = case.flows[name].within if name in case.flows else ""
    of_pages = {at for at in pages if case.pages[at].flow == name}
    every = enumerate(case.transactions())
    of_transactions = {at for at, one in every if at in transactions and one.flow == name}
    changed = placed(case, around, of_pages, ())
    return without_unused_flows(placed(changed, around, (), of_transactions))


def without_flow(case: TestCase, name: str) -> TestCase:
    """Return ``case`` without the flow ``name``: what stood in it stands in the one around it. What
    it chooses, and has no rule of its own, goes with it."""
    rule = case.flows[name].rule if name in case.flows else None
    for one in rule.weights if isinstance(rule, Choose) else ():
        if one in case.flows:
            case = with_flow(case, replace(case.flows[one], within=case.flows[name].within))
        elif one != NOTHING:
            case = without_flow(with_flow(case, NamedFlow(one, ONCE, case.flows[name].within)), one)
    around = case.flows[name].within if name in case.flows else ""
    everything = range(sum(len(page.transactions) for page in case.pages))
    inner = {
        key: replace(one, within=around) if one.within == name else one
        for key, one in case.flows.items()
    }
    case = replace(case, flows=MappingProxyType(inner))
    case = left(case, name, range(len(case.pages)), everything)
    kept = {key: one for key, one in case.flows.items() if key != name}
    return without_unused_flows(replace(case, flows=MappingProxyType(kept)))


def ensure_flows(case: TestCase) -> None:
    """Make sure that flows can stand where they do.

    Raises:
        ValueError: one cannot; the text says where, and why.
    """
    for place, problem in flow_problems(case):
        raise ValueError(f"{_where(case, place)}: {problem} (see `flow`)")


def _where(case: TestCase, place: Place) -> str:
    match place:
        case ("page", int(page), "transaction", int(index), *_):
            number = page_span(case, page).start + index + 1
            return f"{number} {case.pages[page].transactions[index].title}"
        case ("page", int(page), *_):
            return f"P{page + 1} {case.pages[page].name}"
        case _:
            return f"flow {place[1]}"
