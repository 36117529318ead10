"""Flows in words: what is repeated, asked for, done only sometimes, or chosen."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_loadtool.casefile import format_duration
from pytest_loadtool.console.views.actors import described
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import page_span
from pytest_loadtool.model.flow import Choose, Repeat, Until, When, parents_of
from pytest_loadtool.structure.flow_tree import own_chains, page_chain


def rule_of(case: TestCase, name: str) -> str:
    """Return what the flow ``name`` does, in words: ``repeated 2 to 5 times``."""
    flow = case.flows.get(name)
    match flow.rule if flow is not None else None:
        case Repeat(least, most):
            times = f"{least}" if least == most else f"{least} to {most}"
            return f"repeated {times} time{'' if most == 1 else 's'}"
        case Until(check, every, limit):
            how = f"every {format_duration(every)}, for {format_duration(limit)} at most"
            return f"until {described(check)}, {how}"
        case When(check):
            return f"only when {described(check)}"
        case Choose(weights):
            return "one of " + ", ".join(f"{one} ({weight})" for one, weight in weights.items())
        case _:
            chooser = parents_of(case.flows).get(name, "")
            return f"chosen by {chooser}"


def flow_line(case: TestCase, name: str) -> ViewLine:
    """Return the line of a flow: what it does, and what it is within."""
    around = parents_of(case.flows).get(name, "")
    within = f", within {around}" if around and name in case.flows else ""
    return ViewLine(("  ", ""), (name, "name"), (f"  {rule_of(case, name)}{within}", ""))


def flow_lines(case: TestCase) -> Iterator[ViewLine]:
    """Yield the line of each flow."""
    yield from (flow_line(case, name) for name in parents_of(case.flows))


def flow_notes(case: TestCase) -> tuple[dict[int, str], dict[int, str]]:
    """Return what the tree says of flows: by page, and by transaction. Where one begins it says
    what it does, behind that its name alone."""
    parents = parents_of(case.flows)
    of_pages: dict[int, str] = {}
    of_transactions: dict[int, str] = {}
    opened: set[str] = set()

    def note(chain: tuple[str, ...]) -> str:
        known = opened | {one for one in chain if one not in case.flows}
        said = [one if one in known else f"{one}: {rule_of(case, one)}" for one in chain]
        opened.update(chain)
        return "; ".join(said)

    for index, page in enumerate(case.pages):
        if around := page_chain(page, parents):
            of_pages[index] = note(around)
        for at, chain in zip(page_span(case, index), own_chains(page, parents), strict=True):
            if chain:
                of_transactions[at] = note(chain)
    return of_pages, of_transactions
