"""From a replay that failed to what is to be mended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pytest_loadtool.diagnosis.finding import Cause, Check, Diagnosis, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import Evidence, StepOutcome
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import Subject
from pytest_loadtool.diagnosis.table import checks_of, row_of
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.structure.uses import needed_by

#: How many causes are told.
_MOST_CAUSES = 3


def diagnose(
    case: TestCase,
    outcomes: Iterable[StepOutcome],
    *,
    path: str,
    evidence: Evidence,
    mask: Mask,
    about: int | None = None,
) -> Diagnosis:
    """Return why the replay of ``case``, read from ``path``, failed: at least one of ``outcomes``,
    all transactions that were replayed, has failures. It is about the first failure, or about that
    of the index ``about``. ``mask`` hides secrets."""
    ordered = tuple(sorted(outcomes, key=lambda one: one.index))
    failed, *later = (
        one for one in ordered if one.failures and (about is None or one.index >= about)
    )
    situation = Situation(Subject(case, path, failed, mask, evidence), ordered)
    row = row_of(situation.status)
    causes, ruled_out = _looked_at(situation, checks_of(situation.status))
    mend = _to_mend(situation, causes)
    causes = tuple(_in_its_words(situation, mend, one) for one in causes[:1]) + causes[1:]
    if causes and causes[0].sure <= Sure.WEAK and row.advice:
        causes = (replace(causes[0], remedies=row.advice), *causes[1:])
    return Diagnosis(
        failed,
        mend,
        sum(1 for _ in case.transactions()),
        row.meaning,
        causes[:_MOST_CAUSES],
        tuple(ruled_out),
        row.possible,
        () if causes else row.advice,
        tuple((name, told) for name, step in row.steps if (told := step(situation))),
        tuple((one, tuple(_wanted(case, one, {mend.index, failed.index}))) for one in later),
    )


def _looked_at(
    situation: Situation, checks: Iterable[Check]
) -> tuple[tuple[Cause, ...], list[str]]:
    """Return the causes that were found, the surest first, and what was ruled out."""
    results = [check(situation) for check in dict.fromkeys(checks)]
    causes = sorted((one for one in results if isinstance(one, Cause)), key=lambda one: -one.sure)
    causes = [one for one in causes if one.sure > Sure.WEAK] or causes
    causes = causes[:1] + [
        one for one in causes[1:] if one.sure != Sure.SPOKEN
    ]  # as evidence, it is told
    return tuple(causes), [one.text for one in results if isinstance(one, RuledOut)]


def _to_mend(situation: Situation, causes: tuple[Cause, ...]) -> StepOutcome:
    """Return the transaction that the surest cause names, or else the one that failed."""
    index = causes[0].index if causes else None
    found = (one for one in situation.outcomes if one.index == index)
    return next(found, situation.failed)


def _in_its_words(situation: Situation, mend: StepOutcome, cause: Cause) -> Cause:
    """Return a cause with what the server says of it: the first words in its line, as they are."""
    if cause.sure > Sure.SAID:
        return cause  # the network or the recording says it, and not the answer
    said = [one for one in situation.complaints_of(mend) if one not in cause.text]
    text = f"{cause.text} It says: {said[0]!r}." if said else cause.text
    more = [f"it says: {one!r}" for one in said[1:]]
    if mend is not situation.failed:
        name = situation.name(situation.failed)
        more += [f"{name} says: {one!r}" for one in situation.complaints[:1] if one not in text]
    return replace(cause, text=text, evidence=(*cause.evidence, *more))


def _wanted(case: TestCase, outcome: StepOutcome, givers: set[int]) -> Iterator[str]:
    """Yield the variables that a later transaction uses and that one of ``givers`` should have
    set."""
    set_there = {
        extractor.variable
        for index, one in enumerate(case.transactions())
        if index in givers
        for extractor in one.extractors
    }
    yield from sorted(needed_by(case, outcome.transaction) & set_there)
