"""Rewriting: the case with its new variables, extractors and placeholders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from pytest_loadtool.correlation.composing import Made
from pytest_loadtool.correlation.computed import Computed
from pytest_loadtool.correlation.edits import edited
from pytest_loadtool.correlation.parts import (
    FILTERS_OF,
    header_sets,
    part_text,
    rendered,
    with_header_sets,
    with_part,
)
from pytest_loadtool.correlation.revert import names_in_use
from pytest_loadtool.correlation.slots import Masked, Part, Slot
from pytest_loadtool.correlation.traffic import Step
from pytest_loadtool.correlation.variables import Found
from pytest_loadtool.model.case import Request, TestCase, Transaction, Variable
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.extractor import Extractor
from pytest_loadtool.model.place import Place, target_places
from pytest_loadtool.model.template import Reference, Template, TemplateError, escape

__all__ = ["rewrite"]

_Uses = dict[Part, list[tuple[Slot, str]]]


def rewrite(
    case: TestCase, steps: Sequence[Step], found: Sequence[Found], computed: Sequence[Computed]
) -> TestCase:
    """The case in which each variable is declared, extracted or made up, and used."""
    uses: dict[int, _Uses] = {}
    new: list[Found | Computed] = [*found, *computed]
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
    _follow_referers(steps, requests, sets, values)
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


def _follow_referers(
    steps: Sequence[Step],
    requests: list[Request],
    sets: dict[str, Request],
    values: dict[str, str],
) -> None:
    """Let each Referer name the address that its page is now fetched from.

    A browser writes there the address of an earlier request. By then all that this request needed
    is known, so the Referer may use it too; that of a header set, if it is known when the first
    request follows the set.
    """
    followed: set[str] = set()
    targets: dict[str, str] = {}  # as recorded → as rewritten, both as headers have them
    for step, request in zip(steps, tuple(requests), strict=True):
        if request.header_set not in followed:
            followed.add(request.header_set)
            sets[request.header_set] = _following(sets[request.header_set], targets, values)
        requests[step.index] = _following(request, targets, values)
        old, new = step.transaction.request.target, request.target
        if old != new:
            targets[_in_header(old)] = _in_header(new)


def _in_header(target: str) -> str:
    """The target as a template of a header, in which nothing is encoded but by filters."""
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


def _following(request: Request, targets: dict[str, str], values: dict[str, str]) -> Request:
    for position, header in enumerate(request.headers):
        if header.name.lower() == "referer" and header.value:
            prefix = "${server}" if header.value.startswith("${server}/") else ""
            target = targets.get(header.value.removeprefix(prefix))
            if target is not None and _same(prefix + target, header.value, values):
                request = with_part(request, position, prefix + target)
    return request


def _same(new: str, old: str, values: dict[str, str]) -> bool:
    """Whether both send the same header with the recorded values."""
    return rendered(new, 0, "", values) == rendered(old, 0, "", values)
