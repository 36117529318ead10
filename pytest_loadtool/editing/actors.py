"""What is done at transactions: adding validators, extractors and calls, and taking them out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from pytest_loadtool.correlation.requests.edits import overlap
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field, every_field
from pytest_loadtool.correlation.requests.parts import (
    content_type,
    header_sets,
    reverted,
    text_parts,
    with_header_sets,
    with_part,
)
from pytest_loadtool.editing.bulk_edit import with_references
from pytest_loadtool.model.case import Request, TestCase, Transaction, Variable
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.extractor import Extractor
from pytest_loadtool.model.validator import StatusCodes, Validator, expected_text
from pytest_loadtool.structure.uses import needed_by, used_names


@dataclass(frozen=True, slots=True)
class PlacedExtractor:
    """An extractor of a test case: ``number`` counts all of them, as in ``Extractor[3]``;
    ``users`` are the indexes of the transactions that need its variable before the next extractor
    sets it."""

    number: int
    transaction: int
    extractor: Extractor
    users: tuple[int, ...]


def placed_extractors(case: TestCase) -> tuple[PlacedExtractor, ...]:
    """Return the extractors of a test case, in their order."""
    needs = [_needed(case, one) for one in case.transactions()]
    found: list[PlacedExtractor] = []
    open_: dict[str, int] = {}
    users: list[list[int]] = []
    for index, transaction in enumerate(case.transactions()):
        for name in needs[index] & open_.keys():
            users[open_[name]].append(index)
        for one in transaction.extractors:
            open_[one.variable] = len(found)
            found.append(PlacedExtractor(len(found) + 1, index, one, ()))
            users.append([])
    return tuple(replace(one, users=tuple(mine)) for one, mine in zip(found, users, strict=True))


def _needed(case: TestCase, transaction: Transaction) -> frozenset[str]:
    checked = map(expected_text, transaction.validators)
    return needed_by(case, transaction) | used_names(checked, case.variables)


def with_calls(case: TestCase, index: int, names: Sequence[str]) -> TestCase:
    """Return ``case`` that calls these functions, and no others, before a transaction."""
    return _changed(case, index, lambda one: replace(one, call=tuple(names)))


def with_status(case: TestCase, index: int, status: StatusCodes) -> TestCase:
    """Return ``case`` with other status codes that a transaction accepts."""
    return _changed(case, index, lambda one: replace(one, status=status))


def with_validator(
    case: TestCase, index: int, validator: Validator, number: int | None = None
) -> TestCase:
    """Return ``case`` with one more validator of a transaction, or with it in place of the one of
    that ``number``, counted from 1; an outcome stays that of the same change.

    Raises:
        ValueError: there is none of that number.
    """
    known = list(case.transactions())[index].validators
    at = len(known) if number is None else _validator_at(known, number)
    if at < len(known):
        validator = _edited(known[at], validator)
    now = (*known[:at], validator, *known[at + 1 :])
    return _changed(case, index, lambda one: replace(one, validators=now))


def _edited(before: Validator, after: Validator) -> Validator:
    """Return what a person made of a validator: one with words stays the proof of the same
    change."""
    if before.outcome is None or not before.outcome.change or after.outcome is None:
        return after
    outcome = replace(before.outcome, name=after.outcome.name)
    if replace(after, outcome=outcome) == before:
        return before
    return replace(after, outcome=replace(outcome, edited=True))


def without_validator(case: TestCase, index: int, number: int) -> TestCase:
    """Return ``case`` without a validator of a transaction, counted from 1.

    Raises:
        ValueError: there is none of that number.
    """
    known = list(case.transactions())[index].validators
    at = _validator_at(known, number)
    kept = known[:at] + known[at + 1 :]
    return _changed(case, index, lambda one: replace(one, validators=kept))


def _validator_at(known: Sequence[Validator], number: int) -> int:
    if not 1 <= number <= len(known):
        has = f"validators 1 to {len(known)}" if known else "none but the Status Code validator"
        raise ValueError(f"no validator {number}: it has {has}")
    return number - 1


def with_extractor(
    case: TestCase, index: int, extractor: Extractor, recorded: str | None = None
) -> TestCase:
    """Return ``case`` with an extractor of a transaction, in place of one there of the same
    variable.

    ``recorded`` is what it takes from the recorded response, if that is known. The variable is a
    person's from now on: application state management leaves it alone.

    Raises:
        ValueError: the variable has another source.
    """
    name = extractor.variable
    known = case.variables.get(name)
    if known is not None and not known.needs_extractor:
        raise ValueError(f"{name} is a variable with a value of its own: choose another name")

    def changed(one: Transaction) -> Transaction:
        names = [each.variable for each in one.extractors]
        if name not in names:
            return replace(one, extractors=(*one.extractors, extractor))
        at = names.index(name)
        extractors = (*one.extractors[:at], extractor, *one.extractors[at + 1 :])
        return replace(one, extractors=extractors)

    kept = known.recorded if known is not None and recorded is None else recorded
    variable = Variable(name, recorded=kept)
    case = _changed(case, index, changed)
    return replace(case, variables=MappingProxyType({**case.variables, name: variable}))


def without_extractor(case: TestCase, index: int, name: str) -> TestCase:
    """Return ``case`` without the extractor of a variable in a transaction. If no other sets it,
    what was recorded is sent in its place, where that is known.

    Raises:
        ValueError: the transaction has no extractor of it.
    """
    case = _taken_out(case, index, name)[0]
    extracted = {one.variable for each in case.transactions() for one in each.extractors}
    variable = case.variables.get(name)
    if name in extracted or variable is None or not variable.needs_extractor:
        return case
    if variable.recorded is not None:
        case = _as_recorded(case, {name: variable.recorded})
    if any(name in _needed(case, one) for one in case.transactions()):
        return case
    others = {key: one for key, one in case.variables.items() if key != name}
    return replace(case, variables=MappingProxyType(others))


def with_moved_extractor(
    case: TestCase, index: int, name: str, to: int, recorded: str | None = None
) -> tuple[TestCase, tuple[int, ...]]:
    """Return ``case`` with the extractor of a variable moved to the transaction at ``to``, and the
    indexes of those that need its value before that, where nothing has set it.

    ``recorded`` is what it takes from the recorded response there, if that is known.

    Raises:
        ValueError: the transaction has no extractor of it.
    """
    without, extractor = _taken_out(case, index, name)
    moved = with_extractor(without, to, extractor, recorded)
    return moved, tuple(sorted(_served(case, name) - _served(moved, name)))


def _served(case: TestCase, name: str) -> set[int]:
    placed = (one for one in placed_extractors(case) if one.extractor.variable == name)
    return {at for one in placed for at in one.users}


def extractor_of(case: TestCase, index: int, name: str) -> Extractor:
    """Return the extractor of a variable in a transaction.

    Raises:
        ValueError: the transaction has none.
    """
    known = {one.variable: one for one in list(case.transactions())[index].extractors}
    if name not in known:
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise ValueError(f"no extractor of {name}: {has}")
    return known[name]


def _taken_out(case: TestCase, index: int, name: str) -> tuple[TestCase, Extractor]:
    gone = extractor_of(case, index, name)

    def changed(one: Transaction) -> Transaction:
        kept = tuple(each for each in one.extractors if each.variable != name)
        return replace(one, extractors=kept)

    return _changed(case, index, changed), gone


def _as_recorded(case: TestCase, values: Mapping[str, str]) -> TestCase:
    """Return ``case`` with these values in place of their placeholders in requests."""

    def sent(request: Request) -> Request:
        kind = content_type(case.wire_headers(request)) if request.method else ""
        for part, text in tuple(text_parts(request)):
            if "${" in text:
                request = with_part(request, part, reverted(text, part, kind, values))
        return request

    sets = {name: sent(one) for name, one in header_sets(case).items()}
    transactions = [replace(one, request=sent(one.request)) for one in case.transactions()]
    return with_transactions(with_header_sets(case, sets), transactions)


def constants(case: TestCase, index: int, value: str) -> Iterator[tuple[int, Field]]:
    """Yield the fields that send ``value`` as a constant, in transactions behind ``index``."""
    for at, fields in enumerate(every_field(case, within=True)):
        taken: list[Field] = []
        for field in fields if at > index else ():
            if field.slot is None or field.datasource != CONSTANT or field.value != value:
                continue
            if any(one.slot and overlap(field.slot, one.slot) for one in taken):
                continue  # what is within it is the same value
            taken.append(field)
            yield at, field


def with_uses(case: TestCase, uses: Sequence[tuple[int, Field]], name: str) -> TestCase:
    """Return ``case`` with the variable in place of these constants."""
    names: dict[int, list[tuple[Field, str]]] = {}
    for at, field in uses:
        names.setdefault(at, []).append((field, name))
    return with_references(case, names)


def _changed(case: TestCase, index: int, changed: Callable[[Transaction], Transaction]) -> TestCase:
    return with_transactions(
        case,
        (changed(one) if at == index else one for at, one in enumerate(case.transactions())),
    )
