"""Asserting: of all that the recording shows of each change, what becomes validators."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from pytest_loadtool.answers.shape import LOGIN_PLACE
from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.template import Template
from pytest_loadtool.correlation.classify import TELLING
from pytest_loadtool.correlation.decisions.ignoring import Entries
from pytest_loadtool.correlation.decisions.notes import Title, titles_of
from pytest_loadtool.correlation.index.traffic import RecordedStep, steps_of
from pytest_loadtool.correlation.outcomes.changes import Change, changes_of, goes_by
from pytest_loadtool.correlation.outcomes.choosing import chosen
from pytest_loadtool.correlation.outcomes.not_yet import goes_by_number, is_gone, not_yet
from pytest_loadtool.correlation.outcomes.places import counted_places
from pytest_loadtool.correlation.outcomes.proof import REPLY, Proof, SessionChanges
from pytest_loadtool.correlation.outcomes.proof import names as names_resource
from pytest_loadtool.correlation.outcomes.proofs import look
from pytest_loadtool.correlation.outcomes.seen import Answers, words_of
from pytest_loadtool.correlation.outcomes.sent import acts_by_link
from pytest_loadtool.correlation.outcomes.whole_lists import whole_lists, whole_texts
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.decision import NO_OUTCOME, OUTCOME, Decision
from pytest_loadtool.model.editing import numbered_titles, with_transactions
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.model.rule import NamePatterns
from pytest_loadtool.model.validator import Outcome, Validator, validator_texts

_CONFIDENCE = (0.95, 0.85, 0.7, 0.6)
#: Why something has to be so before a change, in what is read then.
_SENDS_BACK = (
    '"{done}" sends back what "{read}" shows, with a change in it: what has come since the '
    "recording would be lost, and a replay says so."
)
_BY_PLACE = (
    '"{done}" says by its place in "{read}" what it is about: something else may stand there, and '
    "a replay says so."
)
#: What a test case ignores that wants no outcomes, or none of one request.
_IGNORED = "outcome"


@dataclass(frozen=True, slots=True)
class Asserted:
    """The test case with the outcomes of its changes, and a decision for each change."""

    case: TestCase
    decisions: tuple[Decision, ...]


def asserted(case: TestCase, steps: Sequence[RecordedStep], told: Told = silent) -> Asserted:
    """Add outcomes to a configured ``case``, which has none yet but those that a person edited:
    these stay in place of what was found. ``steps`` have its evidence. ``told`` is told how far
    this has got."""
    ignored = NamePatterns(tuple(case.asm.ignore))
    if _IGNORED in ignored:
        return Asserted(case, ())
    entries = Entries(steps)
    targets = [one.request.target for one in case.transactions()]
    names, title = numbered_titles(case), titles_of(case).__getitem__
    new: dict[int, list[Validator]] = {}
    decisions: list[Decision] = []
    silent: list[Change] = []
    shown: list[tuple[Change, Proof, Answers]] = []
    earlier: list[tuple[Change, Proof, bool]] = []
    there = [(at, one) for at, each in enumerate(case.transactions()) for one in each.validators]
    made: set[tuple[int, Validator | None]] = set(there)
    edited = {
        (at, replace(one.outcome, edited=False)) for at, one in there if one.outcome is not None
    }
    changes = tuple(changes_of(case, steps))
    sought = frozenset(word for one in changes for text in one.texts() for word in words_of(text))
    views = Answers(steps, sought, answers := Answers(steps, sought))
    taken = _taken(case)
    places = frozenset(taken.values())
    said = _by(changes, lambda change: (one.value for one in change.said))
    history = _history(changes, steps)
    by_name = frozenset(_found_by_name(case, changes))
    for change in changes:
        step = change.step
        told("Looking for what changes did", step.index, len(steps))
        if entries.have(step.index, _IGNORED, case.asm.ignore):
            continue

        def own(one: Proof, at: int = step.index) -> bool:  # it shows no other change, too
            shows_later = any(at < other < one.at for other in said.get(one.text, ()))
            is_new = (one.at, one.validator) not in made
            return is_new and not shows_later and _is_known(one, taken)

        looks = (look(change, one, history) for one in (answers, views))
        best, seen = chosen(change, looks, own, places)
        made.update((one.at, one.validator) for one in best if not one.again)
        unproved = not best or best[0].strength == REPLY
        if (
            unproved
            and (change.resources or change.said or change.has_fields)
            and not change.logs_in
        ):
            silent.append(change)
        whole = (*whole_lists(change, answers), *whole_texts(change, answers))
        # What stands at an address of a resource of its own, nobody else has written.
        of_all = (one for one in whole if "${" not in targets[one.at].partition("?")[0])
        for why, proofs in ((_SENDS_BACK, of_all), (_BY_PLACE, counted_places(change, answers))):
            for one in proofs:
                earlier.append((change, one, True))
                decisions.append(_needed(change, one, title, why))
        shown.extend((change, one, seen) for one in best)
    own_names = frozenset(_by_own_names(shown))
    for change, one, seen in sorted(_either_way(shown), key=lambda each: each[1].again):
        if one.again and (one.at, one.validator) in made:
            continue
        outcome = Outcome(
            one.says, names[change.step.index], doubtful=one.doubtful, spares=one.spares
        )
        if one.validator is not None and (one.at, outcome) not in edited:
            new.setdefault(one.at, []).append(replace(one.validator, outcome=outcome))
        known = _is_own(targets[one.at], by_name) or _signs_in(change)
        known |= (change.step.index, one.at) in own_names
        alone = "" if known else _text_alone(change, one.validator)
        asked = (alone and one.text) or (is_gone(one) and not known) or goes_by_number(one)
        page = seen.of(steps[one.at]) if asked else None
        before = not_yet(change, one, page, seen) if page is not None else None
        decisions.append(_decision(change, one, title, alone, before))
        earlier += [(change, before, False)] if before is not None else []
    for change, one, needed in earlier:
        if one.validator is not None and (one.at, one.validator) not in made:
            made.add((one.at, one.validator))
            outcome = Outcome(one.says, names[change.step.index], before=True, needed=needed)
            new.setdefault(one.at, []).append(replace(one.validator, outcome=outcome))
    return Asserted(_with(case, new), (*decisions, *_unproven(silent, title)))


_Shown = tuple[Change, Proof, Answers]


def _either_way(shown: Sequence[_Shown]) -> Iterator[_Shown]:
    """Yield the proofs, those that a number is more, and those that it is less, which the session
    moves both ways, as saying that it is another one: so do others at the same time."""
    ways: dict[Validator, set[str]] = {}
    for _, one, _ in shown:
        if one.validator is not None and one.validator.than_before is not None:
            number = replace(one.validator, than_before="other")
            ways.setdefault(number, set()).add(one.validator.than_before)
    for change, one, seen in shown:
        way = one.validator.than_before if one.validator is not None else None
        if one.validator is not None and way is not None:
            number = replace(one.validator, than_before="other")
            if len(ways[number]) > 1:
                says = one.says.replace(f" {way} ", " other ", 1)
                one = replace(one, validator=number, says=says)
        yield change, one, seen


def _taken(case: TestCase) -> dict[str, int]:
    """Return the first transaction from whose answer each variable is taken, by variable."""
    taken: dict[str, int] = {}
    for at, each in enumerate(case.transactions()):
        for extractor in each.extractors:
            taken.setdefault(extractor.variable, at)
    return taken


def _with(case: TestCase, new: Mapping[int, Sequence[Validator]]) -> TestCase:
    """Return the case with these validators, by transaction."""
    return with_transactions(
        case,
        (
            replace(one, validators=(*one.validators, *new.get(index, ())))
            for index, one in enumerate(case.transactions())
        ),
    )


def without_outcome(case: TestCase, exchanges: Sequence[Exchange], change: str) -> TestCase:
    """Return the case that ignores the outcome of a change: its number, from 1, and its title, as
    decisions say them."""
    at = int(change.partition(" ")[0]) - 1
    entry = Entries(steps_of(case, exchanges)).of(at, _IGNORED)
    return replace(case, asm=replace(case.asm, ignore=(*case.asm.ignore, entry)))


def _is_known(one: Proof, taken: Mapping[str, int]) -> bool:
    """Return whether all that its validator goes by is ``taken`` from earlier responses: those of
    its own are taken after it."""
    texts = validator_texts(one.validator) if one.validator is not None else {}
    return not any(
        at >= one.at and f"${{{variable}" in text
        for text in texts.values()
        if "${" in text
        for variable, at in taken.items()
    )


def _history(changes: Sequence[Change], steps: Sequence[RecordedStep]) -> SessionChanges:
    """Return what the changes are about, with the links that change it."""
    changed = _by(changes, lambda change: (one.known_as for one in change.resources))
    resources = {one.known_as: one for change in changes for one in change.resources}
    for step in filter(acts_by_link, steps):
        for known_as, resource in resources.items():
            if names_resource(step, resource):
                changed[known_as].append(step.index)
    return SessionChanges.of(changes, changed)


def _by(
    changes: Sequence[Change], names: Callable[[Change], Iterable[str]]
) -> dict[str, list[int]]:
    """Return the transactions whose changes have a name, in their order, by name."""
    found: dict[str, list[int]] = {}
    for change in changes:
        for name in set(names(change)):
            found.setdefault(name, []).append(change.step.index)
    return found


def _decision(
    change: Change, proof: Proof, title: Title, alone: str, before: Proof | None
) -> Decision:
    """Return what is told of a proof: ``alone`` is the text that it goes by, if by nothing else;
    ``before`` that of an answer before the change."""
    done = title(change.step.index)
    reason = _reason(proof, title(proof.at), done)
    if alone:
        reason += (
            " It goes by that text alone, which an earlier run may have left on the server: "
            f"`unique {alone}` makes it each run's own."
        )
    if before is not None:
        already = "not there" if is_gone(proof) else "there already"
        reason += f' "{title(before.at)}" is before it: a replay says so if it is {already}.'
    return Decision(
        value=proof.says,
        variable="",
        producer=done,
        consumers=(title(proof.at),),
        rule=OUTCOME,
        reason=reason,
        confidence=_CONFIDENCE[proof.strength],
    )


def _needed(change: Change, proof: Proof, title: Title, why: str) -> Decision:
    done, read = title(change.step.index), title(proof.at)
    return Decision(
        value=proof.says,
        variable="",
        producer=done,
        consumers=(read,),
        rule=OUTCOME,
        reason=why.format(done=done, read=read),
        confidence=_CONFIDENCE[1],
    )


def _reason(proof: Proof, shown: str, done: str) -> str:
    if proof.strength == REPLY:
        return f'"{shown}" says so itself, which proves nothing: a validator asserts that it does.'
    return f'"{shown}" shows it after "{done}": a validator asserts it.'


def _found_by_name(case: TestCase, changes: Sequence[Change]) -> Iterator[str]:
    """Yield the templates of ids that are taken from the row or object with a text that a change
    before it has sent, and that is the same in each run: an earlier one may have left it."""
    said = {
        one.template: change.step.index
        for change in reversed(changes)
        for one in change.said
        if one.is_text and "${" not in one.template
    }
    for at, each in enumerate(case.transactions()):
        for extractor in each.extractors:
            if any(said.get(text, at) < at for text in goes_by(extractor.source)):
                yield f"${{{extractor.variable}}}"


def _by_own_names(shown: Sequence[_Shown]) -> Iterator[tuple[int, int]]:
    """Yield which change an answer shows by a name that is each run's own: no earlier run can have
    left it."""
    for change, one, _ in shown:
        names = [said.template for said in change.said if said.unique]
        texts = validator_texts(one.validator).values() if one.validator is not None else ()
        if any(name in text for name in names for text in texts):
            yield change.step.index, one.at


def _is_own(target: str, by_name: Set[str]) -> bool:
    """Return whether a target has a placeholder, and not only such as are found ``by_name``."""
    found = {f"${{{one.name}}}" for one in Template.parse(target).references}
    return not found <= by_name


def _signs_in(change: Change) -> bool:
    """Return whether it is a login, in which nobody may have another name; who registers may."""
    return change.logs_in and LOGIN_PLACE.search(change.path) is not None


def _text_alone(change: Change, validator: Validator | None) -> str:
    """Return the text that was sent and that a validator goes by, if by nothing of this run: no id
    that the server gave out, and no text that is each user's own; else an empty text. Of a longer
    text, the line that is shown."""
    written = list(validator_texts(validator).values()) if validator is not None else []
    if any("${" in one for one in written):
        return ""
    shown = [unescape(one) for one in written]
    for text in (one.value for one in change.said if one.is_text):
        if any(text in one for one in shown):
            return text
        lines = (one for one in shown if len(one) >= TELLING and one in text)
        if line := next(lines, ""):
            return line
    return ""


def _unproven(changes: Sequence[Change], title: Title) -> Iterator[Decision]:
    """Yield one decision for all changes to one address that nothing shows."""
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
