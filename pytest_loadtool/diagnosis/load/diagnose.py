"""From a load test in which iterations failed to what is to be mended first."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from shlex import quote

from pytest_loadtool.diagnosis.finding import Cause, Remedy, Sure
from pytest_loadtool.diagnosis.load.finding import LoadDiagnosis, LoadFinding
from pytest_loadtool.diagnosis.load.rules import ENOUGH, RULES, Groups, when
from pytest_loadtool.diagnosis.load.situation import LoadSituation
from pytest_loadtool.load.formatting import count, plural
from pytest_loadtool.load.verdict.failing import FailingGroup

#: A failure that comes for good: of so many requests since then at least this part failed.
_FOR_GOOD = 0.9


def diagnose_load(situation: LoadSituation) -> LoadDiagnosis:
    """Return why iterations failed: what ended the run, then the causes of most iterations."""
    told: dict[Hashable, list[FailingGroup]] = {}
    for group in situation.groups:
        told.setdefault(_kind(situation, group), []).append(group)
    findings = [_finding(situation, kind, tuple(groups)) for kind, groups in told.items()]
    findings.sort(key=lambda one: -one.iterations)
    return LoadDiagnosis((*_exhausted(situation), *findings))


def _kind(situation: LoadSituation, group: FailingGroup) -> Hashable:
    """Return the groups of one kind have one cause."""
    rule = next((one for one in RULES if one.explains(situation, group)), None)
    if rule is not None:
        return rule.name
    if _broke(group):
        return "broke", group.status, group.cause
    examined = situation.examined.get(group.key)
    causes = examined.diagnosis.causes if examined is not None else ()
    return causes[0].text if causes else group.key


def _finding(situation: LoadSituation, kind: Hashable, groups: Groups) -> LoadFinding:
    rule = next((one for one in RULES if one.name == kind), None)
    cause = rule.tell(situation, groups) if rule else _as_of_a_test(situation, groups)
    index = cause.index if cause.index is not None else groups[0].index
    transactions = list(situation.cases[groups[0].case_number].case.transactions())
    return LoadFinding(cause, groups, situation.path_of(groups[0]), transactions[index].line)


def _broke(group: FailingGroup) -> bool:
    """Return whether it went well until some second, and hardly ever since."""
    good = group.good
    return (
        0 < group.first_s < group.last_s
        and group.iterations >= ENOUGH
        and good.total > good.since
        and good.since <= (1 - _FOR_GOOD) * group.iterations
    )


def _as_of_a_test(situation: LoadSituation, groups: Groups) -> Cause:
    """Return the cause that the sample shows, as it would be told of a test; and what the load says
    of it: that it is not the load, or when it began."""
    first = groups[0]
    examined = situation.examined.get(first.key)
    causes = examined.diagnosis.causes if examined is not None else ()
    cause = causes[0] if causes else Cause(first.message, Sure.POSSIBLE)
    evidence = [when(situation, groups), *_of_the_load(groups)]
    remedies = cause.remedies
    if not causes:
        advice = examined.diagnosis.advice if examined is not None else ()
        remedies = advice or (Remedy("look at the exchange that was kept"),)
    text = cause.text
    if _broke(first):
        text = f"From second {first.first_s} on it fails, and went well before: {text}"
    return replace(
        cause,
        text=text,
        evidence=(*evidence, *cause.evidence),
        remedies=remedies,
        confirm=cause.confirm or f"pytest {quote(situation.path_of(first))}",
    )


def _of_the_load(groups: Groups) -> Iterator[str]:
    # Groups of one transaction have its good answers in common.
    known = {one.key[:2]: one.good for one in groups}.values()
    good = sum(one.total for one in known)
    if not good:
        yield "no user ever got a good answer from it: it is not the load, one user fails as well"
        return
    since = sum(one.since for one in known)
    if _broke(groups[0]):
        yield f"{count(good - since)} good answers before, {count(since)} since"
    else:
        yield f"{plural(good, 'good answer')} from the same transaction in the whole run"


def _exhausted(situation: LoadSituation) -> Iterator[LoadFinding]:
    """Yield datasets that were used up, which ended the run."""
    for name, rows in situation.summary.failing.exhausted:
        for known in situation.cases:
            file = next((one.file for one in known.case.datasets if one.name == name), "")
            if file:
                seconds = situation.summary.totals.duration_s
                cause = Cause(
                    f"Dataset {name} ({file}) is used up: each of its {plural(rows, 'row')} may be "
                    "used once.",
                    Sure.SAID,
                    (
                        f"that ended the run after {seconds:.1f} s",
                        f"{count(sum(one.iterations for one in situation.summary.cases))} "
                        "iterations were finished",
                    ),
                    (
                        Remedy(f"add rows to {file}"),
                        Remedy(
                            "or let rows be used again",
                            line="reusable = true",
                            place=f"[datasets.{name}] of {known.path}",
                        ),
                    ),
                )
                yield LoadFinding(cause, (), known.path)
                break
