"""Reverting: take back what application state management set, so that it can look anew.

Only its own variables are taken back (``set_by = "asm"``), and of these only the ones that nothing
else needs: a check that a person wrote, or a request that has no evidence, keeps its variable.

It also takes one decision back, for good: the values are sent as recorded, and stay so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from pytest_loadtool.codec.template import Template, TemplateError
from pytest_loadtool.correlation.decisions.ignoring import Entries
from pytest_loadtool.correlation.index.indexing import sent_slots
from pytest_loadtool.correlation.index.traffic import RecordedStep, steps_of
from pytest_loadtool.correlation.proposals import REPLAY_COMPARE
from pytest_loadtool.correlation.requests.parts import (
    header_sets,
    reverted,
    text_parts,
    with_header_sets,
    with_part,
)
from pytest_loadtool.correlation.requests.slots import Slot, request_slots
from pytest_loadtool.correlation.responses.producers import issued_tokens
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.model.case import Request, TestCase, Transaction, Variable
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Extractor
from pytest_loadtool.model.validator import expected_text
from pytest_loadtool.structure.renewal import family
from pytest_loadtool.structure.uses import references, used_names

_NOTHING: Mapping[str, frozenset[str]] = MappingProxyType({})


def revert(
    case: TestCase, steps: tuple[RecordedStep, ...], *, only: Collection[str] | None = None
) -> TestCase:
    """Return the case with recorded values in place of what application state management set.

    What a replay proved stays: the recording alone would not show it again. With ``only``, these
    variables are taken back, with what is made of them or extracted by them, and no others.
    """
    steps = tuple(
        one
        if one.exchange is None
        else replace(one, transaction=without_outcomes(one.transaction, only))
        for one in steps
    )
    case = with_transactions(case, (one.transaction for one in steps))
    pinned = _pinned(steps, case.variables)
    sought = _sought(case)
    if only is None:
        proven = (name for name, one in case.variables.items() if one.rule == REPLAY_COMPARE.name)
        kept = _made_of(case.variables, proven)
        pinned |= kept | used_names(
            (case.variables[one].template or "" for one in kept), case.variables
        )
    else:
        pinned |= case.variables.keys() - _made_of(case.variables, only, sought)
    pinned = _with_sought(pinned, sought, case.variables)
    values = {
        name: variable.recorded
        for name, variable in case.variables.items()
        if variable.set_by == "asm" and variable.recorded is not None and name not in pinned
    }
    if not values:
        return case
    transactions = (_reverted(step, values) for step in steps)
    sets = {name: _reverted_request(one, "", values) for name, one in header_sets(case).items()}
    variables = {name: one for name, one in case.variables.items() if name not in values}
    case = with_transactions(with_header_sets(case, sets), transactions)
    return replace(case, variables=MappingProxyType(variables))


def _made_of(
    variables: Mapping[str, Variable],
    names: Iterable[str],
    sought: Mapping[str, frozenset[str]] = _NOTHING,
) -> set[str]:
    """Return the names, and all that is made of these variables, or extracted by them."""
    wanted = set(names)
    uses = {name: used_names([one.template or ""], variables) for name, one in variables.items()}
    while more := {
        name
        for name in variables
        if name not in wanted and (uses[name] | sought.get(name, frozenset())) & wanted
    }:
        wanted |= more
    return wanted


def _sought(case: TestCase) -> dict[str, frozenset[str]]:
    """Return by variable the names that its extractors go by, and what these are made of."""
    found: dict[str, frozenset[str]] = {}
    for transaction in case.transactions():
        for one in transaction.extractors:
            names = used_names(map(str, references(one.source)), case.variables)
            if names:
                found[one.variable] = found.get(one.variable, frozenset()) | names
    return found


def _with_sought(
    pinned: frozenset[str], sought: Mapping[str, frozenset[str]], variables: Mapping[str, Variable]
) -> frozenset[str]:
    """Return the pinned variables, with those by which what stays is extracted."""
    while True:
        more: set[str] = set()
        for name, names in sought.items():
            of_asm = name in variables and variables[name].set_by == "asm"
            if name in pinned or not of_asm:
                more |= names
        if more <= pinned:
            return pinned
        pinned |= more


def names_in_use(case: TestCase) -> frozenset[str]:
    """Return every variable that the case declares, extracts or refers to."""
    names = set(case.variables)
    for one in header_sets(case).values():
        names.update(_names(*(text for _, text in text_parts(one))))
    for transaction in case.transactions():
        names.update(extractor.variable for extractor in transaction.extractors)
        names.update(_names(*_texts(transaction)))
    return frozenset(names.union(*_sought(case).values()))


def _reverted(step: RecordedStep, values: dict[str, str]) -> Transaction:
    request = _reverted_request(step.transaction.request, step.content_type, values)
    extractors = tuple(one for one in step.transaction.extractors if one.variable not in values)
    return replace(
        step.transaction,
        request=request,
        extractors=extractors,
        refreshes=_still_refreshed(step.transaction, extractors, values),
    )


def _still_refreshed(
    transaction: Transaction, extractors: Iterable[Extractor], values: dict[str, str]
) -> str:
    """Return what it refreshes, as long as that is a variable and the new value is extracted."""
    name = transaction.refreshes
    new = {family(one.variable) for one in extractors}
    return name if name not in values and family(name) in new else ""


def _reverted_request(request: Request, content_type: str, values: dict[str, str]) -> Request:
    for part, text in text_parts(request):
        if "${" in text:
            request = with_part(request, part, reverted(text, part, content_type, values))
    return request


def _pinned(steps: tuple[RecordedStep, ...], variables: Mapping[str, Variable]) -> frozenset[str]:
    """Return the variables in checks, and those that a transaction without evidence sets or
    uses."""
    names: set[str] = set()
    for step in steps:
        names.update(_names(*map(expected_text, step.transaction.validators)))
        if step.exchange is None:
            names.update(_names(*(text for _, text in text_parts(step.transaction.request))))
            names.update(extractor.variable for extractor in step.transaction.extractors)
    made_of = [variables[name].template or "" for name in names if name in variables]
    return used_names(made_of, variables) | names


def _texts(transaction: Transaction) -> Iterator[str]:
    yield from (text for _, text in text_parts(transaction.request))
    yield from map(expected_text, transaction.validators)


def _names(*texts: str) -> Iterator[str]:
    for text in texts:
        if "${" not in text:
            continue
        try:
            references = Template.parse(text).references
        except TemplateError:
            continue
        yield from (reference.name for reference in references)


def without_outcomes(transaction: Transaction, only: Collection[str] | None = None) -> Transaction:
    """Return the transaction without the outcomes that were found; with ``only``, without those
    that hold one of these variables."""
    kept = tuple(
        one
        for one in transaction.validators
        if one.outcome is None
        or not one.outcome.was_found
        or (only is not None and used_names((expected_text(one),), {}).isdisjoint(only))
    )
    return transaction if kept == transaction.validators else replace(transaction, validators=kept)


def taken_back(case: TestCase, exchanges: Sequence[Exchange], name: str) -> TestCase:
    """Return the case without a variable of ASM, and with what used it on the list of what is
    ignored.

    Raises:
        ValueError: there is no such variable, a person set it, or something else needs it.
    """
    variable = case.variables.get(name)
    if variable is None:
        raise ValueError(f"there is no variable {name!r}")
    if variable.set_by != "asm":
        raise ValueError(f"{name!r} was set by a person: it is a line of the test case")
    reverted = revert(case, steps_of(case, exchanges), only={name})
    if name in reverted.variables:
        raise ValueError(
            f"{name!r} is used by a validator, by an extractor of yours, or by a transaction "
            "without recorded traffic: change that first"
        )
    new = dict.fromkeys(_used(case, reverted, exchanges, variable.recorded or ""))
    ignore = (*case.asm.ignore, *(one for one in new if one not in case.asm.ignore))
    return replace(reverted, asm=replace(case.asm, ignore=ignore))


def _used(
    case: TestCase, reverted: TestCase, exchanges: Sequence[Exchange], recorded: str
) -> Iterator[str]:
    """Yield the entries for the fields that are constants in the ``reverted`` case, and for the
    token that nobody used."""
    before, after = steps_of(case, exchanges), steps_of(reverted, exchanges)
    changed = [
        old.index for old, new in zip(before, after, strict=True) if _sends(old) != _sends(new)
    ]
    known = set(map(_place, sent_slots(case, before, [before[at] for at in changed])))
    now = sent_slots(reverted, after, [after[at] for at in changed])
    freed = [slot for slot in now if _place(slot) not in known]
    mine = [slot for slot in freed if slot.value == recorded] or freed
    entries = Entries(after)
    requests = [one.request for one in revert(case, after).transactions()] if mine else []
    for slot in mine:
        step = after[slot.transaction]
        named = (
            one.name
            for one in request_slots(
                requests[slot.transaction], step.content_type, step.index, calls=step.calls
            )
        )
        yield from entries.of_slot(slot, several=sum(one == slot.name for one in named) > 1)
    for step in after:
        for name in _tokens(step, recorded):
            own = sent_slots(reverted, after, [step])
            if not any(one.value == recorded and step.index in one.senders for one in own):
                yield entries.of(step.index, name)


def _sends(step: RecordedStep) -> tuple[Request, str]:
    return step.transaction.request, step.content_type


def _tokens(step: RecordedStep, value: str) -> Iterator[str]:
    """Yield the names of the tokens with that value that the response issues."""
    if step.exchange is not None and step.exchange.status:
        for one in issued_tokens(RecordedResponse(step.exchange), step.index):
            if one.value == value:
                yield one.name


def _place(slot: Slot) -> tuple[int, str | int, str, str, int, int]:
    return slot.transaction, slot.part, slot.name, slot.value, slot.depth, slot.nth
