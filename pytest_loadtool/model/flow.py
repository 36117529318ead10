"""Flows: what a virtual user does more than once, until something holds, only sometimes, or one of
several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_loadtool.model.validator import Validator, ValueValidator

#: An alternative of `Choose` that has no transactions: nothing is done.
NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Repeat:
    """So many times: a number between these two, drawn anew each time that it begins."""

    least: int
    most: int


#: A rule that changes nothing.
ONCE = Repeat(1, 1)


@dataclass(frozen=True, slots=True)
class Until:
    """Again and again, ``every`` so many seconds, until ``check`` holds of the response to its last
    transaction; for ``limit`` seconds at most: then the check has failed."""

    check: Validator
    every: float
    limit: float


@dataclass(frozen=True, slots=True)
class When:
    """A flow that begins only if ``check`` holds then; otherwise it is skipped."""

    check: ValueValidator


@dataclass(frozen=True, slots=True)
class Choose:
    """One of these flows, by their weights; one called `NOTHING` has no transactions."""

    weights: Mapping[str, int]


Rule = Repeat | Until | When | Choose

#: What rules are called in files and reports.
RULE_NAMES: Mapping[type, str] = {
    Repeat: "repeat",
    Until: "until",
    When: "when",
    Choose: "choose",
}


@dataclass(frozen=True, slots=True)
class NamedFlow:
    """A rule for pages, or for transactions of one page, that stand together.

    ``within`` names the flow that it is a part of; empty: none, or one that chooses it.
    """

    name: str
    rule: Rule
    within: str = ""


def parents_of(flows: Mapping[str, NamedFlow]) -> dict[str, str]:
    """Return, for each flow, the one that it is within or that chooses it; empty for none. Also for
    those that are only chosen, which have no rule of their own."""
    found = {name: flow.within for name, flow in flows.items()}
    for name, flow in flows.items():
        if isinstance(flow.rule, Choose):
            found |= {one: name for one in flow.rule.weights if one != NOTHING}
    return found


def chain_of(name: str, parents: Mapping[str, str]) -> tuple[str, ...]:
    """Return the flows that the one called ``name`` is within, and itself, outermost first; of a
    circle each once."""
    found: list[str] = []
    while name and name not in found:
        found.append(name)
        name = parents.get(name, "")
    return tuple(reversed(found))
