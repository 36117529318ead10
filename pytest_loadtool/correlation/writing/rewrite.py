"""Rewriting: the case with its new variables, extractors and placeholders.

It also has referers: they name the address of the page on replay, not the recorded one.

A browser writes there the address of an earlier request, or one that a script of the page has put
into its place, which no request has had: ``/orders/17`` of a single-page application.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from pytest_loadtool.codec.places import target_places
from pytest_loadtool.codec.template import Reference, Template, TemplateError, escape
from pytest_loadtool.correlation.classify import is_short_number, looks_like_time
from pytest_loadtool.correlation.index.traffic import RecordedStep
from pytest_loadtool.correlation.proposals import ByClient
from pytest_loadtool.correlation.requests.edits import edited
from pytest_loadtool.correlation.requests.nested import Capsule
from pytest_loadtool.correlation.requests.parts import (
    FILTERS_OF,
    header_sets,
    part_text,
    rendered,
    with_header_sets,
    with_part,
)
from pytest_loadtool.correlation.requests.slots import Masked, Part, Slot, target_slots
from pytest_loadtool.correlation.sources.variables import Found, field_name, number
from pytest_loadtool.correlation.writing.revert import names_in_use
from pytest_loadtool.model.case import Request, TestCase, Transaction, Variable
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.extractor import Extractor
from pytest_loadtool.model.place import Place


def follow_referers(
    steps: Sequence[RecordedStep],
    requests: list[Request],
    sets: dict[str, Request],
    found: Sequence[Found],
    values: dict[str, str],
) -> None:
    """Rewrite the Referers of the requests and header sets in place.

    By then all that an earlier request needed is known, so the Referer may use it too; that of a
    header set, if it is known when the first request follows the set. ``values`` are the recorded
    ones, ``found`` is in the order of the responses that set them.
    """
    followed: set[str] = set()
    known = _Known(values)
    upcoming = list(reversed(found))
    for step, request in zip(steps, tuple(requests), strict=True):
        while upcoming and upcoming[-1].producer.transaction < step.index:
            known.note(upcoming.pop())
        if request.header_set not in followed:
            followed.add(request.header_set)
            sets[request.header_set] = _following(sets[request.header_set], known)
        requests[step.index] = _following(request, known)
        old, new = step.transaction.request.target, request.target
        if old != new:
            known.targets[_in_header(old)] = _in_header(new)


@dataclass(slots=True)
class _Known:
    """The values and addresses that a Referer may use."""

    values: dict[str, str]
    """By variable: the recorded value."""
    targets: dict[str, str] = field(default_factory=dict)
    """By the address as recorded: as rewritten, both as headers have them."""
    names: dict[str, Found] = field(default_factory=dict)
    """By value, as it is written in an address."""

    def note(self, one: Found) -> None:
        """A response has set that variable."""
        self.names[one.recorded] = one


def _following(request: Request, known: _Known) -> Request:
    for position, header in enumerate(request.headers):
        if header.name.lower() == "referer" and header.value:
            prefix = "${server}" if header.value.startswith("${server}/") else ""
            target = known.targets.get(header.value.removeprefix(prefix))
            new = _with_values(header.value, known) if target is None else prefix + target
            if rendered(new, 0, "", known.values) == rendered(header.value, 0, "", known.values):
                request = with_part(request, position, new)
    return request


def _with_values(address: str, known: _Known) -> str:
    """Return the address with placeholders for the values that responses have given out."""
    masked = Masked.of(address)
    if masked is None:
        return address
    edits = [
        (slot.start, slot.end, "|".join(filter(None, (one.name, FILTERS_OF.get(slot.root)))))
        for slot in target_slots(masked.text, 0)
        if not slot.depth and (one := known.names.get(slot.raw)) and _is_about(slot, one)
    ]
    return masked.replaced(edits) if edits else address


def _is_about(slot: Slot, one: Found) -> bool:
    """Return whether the value stands there by no chance: short numbers and dates, by their
    names."""
    common = is_short_number(slot.value) or looks_like_time(slot.value)
    return not common or any(slot.name == user.name for user in one.slots)


def _in_header(target: str) -> str:
    """Return the target as a template of a header, in which nothing is encoded but by filters."""
    try:
        template = Template.parse(target)
    except TemplateError:
        return target
    places = iter(target_places(template))
    return "".join(
        escape(part) if isinstance(part, str) else str(_encoded(part, next(places)))
        for part in template.parts
    )


def _encoded(reference: Reference, place: Place) -> Reference:
    encoder = FILTERS_OF.get(place)
    filters = (*reference.filters, encoder) if encoder is not None else reference.filters
    return replace(reference, filters=filters)


_Uses = dict[Part, list[tuple[Slot, str]]]


def rewrite(
    case: TestCase,
    steps: Sequence[RecordedStep],
    found: Sequence[Found],
    computed: Sequence[ByClient],
) -> TestCase:
    """Return the case in which each variable is declared, extracted or made up, and used."""
    uses: dict[int, _Uses] = {}
    new: list[Found | ByClient] = [*found, *computed]
    for one in new:
        for slot in one.slots:
            uses.setdefault(slot.owner, {}).setdefault(slot.part, []).append((slot, one.name))
    made = Made([*names_in_use(case), *(one.name for one in new)], "asm")
    requests = [_edited(step.transaction.request, uses.get(step.index, {}), made) for step in steps]
    sets = {
        name: _edited(one, uses.get(~index, {}), made)
        for index, (name, one) in enumerate(header_sets(case).items())
    }
    values = {one.name: one.recorded for one in new}
    values |= {one.name: one.recorded or "" for one in made.variables.values()}
    follow_referers(steps, requests, sets, found, values)
    extractors: dict[int, list[Extractor]] = {}
    for one in found:
        extractors.setdefault(one.producer.transaction, []).append(one.extractor)
    transactions = (
        _extracting(step.transaction, request, extractors.get(step.index, []))
        for step, request in zip(steps, requests, strict=True)
    )
    variables = dict(case.variables)
    for one in found:
        variables[one.name] = Variable(
            one.name, recorded=one.recorded, set_by="asm", rule=one.rule.name
        )
    for made_up in computed:
        variables[made_up.name] = Variable(
            made_up.name, generate=made_up.generator, recorded=made_up.recorded, set_by="asm",
            rule=made_up.rule.name,
        )  # fmt: skip
    variables |= {one.name: one for one in made.variables.values()}
    case = with_transactions(with_header_sets(case, sets), transactions)
    return replace(case, variables=MappingProxyType(variables))


def _edited(request: Request, uses: _Uses, made: Made) -> Request:
    for part, slots in uses.items():
        masked = Masked.of(part_text(request, part))
        assert masked is not None, "slots come from masked text"
        request = with_part(request, part, edited(masked, slots, made.name))
    return request


def _extracting(
    transaction: Transaction, request: Request, extractors: Sequence[Extractor]
) -> Transaction:
    return replace(transaction, request=request, extractors=(*transaction.extractors, *extractors))


class Made:
    """The variables that are made of others: one for each template, which ``variables`` has it
    by."""

    def __init__(self, taken: Iterable[str], set_by: Literal["asm", "person"]) -> None:
        """``taken`` are the names of others; ``set_by`` is who wants these."""
        self.variables: dict[str, Variable] = {}
        self._taken = set(taken)
        self._set_by = set_by

    def name(self, capsule: Capsule, template: str) -> str:
        """Return the name of the variable that is made of ``template``."""
        known = self.variables.get(template)
        if known is None:
            (name,) = number([field_name(capsule.name.lower())], self._taken)
            self._taken.add(name)
            # What a person takes out of a test case is not to stay in it as what was recorded.
            recorded = capsule.text if self._set_by == "asm" else None
            known = Variable(name, template=template, recorded=recorded, set_by=self._set_by)
            self.variables[template] = known
        return known.name
