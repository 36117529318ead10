"""States: which version is that of the very resource that a request is about.

Two resources may have version 7 at once, so the number alone does not tell whose it is.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from pytest_loadtool.correlation.classify import is_id_name, is_version_name
from pytest_loadtool.correlation.graphql import operation
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.kinds import ARGUMENTS
from pytest_loadtool.correlation.producer import DOCUMENTS, Producer
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.responses.xml_document import xml_document
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind, same_name

#: A longer request is not taken apart.
_LONGEST_BODY = 50_000


def of_the_resource_first(
    producers: Sequence[Producer], slot: Slot, traffic: Traffic
) -> Sequence[Producer]:
    """Return the producers of a version, those first that stand beside an id or address which the
    slot's own request has, and of one response those that are called as the slot; without those
    that stand beside the id of another resource than the slot does. All others as they are."""
    if not producers or not is_version_name(slot.name):
        return producers
    own = _named(_beside_slot(slot, traffic))
    known = [one for one in producers if not _is_of_another(one, own, traffic)]
    path, name = _path(slot.transaction, traffic), same_name(slot.name)
    ids = {path} | _ids(slot, traffic)
    order: dict[tuple[int, bool], int] = {}
    for at, one in enumerate(known):
        order.setdefault((one.transaction, one.in_list), at)

    def rank(one: Producer) -> tuple[bool, int, bool]:
        nearest = order[one.transaction, one.in_list]
        return not _is_of(one, path, ids, traffic), nearest, same_name(one.name) != name

    return sorted(known, key=rank)


def _is_of(one: Producer, path: str, ids: Collection[str], traffic: Traffic) -> bool:
    """Return whether what has the version is at that path, unless all calls go there; or has one of
    the ids beside it."""
    step = traffic.steps[one.transaction]
    if step.exchange is None:
        return False
    is_call = step.called != step.path or operation(step.exchange) is not None
    if not is_call and _path(one.transaction, traffic) == path:
        return True
    beside = _beside(one, traffic)
    return any(str(value) in ids for name, value in beside.items() if _tells(name, "href"))


def _is_of_another(one: Producer, own: Mapping[str, str], traffic: Traffic) -> bool:
    """Return whether what has the version is called by other ids than those of the same names that
    stand beside the slot."""
    beside = _named(_beside(one, traffic)) if own else {}
    both = own.keys() & beside.keys()
    return bool(both) and all(own[name] != beside[name] for name in both)


def _named(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return those of the fields that tell which resource it is."""
    return {
        same_name(name): str(value)
        for name, value in fields.items()
        if _tells(name) and not is_version_name(name) and isinstance(value, str | int)
    }


def _tells(name: str, *others: str) -> bool:
    return is_id_name(name) or same_name(name) == "key" or name in others


def _beside(one: Producer, traffic: Traffic) -> Mapping[str, Any]:
    """Return the object of a document that has the value; of XML, what leads to it is known in
    lists alone."""
    step = traffic.steps[one.transaction]
    if one.kind not in DOCUMENTS or one.box is not None or step.exchange is None:
        return {}
    response = RecordedResponse(step.exchange)
    document = response.json() if one.kind is ProducerKind.JSON else xml_document(response.text)
    if not one.steps:
        return _only(document, one.name, one.value)
    for name in one.steps[:-1]:
        document = document[name]
    return document if isinstance(document, dict) else {}


def _beside_slot(slot: Slot, traffic: Traffic) -> Mapping[str, Any]:
    """Return the only object of the request's document that has the value under the slot's name."""
    exchange = traffic.steps[slot.transaction].exchange
    body = exchange.request_body if exchange is not None and slot.part == "body" else b""
    if body[:1] not in (b"{", b"[", b"<") or len(body) > _LONGEST_BODY:
        return {}
    try:
        document = xml_document(body.decode()) if body[:1] == b"<" else json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return _only(document, slot.name, slot.value)


def _only(document: Any, name: str, value: str) -> Mapping[str, Any]:
    """Return the only object of a document that has a value under a name."""
    found = [one for one in _objects(document) if str(one.get(name)) == value]
    return found[0] if len(found) == 1 else {}


def _objects(document: Any) -> Iterator[dict[str, Any]]:
    stack = [document]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            yield one
        stack += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()


def _path(at: int, traffic: Traffic) -> str:
    return traffic.steps[at].address.partition("?")[0]


def _ids(slot: Slot, traffic: Traffic) -> set[str]:
    """Return what may be the id of the resource: what is called so, stands in the path, or is an
    argument of a call without a name."""
    return {
        one.value
        for one in traffic.slots_of(slot.transaction)
        if _tells(one.name) or one.place is Place.PATH or one.name in ARGUMENTS
    }


def outlasts(slot: Slot, traffic: Traffic) -> bool:
    """Return whether one place has the version before such a change and after it: then it is that
    of a format, as ``"version": 37`` of a configuration is."""
    change = traffic.steps[slot.transaction]
    if change.called != change.path:
        return False
    reads: dict[object, list[int]] = {}
    for one in chain.from_iterable(traffic.responses.producers.get(slot.value, {}).values()):
        step = traffic.steps[one.transaction]
        if is_version_name(one.name) and not one.of_many and not step.changes_state:
            reads.setdefault((step.address, one.kind, one.steps), []).append(one.transaction)
    return any(
        there[0] < at < there[-1]
        for there in reads.values()
        for at in traffic.requests.changes
        if traffic.steps[at].path == change.path
        and _succeeded(at, traffic)
        and any(
            one.value == slot.value and is_version_name(one.name) for one in traffic.slots_of(at)
        )
    )


def _succeeded(at: int, traffic: Traffic) -> bool:
    exchange = traffic.steps[at].exchange
    return exchange is not None and 200 <= exchange.status < 400
