"""Rewriting: the case with its new variables, extractors and placeholders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from pytest_loadtool.correlation.index.traffic import RecordedStep
from pytest_loadtool.correlation.proposals import ByClient
from pytest_loadtool.correlation.requests.edits import edited
from pytest_loadtool.correlation.requests.nested import Capsule
from pytest_loadtool.correlation.requests.parts import (
    header_sets,
    part_text,
    with_header_sets,
    with_part,
)
from pytest_loadtool.correlation.requests.slots import Masked, Part, Slot
from pytest_loadtool.correlation.sources.naming import field_name, number
from pytest_loadtool.correlation.sources.variables import Found
from pytest_loadtool.correlation.writing.referers import follow_referers
from pytest_loadtool.correlation.writing.revert import names_in_use
from pytest_loadtool.model.case import Request, TestCase, Transaction, Variable
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.extractor import Extractor

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
