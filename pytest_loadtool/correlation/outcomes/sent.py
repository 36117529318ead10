"""What requests send, each with what stands for it in the test case; and which change anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pytest_loadtool.codec.names import is_given_out
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.graphql import operation
from pytest_loadtool.correlation.index.traffic import RecordedStep, is_change
from pytest_loadtool.correlation.requests.plain_request import Plain
from pytest_loadtool.correlation.requests.positions import IN_NAME
from pytest_loadtool.correlation.requests.slots import Slot, request_slots, target_slots
from pytest_loadtool.correlation.sources.anchors import numbered_slots
from pytest_loadtool.model.case import Request, TestCase, Transaction, Variable
from pytest_loadtool.model.place import Place

REFERENCE = re.compile(r"\$\{([^}|]+)(?:\|[^}]*)?\}")
"""A placeholder; group 1 is the name of its variable."""

Sent = tuple[Slot, str]
"""A value that a request sends, and what stands for it: a template."""


def tells(step: RecordedStep, request: Request) -> bool:
    """Return whether what a request sends is of use: of a change, or what stands for an id."""
    if step.exchange is None or step.is_static:
        return False
    texts = (request.target, request.body)
    return is_change(step) or any("${" in one for one in texts if isinstance(one, str))


def has_fields(step: RecordedStep) -> bool:
    """Return whether anything in the body may be of use; most requests have none."""
    return (
        step.exchange is not None
        and not step.is_static
        and (bool(step.exchange.request_body) or is_change(step))
    )


def sent_by(
    step: RecordedStep, transaction: Transaction, recorded: Iterable[Slot], case: TestCase
) -> Iterator[Sent]:
    """Yield what stands in the target and in the body as it was ``recorded``, each with its
    template."""
    plain = Plain.of(transaction.request)
    target, body = plain.request.target, Request("POST", "/", body=plain.request.body)
    in_target = tuple(target_slots(step.address, step.index))
    now = target_slots(target, step.index) if target != step.address else in_target
    yield from _paired(in_target, now, plain, case)
    yield from _paired(
        recorded, request_slots(body, step.content_type, step.index, calls=step.calls), plain, case
    )


def names_of_fields(
    step: RecordedStep, request: Request, recorded: Sequence[Slot]
) -> Iterator[tuple[str, str]]:
    """Yield the names of fields in which an id stands, each with its template."""
    if not any(slot.before == IN_NAME for slot in recorded):
        return
    plain = Plain.of(request)
    body = Request("POST", "/", body=plain.request.body)
    slots = request_slots(body, step.content_type, step.index, calls=step.calls)
    now = dict(numbered_slots(slots))
    for key, slot in numbered_slots(recorded):
        name = plain.original(now[key].name) if key in now else slot.name
        if name != slot.name and "${" in name:
            yield slot.name, name


def _paired(
    recorded: Iterable[Slot], written: Iterable[Slot], plain: Plain, case: TestCase
) -> Iterator[Sent]:
    now = dict(numbered_slots(written))
    for key, slot in numbered_slots(recorded):
        one = now.get(key)
        if one is None:
            continue
        template = plain.original(one.value)
        if template == one.value:
            if one.value == slot.value:
                yield slot, escape(slot.value)
            continue
        only = REFERENCE.fullmatch(template)
        variable = case.variables.get(only[1]) if only else None
        if variable is not None and variable.recorded == slot.value:
            yield slot, f"${{{variable.name}}}"
        elif _is_as_sent(template, slot) and (variable is None or variable.recorded is None):
            yield slot, template


def _is_as_sent(template: str, slot: Slot) -> bool:
    """Return whether a template says what whoever reads the request has: an address in JSON with an
    id in it is encoded as addresses are, and no more."""
    if slot.place is Place.JSON_STRING:
        template = template.replace("|url}", "}")
    return "|" not in template


def acts_by_link(step: RecordedStep) -> bool:
    """Return whether a transaction is a link with a token, by which pages do something with a
    resource."""
    if step.method != "GET" or "?" not in step.address:
        return False
    slots = target_slots(step.address, step.index)
    return any(one.place is Place.QUERY and is_given_out(one.name) for one in slots)


def operation_of(step: RecordedStep) -> str:
    """Return what a request asks for where its address does not tell; empty where the address
    does."""
    asked = operation(step.exchange) if step.exchange is not None else None
    if asked is not None:
        return " ".join(sorted(asked.words))
    return step.called if step.called != step.path else ""


def is_extracted(variable: Variable | None) -> bool:
    """Return whether an answer gives a variable out."""
    return variable is not None and variable.set_by == "asm" and variable.needs_extractor
