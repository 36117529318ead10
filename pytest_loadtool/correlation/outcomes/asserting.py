"""Asserting: of all that the recording shows of each change, what becomes validators."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.correlation.decisions.ignoring import Entries
from pytest_loadtool.correlation.decisions.notes import Title, titles_of
from pytest_loadtool.correlation.index.traffic import RecordedStep, steps_of
from pytest_loadtool.correlation.outcomes.changes import Change, acts_by_link, changes_of
from pytest_loadtool.correlation.outcomes.proof import OWN, Proof
from pytest_loadtool.correlation.outcomes.proof import names as names_thing
from pytest_loadtool.correlation.outcomes.proofs import proofs
from pytest_loadtool.correlation.outcomes.seen import Answers
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.decision import NO_OUTCOME, OUTCOME, Decision
from pytest_loadtool.model.editing import numbered_titles, with_transactions
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.rule import NamePatterns
from pytest_loadtool.model.validator import JsonValidator, Outcome, TextValidator, Validator

#: How many validators one change gets.
_MOST_PROOFS = 3
_CONFIDENCE = (0.95, 0.85, 0.7)
#: What a test case ignores that wants no outcomes, or none of one request.
_IGNORED = "outcome"


@dataclass(frozen=True, slots=True)
class Asserted:
    """The test case with the outcomes of its changes, and a decision for each change."""

    case: TestCase
    decisions: tuple[Decision, ...]


def asserted(case: TestCase, steps: Sequence[RecordedStep]) -> Asserted:
    """Add outcomes to a configured ``case``, which has none yet; ``steps`` have its evidence."""
    ignored = NamePatterns(tuple(case.asm.ignore))
    if _IGNORED in ignored:
        return Asserted(case, ())
    answers, views = Answers(steps), Answers(steps, changes=True)
    entries = Entries(steps)
    targets = [one.request.target for one in case.transactions()]
    names, title = numbered_titles(case), titles_of(case).__getitem__
    new: dict[int, list[Validator]] = {}
    decisions: list[Decision] = []
    silent: list[Change] = []
    told: set[tuple[int, Validator | None]] = set()
    changes = tuple(changes_of(case, steps))
    said = _by(changes, lambda change: (one.value for one in change.said))
    changed = _by(changes, lambda change: (one.known_as for one in change.things))
    things = {one.known_as: one for change in changes for one in change.things}
    for step in filter(acts_by_link, steps):
        for known_as, thing in things.items():
            if names_thing(step, thing):
                changed[known_as].append(step.index)
    for change in changes:
        step = change.step
        if entries.have(step.index, _IGNORED, case.asm.ignore):
            continue
        best = _best(_own(change, answers, changed, said, told))
        if not best or best[0].strength == OWN:
            best = _best(_own(change, views, changed, said, told))
        told.update((one.at, one.validator) for one in best)
        if not best and (change.said or change.things) and not change.logs_in:
            silent.append(change)
        for one in best:
            outcome = Outcome(one.says, names[step.index])
            if one.validator is not None:
                new.setdefault(one.at, []).append(replace(one.validator, outcome=outcome))
            decisions.append(_decision(change, one, title, targets[one.at]))
    transactions = (
        replace(one, validators=(*one.validators, *new.get(index, ())))
        for index, one in enumerate(case.transactions())
    )
    case = with_transactions(case, transactions)
    return Asserted(case, (*decisions, *_unproven(silent, title)))


def without_outcome(case: TestCase, exchanges: Sequence[Exchange], change: str) -> TestCase:
    """The case that ignores the outcome of a change: its number, from 1, and its title, as
    decisions say them."""
    at = int(change.partition(" ")[0]) - 1
    entry = Entries(steps_of(case, exchanges)).of(at, _IGNORED)
    return replace(case, asm=replace(case.asm, ignore=(*case.asm.ignore, entry)))


def _own(
    change: Change,
    answers: Answers,
    changed: Mapping[str, Sequence[int]],
    said: Mapping[str, Sequence[int]],
    told: Container[tuple[int, Validator | None]],
) -> Iterator[Proof]:
    """The proofs of a change that are of no other one, too."""
    return (
        one
        for one in proofs(change, answers, changed)
        if (one.at, one.validator) not in told
        and not any(change.step.index < at < one.at for at in said.get(one.text, ()))
    )


def _by(
    changes: Sequence[Change], names: Callable[[Change], Iterable[str]]
) -> dict[str, list[int]]:
    """By name, the transactions whose changes have it, in their order."""
    found: dict[str, list[int]] = {}
    for change in changes:
        for name in set(names(change)):
            found.setdefault(name, []).append(change.step.index)
    return found


def _best(made: Iterator[Proof]) -> list[Proof]:
    """The strongest, of these the nearest, each once."""
    found = sorted(made, key=lambda one: (one.strength, one.at))
    best = [one for one in found if (one.strength, one.at) == (found[0].strength, found[0].at)]
    return list({one.validator: one for one in best}.values())[:_MOST_PROOFS]


def _decision(change: Change, proof: Proof, title: Title, asked: str) -> Decision:
    """``asked`` is the target of the request whose answer is the proof."""
    done = title(change.step.index)
    text = "" if "${" in asked else _text_alone(change, proof.validator)
    used = (
        " It goes by that text alone, which an earlier run may have left on the server: "
        f"`unique {text}` makes it each run's own."
    )
    return Decision(
        value=proof.says,
        variable="",
        producer=done,
        consumers=(title(proof.at),),
        rule=OUTCOME,
        reason=f'"{title(proof.at)}" shows it after "{done}": a validator asserts it.'
        + (used if text else ""),
        confidence=_CONFIDENCE[proof.strength],
    )


def _text_alone(change: Change, validator: Validator | None) -> str:
    """The text that was sent and that a validator goes by, if by nothing of this run: no id that
    the server gave out, and no text that is each user's own; else an empty text."""
    match validator:
        case TextValidator(text=first, row=second):
            written = [first, second]
        case JsonValidator(path=first, equals=second):
            written = [first, second if isinstance(second, str) else ""]
        case _:
            return ""
    if any("${" in one for one in written):
        return ""
    sent = (one.value for one in change.said if one.is_text)
    return next((text for text in sent if any(text in unescape(one) for one in written)), "")


def _unproven(changes: Sequence[Change], title: Title) -> Iterator[Decision]:
    """One decision for all changes to one address that nothing shows."""
    groups: dict[str, list[Change]] = {}
    for one in changes:
        called = re.sub(r"\d+", "…", one.step.path)
        groups.setdefault(f"{one.step.transaction.request.method} {called}", []).append(one)
    for group in groups.values():
        first = title(group[0].step.index)
        more = f" and {len(group) - 1} more like it" if len(group) > 1 else ""
        yield Decision(
            value=first + more,
            variable="",
            producer="",
            consumers=tuple(title(one.step.index) for one in group),
            rule=NO_OUTCOME,
            reason="Nothing that comes after it shows that it was done: open a page that does "
            "before the recording ends.",
            confidence=0.5,
        )
