"""Configure a test case: find its dynamic values, extract them, put placeholders where they go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_loadtool.correlation.claims import Claims, claim_all, issued
from pytest_loadtool.correlation.computed import computed_values
from pytest_loadtool.correlation.explain import explain
from pytest_loadtool.correlation.following import following_again
from pytest_loadtool.correlation.ignoring import ignored, set_aside, wanted
from pytest_loadtool.correlation.kept import REPLAY_COMPARE, kept_notes
from pytest_loadtool.correlation.outcomes import asserted
from pytest_loadtool.correlation.renewal import with_renewals
from pytest_loadtool.correlation.revert import names_in_use, revert
from pytest_loadtool.correlation.rewrite import rewrite
from pytest_loadtool.correlation.rows import by_rows
from pytest_loadtool.correlation.traffic import read_traffic, steps_of
from pytest_loadtool.correlation.variables import variables_for
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.decision import Decision
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
    aside = set_aside(traffic, case)
    claims = claim_all(traffic, rules, told)
    claims = Claims(claims.claims, (*claims.misses, *aside))
    issues = wanted(issued(traffic, rules), traffic, case)
    found = variables_for(claims.claims, issues, rules, taken=names_in_use(unconfigured))
    found = by_rows(found, traffic, unconfigured.variables)
    taken = (*names_in_use(unconfigured), *(one.name for one in found))
    computed = computed_values(traffic, claims.claims, rules, taken)
    configured = with_renewals(rewrite(unconfigured, traffic.steps, found, computed))
    configured = following_again(configured)
    titles = [f"{n} {one.title}" for n, one in enumerate(configured.transactions(), 1)]
    names = {one.name for one in found} | {one.name for one in computed}
    title = titles.__getitem__
    outcomes = asserted(configured, traffic.steps, title)
    decisions = (
        *explain(traffic, found, computed, claims, rules, title),
        *kept_notes(configured, names, (*rules, REPLAY_COMPARE), titles),
        *outcomes.decisions,
    )
    return Configuration(outcomes.case, decisions)
