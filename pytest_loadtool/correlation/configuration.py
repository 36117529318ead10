"""Configure a test case: find its dynamic values, extract them, put placeholders where they go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_loadtool.correlation.decisions.explain import explain
from pytest_loadtool.correlation.decisions.ignoring import ignored, set_aside, wanted
from pytest_loadtool.correlation.decisions.opaque import told as told_opaque
from pytest_loadtool.correlation.index.indexing import read_traffic
from pytest_loadtool.correlation.index.traffic import RecordedStep, steps_of
from pytest_loadtool.correlation.outcomes import Asserted, asserted
from pytest_loadtool.correlation.resolve import resolve
from pytest_loadtool.correlation.sources.items import by_rows
from pytest_loadtool.correlation.sources.variables import computed_for, variables_for
from pytest_loadtool.correlation.strategies.rules import issued
from pytest_loadtool.correlation.strategies.table import strategies
from pytest_loadtool.correlation.writing.reanchor import following_again, following_keys
from pytest_loadtool.correlation.writing.renewal import with_renewals
from pytest_loadtool.correlation.writing.revert import (
    names_in_use,
    revert,
    without_outcomes,
)
from pytest_loadtool.correlation.writing.rewrite import rewrite
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.model.rule import Rule


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configured test case, and why it is as it is: what was correlated, what was left alone."""

    case: TestCase
    decisions: tuple[Decision, ...]


def configure(
    case: TestCase, exchanges: Sequence[Exchange], *, rules: Sequence[Rule], told: Told = silent
) -> Configuration:
    """Correlate a test case with the exchanges it was recorded from.

    ``exchanges`` are the evidence: ``recorded.entry`` of a transaction is an index into them.
    ``rules`` are all that count, the most trusted first (`casefile.case_rules` reads them). What an
    earlier call set is first taken back, so that calling it again changes nothing; what a person
    set stays. A transaction without evidence is left as it is. ``told`` is told how far this has
    got.
    """
    rules = (*ignored(case), *rules)
    unconfigured = revert(case, steps_of(case, exchanges))
    traffic = read_traffic(unconfigured, steps_of(unconfigured, exchanges), rules, told)
    traffic, aside = set_aside(traffic, case)
    resolution = resolve(traffic, strategies(rules), told)
    issues = wanted(issued(traffic, rules), traffic, case)
    found = variables_for(resolution.proposals, issues, rules, taken=names_in_use(unconfigured))
    taken = (*names_in_use(unconfigured), *(one.name for one in found))
    computed = computed_for(resolution.made, taken)
    found = by_rows(found, traffic, unconfigured.variables, computed)
    configured = with_renewals(rewrite(unconfigured, traffic.steps, found, computed), rules)
    configured = following_again(configured)
    outcomes = _asserted(configured, traffic.steps, told)
    opaque = told_opaque(outcomes.case, traffic.steps)
    misses = [*(one for one in resolution.misses if one.reason), *aside]
    decisions = (
        *explain(configured, traffic, found, computed, misses, rules),
        *outcomes.decisions,
        *opaque.decisions,
    )
    return Configuration(opaque.case, decisions)


def asserted_anew(case: TestCase, exchanges: Sequence[Exchange], told: Told = silent) -> Asserted:
    """Assert what changes brought about by the values that a configured test case has now. ``told``
    is told how far this has got."""
    plain = with_transactions(case, map(without_outcomes, case.transactions()))
    return _asserted(plain, steps_of(plain, exchanges), told)


def _asserted(case: TestCase, steps: Sequence[RecordedStep], told: Told) -> Asserted:
    found = asserted(case, steps, told)
    return replace(found, case=following_keys(found.case))
