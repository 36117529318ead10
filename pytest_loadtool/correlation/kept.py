"""Variables that configuring again does not look for anew: what only a replay shows."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.model.rule import Rule

REPLAY_COMPARE = Rule(
    "replay-compare",
    "On replay {producer} gave out another value than when it was recorded, so {field} takes it "
    "from there.",
    confidence=0.8,
)


def kept_notes(
    case: TestCase, found: Container[str], rules: Sequence[Rule], titles: Sequence[str]
) -> Iterator[Decision]:
    """One decision for each variable of ASM in the case that is not among those just found."""
    by_name = {rule.name: rule for rule in reversed(rules)}
    transactions = list(case.transactions())
    used = [case.used_by(one.request) for one in transactions]
    for name, variable in case.variables.items():
        if variable.set_by != "asm" or not variable.rule or name in found:
            continue
        setters = (
            title
            for title, one in zip(titles, transactions, strict=True)
            if any(extractor.variable == name for extractor in one.extractors)
        )
        producer = next(setters, "")
        rule = by_name.get(variable.rule, Rule(variable.rule))
        yield Decision(
            value=variable.recorded or "",
            variable=name,
            producer=producer,
            consumers=tuple(
                title for title, names in zip(titles, used, strict=True) if name in names
            ),
            rule=rule.name,
            reason=rule.reason.format(field=name.partition("[")[0], producer=f'"{producer}"'),
            confidence=rule.confidence,
        )
